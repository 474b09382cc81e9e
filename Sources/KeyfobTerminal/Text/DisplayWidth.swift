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

    /// The cells of a grapheme cluster: 0, 1 or 2.
    package static func of(_ character: Character) -> Int {
        var width = 0
        var before: Unicode.Scalar?
        for scalar in character.unicodeScalars {
            // An emoji that has a text form, and asks for the other one.
            if scalar.value == 0xFE0F, before?.properties.isEmoji == true { return 2 }
            // A wide emoji that asks for its text form.
            if scalar.value == 0xFE0E, width == 2, before?.properties.isEmoji == true { width = 1 }
            width += of(scalar)
            before = scalar
        }
        return min(2, width)
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
        // Format characters that are seen: signs that stand around numbers.
        case 0x600...0x605, 0x6DD, 0x70F, 0x890...0x891, 0x8E2, 0x110BD, 0x110CD: 1
        default:
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format, .lineSeparator, .paragraphSeparator: 0
            case .spacingMark: 1
            default: isWide(scalar) ? 2 : 1
            }
        }
    }

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
