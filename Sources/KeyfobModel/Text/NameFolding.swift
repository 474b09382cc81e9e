// How names are compared: as canonical equivalents, and without regard to case (Unicode, chapter 3.13). What a name is
// beyond ASCII is told by tables of this module's own, so that the front, which has no others, says the same.

extension Identifier {
    /// `text` as names are compared: simple case folding of its Normalization Form C, in that form again.
    package static func foldedName(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= 0x80 }) else { return folded(text) }
        var scalars = composed(text.unicodeScalars.map { $0.value })
        for index in scalars.indices { scalars[index] = caseFolded(scalars[index]) }
        return Self.text(composed(scalars))
    }

    /// `text` in Normalization Form C.
    package static func composedText(_ text: String) -> String {
        Self.text(composed(text.unicodeScalars.map { $0.value }))
    }

    /// `text` as it is searched: without case, marks on letters, and the difference of full and half width.
    package static func searchedText(_ text: String) -> [Unicode.Scalar] {
        var parts: [(scalar: UInt32, rank: UInt8)] = []
        for scalar in text.unicodeScalars { decompose(usualWidth(scalar.value), into: &parts) }
        return parts.compactMap { $0.rank == 0 ? Unicode.Scalar(caseFolded($0.scalar)) : nil }
    }

    private static func text(_ scalars: [UInt32]) -> String {
        var text = String.UnicodeScalarView()
        for value in scalars { text.append(Unicode.Scalar(value) ?? "\u{FFFD}") }
        return String(text)
    }

    /// The character of usual width for one of full width (ASCII) or half width (katakana), of the block U+FF00 to U+FFEF.
    private static func usualWidth(_ scalar: UInt32) -> UInt32 {
        switch scalar {
        case 0x3000: 0x20
        case 0xFF01...0xFF5E: scalar - 0xFEE0
        case 0xFF61...0xFF9F: katakana[Int(scalar - 0xFF61)].value
        default: scalar
        }
    }

    private static let katakana = Array(
        "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u{3099}\u{309A}"
            .unicodeScalars)

    /// Simple case folding of a scalar: C and S of CaseFolding.txt.
    private static func caseFolded(_ scalar: UInt32) -> UInt32 {
        let ranges = CaseFoldings.ranges
        // The last one that begins no later.
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if UInt32(truncatingIfNeeded: ranges[middle] >> 36) <= scalar { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return scalar }
        let range = ranges[low - 1]
        let offset = scalar - UInt32(truncatingIfNeeded: range >> 36)
        let step = UInt32(truncatingIfNeeded: range >> 22 & 1) + 1
        let count = UInt32(truncatingIfNeeded: range >> 23 & 0x1FFF)
        guard offset % step == 0, offset / step < count else { return scalar }
        return UInt32(truncatingIfNeeded: Int64(scalar) + Int64(range & 0x3F_FFFF) - (1 << 21))
    }
}

// Normalization Form C (Unicode Standard Annex 15).
extension Identifier {
    private static func composed(_ scalars: [UInt32]) -> [UInt32] {
        // Nothing below this is composed, or changed.
        guard scalars.contains(where: { $0 >= 0x300 }) else { return scalars }
        var parts: [(scalar: UInt32, rank: UInt8)] = []
        for scalar in scalars { decompose(scalar, into: &parts) }
        order(&parts)
        return compose(parts)
    }

    private static func decompose(_ scalar: UInt32, into parts: inout [(scalar: UInt32, rank: UInt8)]) {
        if scalar < 0xC0 {
            parts.append((scalar, 0))
        } else if let syllable = Hangul(scalar) {
            parts += syllable.parts.map { ($0, 0) }
        } else if let pair = pair(of: scalar) {
            decompose(pair.first, into: &parts)
            if pair.second != 0 { decompose(pair.second, into: &parts) }
        } else {
            parts.append((scalar, rank(of: scalar)))
        }
    }

    /// Puts marks that follow one another in the order of their classes; those of one class stay as they are.
    private static func order(_ parts: inout [(scalar: UInt32, rank: UInt8)]) {
        for end in parts.indices where parts[end].rank > 0 {
            var place = end
            while place > 0, parts[place - 1].rank > parts[place].rank {
                parts.swapAt(place - 1, place)
                place -= 1
            }
        }
    }

    private static func compose(_ parts: [(scalar: UInt32, rank: UInt8)]) -> [UInt32] {
        var composed: [UInt32] = []
        var starter: Int?
        // The class of what stands last behind the starter, and was not joined to it.
        var last: UInt8?
        for part in parts {
            let isBlocked = last.map { $0 >= part.rank } ?? false
            if let starter, !isBlocked, let joined = join(composed[starter], part.scalar) {
                composed[starter] = joined
                continue
            }
            if part.rank == 0 {
                starter = composed.count
                last = nil
            } else {
                last = part.rank
            }
            composed.append(part.scalar)
        }
        return composed
    }

    private static func join(_ first: UInt32, _ second: UInt32) -> UInt32? {
        guard second >= 0x300 else { return nil }
        if let syllable = Hangul.join(first, second) { return syllable }
        // By an index of its own it would be found sooner, and names are short.
        let wanted = UInt64(first) << 21 | UInt64(second)
        let found = Compositions.pairs.first { $0 & 0x8000_03FF_FFFF_FFFF == wanted }
        return found.map { UInt32(truncatingIfNeeded: $0 >> 42 & 0x1F_FFFF) }
    }

    /// What a scalar is composed of, one step down; the second is 0 where it is one other.
    private static func pair(of scalar: UInt32) -> (first: UInt32, second: UInt32)? {
        let pairs = Compositions.pairs
        var (low, high) = (0, pairs.count)
        while low < high {
            let middle = (low + high) / 2
            if pairs[middle] >> 42 & 0x1F_FFFF < UInt64(scalar) { low = middle + 1 } else { high = middle }
        }
        guard low < pairs.count, pairs[low] >> 42 & 0x1F_FFFF == UInt64(scalar) else { return nil }
        let pair = pairs[low]
        return (UInt32(truncatingIfNeeded: pair >> 21 & 0x1F_FFFF), UInt32(truncatingIfNeeded: pair & 0x1F_FFFF))
    }

    /// The combining class of a scalar.
    private static func rank(of scalar: UInt32) -> UInt8 {
        let classes = Compositions.classes
        var (low, high) = (0, classes.count)
        while low < high {
            let middle = (low + high) / 2
            if classes[middle] >> 16 <= UInt64(scalar) { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return 0 }
        let range = classes[low - 1]
        return UInt64(scalar) - range >> 16 < range >> 8 & 0xFF ? UInt8(range & 0xFF) : 0
    }

    /// A syllable of Hangul, whose parts follow from its number.
    private struct Hangul {
        private static let base: UInt32 = 0xAC00
        private static let leads: UInt32 = 0x1100
        private static let vowels: UInt32 = 0x1161
        private static let trails: UInt32 = 0x11A7
        private static let leadCount: UInt32 = 19
        private static let vowelCount: UInt32 = 21
        private static let trailCount: UInt32 = 28

        private let number: UInt32

        init?(_ scalar: UInt32) {
            let count = Self.leadCount * Self.vowelCount * Self.trailCount
            guard scalar >= Self.base, scalar - Self.base < count else { return nil }
            number = scalar - Self.base
        }

        var parts: [UInt32] {
            let pair = number / Self.trailCount
            let trail = number % Self.trailCount
            let parts = [Self.leads + pair / Self.vowelCount, Self.vowels + pair % Self.vowelCount]
            return trail == 0 ? parts : parts + [Self.trails + trail]
        }

        static func join(_ first: UInt32, _ second: UInt32) -> UInt32? {
            if first >= leads, first - leads < leadCount, second >= vowels, second - vowels < vowelCount {
                return base + ((first - leads) * vowelCount + second - vowels) * trailCount
            }
            guard let syllable = Hangul(first), syllable.number % trailCount == 0, second > trails,
                second - trails < trailCount
            else { return nil }
            return first + second - trails
        }
    }
}
