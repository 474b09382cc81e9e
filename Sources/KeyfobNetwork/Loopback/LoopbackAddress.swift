internal import KeyfobModel
internal import NIOHTTP1

/// The redirect address (RFC 8252, section 7.3), and what must be true of a request to be a callback to it.
struct LoopbackAddress: Hashable, Sendable {
    /// The host as in the redirect address.
    let host: String
    let port: Int
    /// Begins with a slash; or empty, as in Microsoft's `http://localhost`, where a browser asks for `/`.
    let path: String

    /// The longest head of a request, in bytes.
    static let headLimit = 16 << 10
    /// The longest body of a request, in bytes.
    static let bodyLimit = 64 << 10

    /// The redirect address.
    var uri: String { "http://\(host):\(port)\(path)" }

    /// Where the fields of a callback are.
    enum Fields: Hashable, Sendable {
        /// In the head's address, behind the question mark.
        case query(String)
        /// In the body, which is a form.
        case body
    }

    /// A request that is no callback.
    struct Refusal: Error, Hashable, Sendable {
        let status: Int
        let reason: String

        static let tooLong = Refusal(status: 431, reason: "The request is too long.")
        static let bodyTooLong = Refusal(status: 413, reason: "The request is too long.")
        static let malformed = Refusal(status: 400, reason: "This is not an answer to a sign-in.")
        static let slow = Refusal(status: 408, reason: "The request took too long.")
    }

    /// Where the fields of a request are.
    func fields(of head: HTTPRequestHead) throws(Refusal) -> Fields {
        let count = head.headers.reduce(head.uri.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        guard count <= Self.headLimit else { throw .tooLong }
        // A page elsewhere can have a name of its own resolved to this machine, but cannot send another Host.
        guard head.headers["Host"].count == 1, let given = head.headers.first(name: "Host"),
            Identifier.folded(given) == "\(host):\(port)" || port == 80 && Identifier.folded(given) == host
        else { throw Refusal(status: 403, reason: "The request is meant for another host.") }
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0] == (path.isEmpty ? "/" : path) else {
            throw Refusal(status: 404, reason: "There is nothing here.")
        }
        switch head.method {
        case .GET:
            guard parts.count == 2, !parts[1].isEmpty else { throw .malformed }
            return .query(String(parts[1]))
        case .POST:
            let type = head.headers.first(name: "Content-Type") ?? ""
            let essence = type.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
            guard Identifier.folded(String(essence)) == "application/x-www-form-urlencoded" else {
                throw Refusal(status: 415, reason: "This is not an answer to a sign-in.")
            }
            if let length = head.headers.first(name: "Content-Length").flatMap({ Int($0) }), length > Self.bodyLimit {
                throw .bodyTooLong
            }
            return .body
        default: throw Refusal(status: 405, reason: "This is not an answer to a sign-in.")
        }
    }
}
