internal import KeyfobModel

/// The redirect address (RFC 8252, section 7.3), and what must be true of a request to be a callback to it.
struct LoopbackAddress: Hashable, Sendable {
    /// The host as in the redirect address.
    let host: String
    let port: Int
    /// Begins with a slash; or empty, as in Microsoft's `http://localhost`, where a browser asks for `/`.
    let path: String

    /// The longest body of a request, in bytes.
    static let bodyLimit = 64 << 10

    /// The redirect address.
    var uri: String { "http://\(host):\(port)\(path)" }

    /// Where the fields of a callback lie in what was read: in its query, or in a body that may still have to come.
    func fields(of request: LoopbackRequest) throws(LoopbackRequest.Refusal) -> Range<Int> {
        // A page elsewhere can have a name of its own resolved to this machine, but cannot send another Host.
        let hosts = request.values("host").map { Identifier.folded($0) }
        guard hosts == ["\(host):\(port)"] || port == 80 && hosts == [host] else {
            throw .init(status: 403, reason: "The request is meant for another host.")
        }
        guard request.path == (path.isEmpty ? "/" : path) else {
            throw .init(status: 404, reason: "There is nothing here.")
        }
        guard request.method == "GET" || request.method == "POST" else {
            throw .init(status: 405, reason: LoopbackRequest.Refusal.malformed.reason)
        }
        if request.method == "GET" {
            guard try Self.bodyCount(of: request) ?? 0 == 0 else { throw .bodyTooLong }
            guard let query = request.query, !query.isEmpty else { throw .malformed }
            return query
        }
        let essence = request.values("content-type").first.map { $0.prefix { $0 != ";" && $0 != " " && $0 != "\t" } }
        guard let essence, Identifier.folded(String(essence)) == "application/x-www-form-urlencoded" else {
            throw .init(status: 415, reason: LoopbackRequest.Refusal.malformed.reason)
        }
        guard let count = try Self.bodyCount(of: request) else { throw .withoutLength }
        return request.count..<request.count + count
    }

    /// How long the body is, where the request says so in the one way that is understood.
    private static func bodyCount(of request: LoopbackRequest) throws(LoopbackRequest.Refusal) -> Int? {
        guard request.values("transfer-encoding").isEmpty else { throw .withoutLength }
        let lengths = request.values("content-length")
        guard let length = lengths.first else { return nil }
        guard lengths.count == 1, !length.isEmpty, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .malformed
        }
        guard let count = Int(length), count <= bodyLimit else { throw .bodyTooLong }
        return count
    }
}
