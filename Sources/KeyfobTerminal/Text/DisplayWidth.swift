// Terminals differ. What is here is what `wcswidth` of the wcwidth package for Python does, and terminals that draw
// grapheme clusters: a cluster takes no, one or two cells. Others add up the scalars of a cluster, so that a family of
// four takes eight cells there. Whoever draws columns after such a text sets the column anew.

/// How many columns of a terminal a text takes.
///
/// Control characters are not for here: `TerminalText` replaces them first. Characters that East Asian
/// fonts draw wide or narrow ("ambiguous", such as `…`) count as narrow.
package enum DisplayWidth {
    /// The cells of a text.
    package static func of(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    /// The cells of a grapheme cluster: 0, 1 or 2, and one for each sign that stands before it.
    package static func of(_ character: Character) -> Int {
        var (signs, width) = (0, 0)
        var before: Unicode.Scalar?
        for scalar in character.unicodeScalars {
            if before == nil, isSign(scalar) {
                signs += 1
                continue
            }
            // An emoji that has a text form, and asks for the other one.
            if scalar.value == 0xFE0F, before?.properties.isEmoji == true { return signs + 2 }
            // A wide emoji that has a text form, and asks for it.
            if scalar.value == 0xFE0E, width == 2, let before, hasTextForm(before) { width = 1 }
            // A mark that belongs to a letter, without one, takes no cell.
            if width == 0, signs == 0, isMark(scalar) { continue }
            width += of(scalar)
            before = scalar
        }
        return signs + min(2, width)
    }

    /// Whether it is a format character that is seen: a sign that stands around numbers, or before a letter.
    private static func isSign(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x600...0x605, 0x6DD, 0x70F, 0x890...0x891, 0x8E2, 0x110BD, 0x110CD: true
        default: false
        }
    }

    /// Whether it is a mark that takes a cell behind a letter, with which it makes one cluster.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300, scalar.properties.generalCategory == .spacingMark else { return false }
        var letter = "a"
        letter.unicodeScalars.append(scalar)
        return letter.count == 1
    }

    /// The longest beginning that takes at most `cells`; where something is left out, it ends with "…".
    package static func cut(_ text: String, to cells: Int) -> String {
        guard of(text) > cells else { return text }
        let sign = sign(cells)
        return String(start(of: text, cells - of(sign))) + sign
    }

    /// The longest end that takes at most `cells`; where something is left out, it begins with "…".
    package static func cutStart(_ text: String, to cells: Int) -> String {
        guard of(text) > cells else { return text }
        let sign = sign(cells)
        return sign + String(start(of: text.reversed(), cells - of(sign)).reversed())
    }

    /// What tells that something is left out, in at most `cells`.
    private static func sign(_ cells: Int) -> String {
        let sign = TerminalCharset.ellipsis
        return of(sign) <= cells ? sign : String(repeating: ".", count: max(0, cells))
    }

    private static func start(of text: some Sequence<Character>, _ cells: Int) -> [Character] {
        var kept: [Character] = []
        var width = 0
        for character in text {
            width += of(character)
            guard width <= cells else { break }
            kept.append(character)
        }
        return kept
    }

    /// A scalar by itself.
    private static func of(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0..<0x300: 1
        // Vowels and final consonants of Hangul, which join the consonant before them, and fillers.
        case 0x1160...0x11FF, 0xD7B0...0xD7FF, 0x3164, 0xFFA0: 0
        case _ where isSign(scalar): 1
        default:
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format, .lineSeparator, .paragraphSeparator: 0
            case .spacingMark: 1
            default: isWide(scalar) ? 2 : 1
            }
        }
    }

    private static func hasTextForm(_ scalar: Unicode.Scalar) -> Bool {
        textForms.contains { $0.contains(scalar.value) }
    }

    /// What is wide in Unicode's emoji-variation-sequences.txt.
    private static let textForms: [ClosedRange<UInt32>] = [
        0x231A...0x231B, 0x23E9...0x23EC, 0x23F0...0x23F0, 0x23F3...0x23F3, 0x25FD...0x25FE, 0x2614...0x2615,
        0x2648...0x2653, 0x267F...0x267F, 0x2693...0x2693, 0x26A1...0x26A1, 0x26AA...0x26AB, 0x26BD...0x26BE,
        0x26C4...0x26C5, 0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA, 0x26F2...0x26F3, 0x26F5...0x26F5,
        0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B, 0x2728...0x2728, 0x274C...0x274C,
        0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797, 0x27B0...0x27B0, 0x27BF...0x27BF,
        0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55, 0x3030...0x3030, 0x303D...0x303D, 0x3297...0x3297,
        0x3299...0x3299, 0x1F004...0x1F004, 0x1F202...0x1F202, 0x1F21A...0x1F21A, 0x1F22F...0x1F22F,
        0x1F237...0x1F237, 0x1F30D...0x1F30F, 0x1F315...0x1F315, 0x1F31C...0x1F31C, 0x1F378...0x1F378,
        0x1F393...0x1F393, 0x1F3A7...0x1F3A7, 0x1F3AC...0x1F3AE, 0x1F3C2...0x1F3C2, 0x1F3C4...0x1F3C4,
        0x1F3C6...0x1F3C6, 0x1F3CA...0x1F3CA, 0x1F3E0...0x1F3E0, 0x1F3ED...0x1F3ED, 0x1F408...0x1F408,
        0x1F415...0x1F415, 0x1F41F...0x1F41F, 0x1F426...0x1F426, 0x1F442...0x1F442, 0x1F446...0x1F449,
        0x1F44D...0x1F44E, 0x1F453...0x1F453, 0x1F46A...0x1F46A, 0x1F47D...0x1F47D, 0x1F4A3...0x1F4A3,
        0x1F4B0...0x1F4B0, 0x1F4B3...0x1F4B3, 0x1F4BB...0x1F4BB, 0x1F4BF...0x1F4BF, 0x1F4CB...0x1F4CB,
        0x1F4DA...0x1F4DA, 0x1F4DF...0x1F4DF, 0x1F4E4...0x1F4E6, 0x1F4EA...0x1F4ED, 0x1F4F7...0x1F4F7,
        0x1F4F9...0x1F4FB, 0x1F508...0x1F508, 0x1F50D...0x1F50D, 0x1F512...0x1F513, 0x1F550...0x1F567,
        0x1F610...0x1F610, 0x1F687...0x1F687, 0x1F68D...0x1F68D, 0x1F691...0x1F691, 0x1F694...0x1F694,
        0x1F698...0x1F698, 0x1F6AD...0x1F6AD, 0x1F6B2...0x1F6B2, 0x1F6B9...0x1F6BA, 0x1F6BC...0x1F6BC,
    ]

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x1100 else { return false }
        return scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) }
    }

    /// What is Wide or Fullwidth in Unicode's EastAsianWidth.txt and no emoji.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F,  // Hangul, the first consonants
        0x2329...0x232A,  // angle brackets
        0x2630...0x2637, 0x268A...0x268F,  // trigrams
        0x2E80...0x303E,  // radicals, punctuation
        0x3041...0x3247, 0x3250...0xA4CF,  // kana, bopomofo, ideographs, Yi
        0xA960...0xA97C, 0xAC00...0xD7A3,  // Hangul
        0xF900...0xFAFF,  // compatibility ideographs
        0xFE10...0xFE19, 0xFE30...0xFE6B,  // vertical and small forms
        0xFF01...0xFF60, 0xFFE0...0xFFE6,  // full width forms
        0x16FE0...0x18DFF,  // Tangut, Khitan
        0x1AFF0...0x1B2FF,  // kana, Nushu
        0x1D300...0x1D376,  // tetragrams, counting rods
        0x1F200...0x1F265,  // enclosed ideographs
        0x20000...0x3FFFD,  // ideographs of the supplementary planes
    ]
}
