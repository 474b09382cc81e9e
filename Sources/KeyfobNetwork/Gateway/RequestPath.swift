internal import KeyfobModel

/// The path of a request in one form, so that what is judged is what is sent.
///
/// Percent-encoding of letters, digits and `-._~` is undone (RFC 3986, section 6.2.2.2). What servers read in different
/// ways is no path: `.` and `..`, however they are written, empty parts, backslashes and control characters, what is
/// encoded twice, and what is no UTF-8. An encoded slash stays as it is, and within its part.
struct RequestPath: Hashable, Sendable {
    /// The parts between slashes, encoded; the last one is empty where a slash is at the end.
    let parts: [String]

    /// The path, beginning with a slash.
    var text: String { "/" + parts.joined(separator: "/") }

    /// The path that `text` is, empty or beginning with a slash; nil for one that servers read in different ways.
    init?(_ text: some StringProtocol) {
        guard !text.isEmpty else {
            parts = [""]
            return
        }
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        let raw = text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var parts: [String] = []
        for (index, part) in raw.enumerated() {
            guard !part.isEmpty || index == raw.count - 1, let part = Self.normalized(Array(part)) else { return nil }
            parts.append(part)
        }
        self.parts = parts
    }

    /// What is made a slash where letters of other widths are made those of ASCII, and what some file systems take for one.
    private static let slashes: Set<Unicode.Scalar> = ["/", "\u{FF0F}", "\u{FF3C}", "\u{2215}", "\u{2044}"]
    /// What is made dots there: one, two or three each.
    private static let dots: Set<Unicode.Scalar> = [
        ".", "\u{FF0E}", "\u{FE52}", "\u{2024}", "\u{2025}", "\u{2026}", "\u{FE19}", "\u{3002}", "\u{FF61}",
    ]

    /// A part in its one form; nil where it may mean another place.
    private static func normalized(_ raw: [UInt8]) -> String? {
        guard let decoded = PercentEncoding.decode(raw), decoded.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != 0x5C })
        else { return nil }
        // Some servers take longer forms of a dot or a slash, which are no UTF-8, for these.
        guard let text = String(validating: decoded, as: UTF8.self) else { return nil }
        let pieces = text.unicodeScalars.split(omittingEmptySubsequences: false) { Self.slashes.contains($0) }
        for piece in pieces {
            if piece.isEmpty && pieces.count > 1 { return nil }
            // What stands behind a semicolon some servers leave out, and some what cannot be seen.
            let name = piece.prefix { $0 != ";" }.filter {
                !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint
            }
            if !name.isEmpty, name.allSatisfy(Self.dots.contains) { return nil }
        }
        let folded = Identifier.folded(text)
        guard !["%2e", "%2f", "%5c", "%00", "%c0", "%c1"].contains(where: folded.contains) else { return nil }
        var (encoded, rest) = ([UInt8](), raw[...])
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), let value = PercentEncoding.decode([byte] + rest.prefix(2))?.first else {
                encoded.append(byte)
                continue
            }
            rest = rest.dropFirst(2)
            let isPlain = PercentEncoding.isUnreserved(value)
            encoded += isPlain ? [value] : [byte, PercentEncoding.digit(value >> 4), PercentEncoding.digit(value & 15)]
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
