internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium

/// The head of an answer, line by line as libcurl gives it, and read more strictly than it does (RFC 9112).
struct AnswerHead {
    private(set) var status = 0
    private(set) var headers: [HTTPHeader] = []
    /// How long the body is to be.
    private(set) var announcedCount: Int?
    private var isComplete = false
    private var count = 0

    /// The most bytes of all heads of an answer, in between and at the end.
    static let limit = 128 << 10

    /// Whether it is all there, and not one of those that announce another.
    var isFinal: Bool { isComplete && status >= 200 }

    /// Takes a line with its end; false where that cannot be.
    mutating func take(_ line: RawSpan) -> Bool {
        count += line.byteCount
        guard count <= Self.limit else { return false }
        // Behind the body there can be headers again, which nobody asked for.
        guard !isFinal else { return true }
        var text = String(decoding: [UInt8](line), as: UTF8.self)
        while text.utf8.last == 0x0A || text.utf8.last == 0x0D { text.unicodeScalars.removeLast() }
        guard HTTPHeader.isValue(text) else { return false }
        if status == 0 || isComplete { return begin(text) }
        if text.isEmpty {
            isComplete = true
            return true
        }
        return add(text)
    }

    /// `HTTP/1.1 200 OK`.
    private mutating func begin(_ line: String) -> Bool {
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0] == "HTTP/1.1" || parts[0] == "HTTP/1.0", parts[1].utf8.count == 3,
            let status = UInt(parts[1]), (100...999).contains(status), status != 101
        else { return false }
        self.status = Int(status)
        (headers, announcedCount, isComplete) = ([], nil, false)
        return true
    }

    private mutating func add(_ line: String) -> Bool {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, HTTPHeader.isName(parts[0]) else { return false }
        let header = HTTPHeader(name: String(parts[0]), value: HTTPHeader.trimmed(parts[1]))
        headers.append(header)
        guard Identifier.folded(header.name) == "content-length" else { return true }
        guard header.value.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(header.value),
            announcedCount == nil || announcedCount == count
        else { return false }
        announcedCount = count
        return true
    }
}
