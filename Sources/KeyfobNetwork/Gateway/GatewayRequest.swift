internal import KeyfobModel
internal import KeyfobOAuth

/// A program's request, as far as it can be passed on.
struct GatewayRequest {
    let question: GatewayQuestion
    /// Where it goes, with the query.
    let address: String
    let url: EndpointURL
    /// The headers that go along.
    let headers: [HTTPHeader]
    /// How its body ends.
    let framing: GatewayBody.Framing
    /// Whether the program asks for nothing more on this connection (RFC 9112, section 9.6).
    let isLast: Bool
    /// Whether the program sends the body only when it is told to go on.
    let awaitsGoAhead: Bool

    /// Whether asking twice does no harm (RFC 9110, section 9.2.1), and everything is there to do so.
    var canBeRepeated: Bool {
        framing == .none && ["GET", "HEAD", "OPTIONS"].contains(question.method)
    }

    /// Methods that tell what was sent.
    private static let forbiddenMethods: Set<String> = ["TRACE", "TRACK"]
    /// Those whose requests say how long their body is, also where there is none.
    private static let bodyMethods: Set<String> = ["POST", "PUT", "PATCH"]

    /// The request in `head`, whose bytes it was read from are `bytes`.
    init(_ head: LoopbackRequest, query: String?, to gateway: GatewayAddress) throws(GatewayRefusal) {
        guard head.method.uppercased() != "CONNECT" else { throw .proxy(status: 501, "CONNECT") }
        guard !Self.forbiddenMethods.contains(head.method.uppercased()) else {
            throw GatewayRefusal(status: 501, reason: "\(head.method) is not passed on")
        }
        guard head.isCurrent else { throw GatewayRefusal(status: 505, reason: "requests are made in HTTP/1.1") }
        guard head.path.hasPrefix("/") else { throw .proxy(status: 400, head.method) }
        // A page can have a name of its own resolved to this machine, but cannot send another Host.
        guard head.values("host") == [gateway.authority] else { throw .otherHost }
        guard head.values("origin").isEmpty, head.values("sec-fetch-site").allSatisfy({ $0 == "none" }) else {
            throw .page
        }
        // Java's and some other clients offer HTTP/2 with each request, which may be passed over (RFC 9110, section 7.8).
        let upgrades = head.values("upgrade")
        guard upgrades.allSatisfy({ Identifier.folded($0) == "h2c" }) else {
            throw GatewayRefusal(status: 501, reason: "no other protocol is switched to (Upgrade)")
        }
        let place = try gateway.place(of: head.path)
        guard !head.headers.contains(where: { GatewayHeaders.isDetour($0.name) }) else { throw .otherMethod }
        guard query?.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x23 }) ?? true else { throw .malformed }
        let framing = try Self.framing(of: head)
        url = place.url
        address = place.url.text + (query.map { "?" + $0 } ?? "")
        headers = GatewayHeaders.forService(head.headers)
        question = GatewayQuestion(
            method: head.method, host: place.host, path: place.path,
            specialHeaders: GatewayHeaders.special(among: headers))
        let isEmpty = framing == .none || framing == .length(0)
        // libcurl sends HEAD without a body alone.
        guard isEmpty || head.method != "HEAD" else { throw .malformed }
        self.framing = isEmpty ? Self.bodyMethods.contains(head.method) ? .length(0) : .none : framing
        let expectations = head.values("expect").map { Identifier.folded($0) }
        guard expectations.allSatisfy({ $0 == "100-continue" }) else {
            throw GatewayRefusal(status: 417, reason: "what the request expects is not known")
        }
        awaitsGoAhead = !expectations.isEmpty
        isLast = GatewayHeaders.named(head.headers).contains("close")
    }

    /// How the body ends, where the request says so in one way (RFC 9112, section 6.3).
    private static func framing(of head: LoopbackRequest) throws(GatewayRefusal) -> GatewayBody.Framing {
        let (codings, lengths) = (head.values("transfer-encoding"), head.values("content-length"))
        if !codings.isEmpty {
            guard lengths.isEmpty, codings.map({ Identifier.folded($0) }) == ["chunked"] else { throw .malformed }
            return .chunked
        }
        guard let length = lengths.first else { return .none }
        guard lengths.count == 1, (1...18).contains(length.utf8.count),
            length.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(length)
        else { throw .malformed }
        return .length(count)
    }
}
