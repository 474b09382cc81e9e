/// What holds for every identifier that comes from outside.
public enum Identifier {
    /// The longest identifier accepted, in bytes of UTF-8.
    public static let maximumCount = 1_024

    /// Whether `text` is not blank, not too long, and free of control characters.
    public static func isAcceptable(_ text: String) -> Bool {
        var (isBlank, isASCII) = (true, true)
        var count = 0
        for byte in text.utf8 {
            if byte < 0x20 || byte == 0x7F { return false }
            if byte != 0x20 { isBlank = false }
            if byte >= 0x80 { isASCII = false }
            count += 1
        }
        guard !isBlank, count <= maximumCount else { return false }
        return isASCII || !text.unicodeScalars.contains(where: isInvisibleControl)
    }

    /// `text` with ASCII capitals made small; the other characters stay.
    public static func folded(_ text: String) -> String {
        guard text.utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return text }
        return String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// What a terminal would obey, or what reorders, hides or breaks a line.
    package static func isObeyedByTerminals(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || scalar.value == 0x7F || isInvisibleControl(scalar)
    }

    /// C1 controls, and what reorders or hides text on a terminal: marks of direction, joiners, fillers, annotations, tags.
    package static func isInvisibleControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x80...0x9F, 0xAD, 0x061C, 0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2069, 0xFEFF,
            0xFFF9...0xFFFB, 0xE0000...0xE007F:
            true
        default: false
        }
    }
}
