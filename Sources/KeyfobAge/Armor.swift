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
