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
