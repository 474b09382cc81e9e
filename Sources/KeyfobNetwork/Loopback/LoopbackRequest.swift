internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium

/// The head of a request, read no more freely than programs write it (RFC 9112).
struct LoopbackRequest {
    let method: String
    /// The path in the request line, as it stands there.
    let path: String
    /// Where the query lies in what was read; its text may be a secret.
    let query: Range<Int>?
    /// How many bytes the head has.
    let count: Int
    /// Whether it is of HTTP/1.1.
    let isCurrent: Bool
    let headers: [HTTPHeader]

    /// Why a request is answered without anybody being asked.
    struct Refusal: Error, Hashable, Sendable {
        let status: Int
        let reason: String

        static let tooLong = Refusal(status: 431, reason: "The request is too long.")
        static let bodyTooLong = Refusal(status: 413, reason: "The request is too long.")
        static let malformed = Refusal(status: 400, reason: "This is not an answer to a sign-in.")
        static let slow = Refusal(status: 408, reason: "The request took too long.")
        static let withoutLength = Refusal(status: 411, reason: "The request does not say how long it is.")
    }

    /// The longest head, in bytes.
    static let limit = 16 << 10

    /// Reads the head that `bytes` begin with; nil where its end is still to come.
    ///
    /// - Parameter start: How many bytes were looked at before, without an end among them.
    init?(reading bytes: RawSpan, from start: Int) throws(Refusal) {
        var lines: [Range<Int>] = []
        let end = try Self.end(in: bytes, from: start)
        guard end ?? bytes.byteCount <= Self.limit else { throw .tooLong }
        guard let end else { return nil }
        var lineStart = 0
        for index in 0..<end - 2 where bytes.byte(at: index) == 0x0A {
            lines.append(lineStart..<index - 1)
            lineStart = index + 1
        }
        guard let first = lines.first else { throw .malformed }
        let spaces = first.filter { bytes.byte(at: $0) == 0x20 }
        guard spaces.count == 2 else { throw .malformed }
        let version = Self.text(bytes, spaces[1] + 1..<first.upperBound)
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else { throw .malformed }
        isCurrent = version == "HTTP/1.1"
        method = Self.text(bytes, first.lowerBound..<spaces[0])
        let mark = (spaces[0] + 1..<spaces[1]).first { bytes.byte(at: $0) == UInt8(ascii: "?") }
        path = Self.text(bytes, spaces[0] + 1..<(mark ?? spaces[1]))
        query = mark.map { $0 + 1..<spaces[1] }
        headers = try lines.dropFirst().map { line throws(Refusal) in
            let parts = Self.text(bytes, line).split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, HTTPHeader.isName(parts[0]) else { throw .malformed }
            return HTTPHeader(name: String(parts[0]), value: HTTPHeader.trimmed(parts[1]))
        }
        guard HTTPHeader.isName(method), !path.isEmpty else { throw .malformed }
        count = end
    }

    /// The values of a header.
    func values(_ name: String) -> [String] {
        headers.filter { Identifier.folded($0.name) == name }.map(\.value)
    }

    /// Where the head ends, behind its empty line.
    ///
    /// Lines end as they should, and hold no other control characters.
    private static func end(in bytes: RawSpan, from start: Int) throws(Refusal) -> Int? {
        for index in start..<bytes.byteCount {
            let (byte, before) = (bytes.byte(at: index), index > 0 ? bytes.byte(at: index - 1) : 0)
            guard before != 0x0D || byte == 0x0A else { throw .malformed }
            if byte >= 0x20 && byte != 0x7F || byte == 0x09 || byte == 0x0D { continue }
            guard byte == 0x0A, before == 0x0D else { throw .malformed }
            if index >= 3, bytes.byte(at: index - 2) == 0x0A { return index + 1 }
        }
        return nil
    }

    private static func text(_ bytes: RawSpan, _ range: Range<Int>) -> String {
        String(decoding: [UInt8](bytes.extracting(range)), as: UTF8.self)
    }
}
