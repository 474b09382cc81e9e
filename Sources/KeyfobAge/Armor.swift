/// The lines of an ASCII armor (C2SP age, "ASCII armor"; RFC 7468, section 3).
enum Armor {
    static let openingLine = Array("-----BEGIN AGE ENCRYPTED FILE-----".utf8)
    static let closingLine = Array("-----END AGE ENCRYPTED FILE-----".utf8)
    /// The columns of a full line, and the bytes that it stands for.
    static let columns = 64
    static let bytesPerLine = 48
    /// How much whitespace around the armor is tolerated, in bytes; the reference implementation's figure.
    static let whitespaceLimit = 1_024

    static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
    }
}

/// Why an ASCII armor was refused (C2SP age, "ASCII armor"; RFC 7468, section 3).
package enum ArmorFlaw: Equatable, Sendable {
    /// The first line that is not blank is not exactly the opening line.
    case openingLine
    /// More than 1,024 bytes of whitespace stand before the opening line.
    case leadingWhitespace
    /// A line is longer than 64 columns.
    case longLine
    /// There is an empty line between the opening and the closing line.
    case emptyLine
    /// A line is not canonical base64 with padding.
    case base64
    /// A line shorter than 64 columns is followed by something else than the closing line.
    case closingLine
    /// The file ends before the closing line.
    case truncated
    /// Something else than less than 1,024 bytes of whitespace follows the closing line.
    case trailingData
}
