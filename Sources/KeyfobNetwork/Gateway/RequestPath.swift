internal import KeyfobModel

/// The path of a request in one form, so that what is judged is what is sent.
///
/// Percent-encoding of letters, digits and `-._~` is undone (RFC 3986, section 6.2.2.2). What servers read in different
/// ways is no path: `.` and `..`, however they are written, empty parts, backslashes and control characters, and what is
/// encoded twice. An encoded slash stays as it is, and within its part.
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

    /// A part in its one form; nil where it may mean another place.
    private static func normalized(_ raw: [UInt8]) -> String? {
        guard let decoded = PercentEncoding.decode(raw), decoded.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != 0x5C })
        else { return nil }
        let pieces = decoded.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for piece in pieces {
            if piece.isEmpty && pieces.count > 1 { return nil }
            // What stands behind a semicolon some servers leave out.
            let name = piece.prefix { $0 != UInt8(ascii: ";") }
            if name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8) { return nil }
        }
        let folded = Identifier.folded(String(decoding: decoded, as: UTF8.self))
        guard !["%2e", "%2f", "%5c", "%00"].contains(where: folded.contains) else { return nil }
        var (text, rest) = ([UInt8](), raw[...])
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), let value = PercentEncoding.decode([byte] + rest.prefix(2))?.first else {
                text.append(byte)
                continue
            }
            rest = rest.dropFirst(2)
            let isPlain = PercentEncoding.isUnreserved(value)
            text += isPlain ? [value] : [byte, PercentEncoding.digit(value >> 4), PercentEncoding.digit(value & 15)]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
