package import KeyfobOAuth
package import KeyfobSodium

/// A request to a service that an access token opens.
public struct APIRequest: Sendable {
    /// What to do.
    public enum Method: String, Hashable, Sendable, CaseIterable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"

        /// Whether asking twice does no harm (RFC 9110, section 9.2.1).
        public var isSafe: Bool { self == .get || self == .head }
    }

    /// What to do.
    public var method: Method
    /// The address: https, or http on this machine.
    public var url: String
    /// Headers, of which `Authorization` is never one.
    public var headers: [(name: String, value: String)]
    /// The body.
    public var body: [UInt8]?

    /// A request.
    public init(
        _ method: Method = .get, _ url: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// The longest answer that is taken, in bytes.
    public static let answerLimit = 64 << 20
}

/// The answer to an ``APIRequest``.
public struct APIResponse: ~Copyable, Sendable {
    /// The status code.
    public let status: Int
    /// The type of the body.
    public let contentType: String?
    /// Where a redirection leads, which was not followed.
    public let location: String?
    /// Why it has refused the token.
    package let challenge: ResourceChallenge
    /// The body, which may hold what nobody else should read.
    public let body: SecretBytes

    /// The claims that the service wants a token to be asked for with, JSON, where it has refused this one for lack of them
    /// (`insufficient_claims`); for ``SilentOptions/claims``.
    public var claims: String? { challenge.claims }

    /// The body, when nothing else is wanted any more.
    public consuming func takeBody() -> SecretBytes { body }
}

extension Keyring.Tokens {
    /// Sends a request with an access token, once; redirections are not followed, because they may lead the token
    /// somewhere else.
    ///
    /// - Parameters:
    ///   - answer: The token, asked for with the request's address as the URL of its context: it goes to that host
    ///     alone.
    ///   - seconds: How long to wait for the whole answer.
    /// - Throws: `hostNotAllowed` where the token was asked for another host, or for none; `usage` for an address or
    ///   a header that cannot be, `offline`, `limitExceeded`.
    public static func send(
        _ request: APIRequest, with answer: borrowing Keyring.TokenAnswer, seconds: Int64 = 60, network: Network
    ) async throws(KeyringError) -> APIResponse {
        let url = try destination(request.url, of: answer)
        guard request.headers.allSatisfy({ isHeader($0) }) else {
            throw KeyringError(
                .usage,
                "a header has a character that none may have, or a name that is set here (Authorization, Host, …)")
        }
        guard let method = HTTPRequest.Method(rawValue: request.method.rawValue) else {
            throw KeyringError(.fault, "a method is missing")
        }
        let usable = try usable(answer)
        let (token, key, identity) = (usable.token, usable.key, usable.identity)
        guard identity == nil || url.isSecure else {
            throw KeyringError(
                .usage, "the token is bound to a certificate, which goes over https alone", advice: .useHTTPS)
        }
        let headers = request.headers.map { HTTPHeader(name: $0.name, value: $0.value) }
        let hash = key.map { _ in Proof.hash(of: token.secret) }
        let exchange = await network.send(provingBy: key, tokenHash: hash, seconds: seconds, .system) {
            let body: SecretBytes?
            if let bytes = request.body { body = bytes.withBytes { SecretBytes(copying: $0) } } else { body = nil }
            return HTTPRequest(
                method, url, headers: headers, body: body, bearer: token.secret, isBound: key != nil,
                answerLimit: APIRequest.answerLimit
            ).showing(identity)
        }
        let response = try Self.response(exchange, of: url, limit: APIRequest.answerLimit)
        let (status, type) = (response.status, response.header("Content-Type"))
        let location = (300...399).contains(status) ? response.header("Location") : nil
        let challenge = ResourceChallenge([401, 403].contains(status) ? response.headers : [])
        return APIResponse(
            status: status, contentType: type, location: location, challenge: challenge, body: response.takeBody())
    }

    /// A token as a header has it, and what it is bound to.
    struct UsableToken {
        let token: HeldToken
        /// The key whose proofs go along.
        let key: ProofKey?
        /// The certificate that is shown.
        let identity: ClientIdentity?
    }

    /// The token of an answer as a header has it, and what it is bound to.
    ///
    /// - Throws: `damaged` for one that cannot be sent.
    static func usable(
        _ answer: borrowing Keyring.TokenAnswer
    ) throws(KeyringError) -> UsableToken {
        var token = HeldToken(answer.secret.withBytes { SecretBytes(copying: $0) })
        var (key, identity): (ProofKey?, ClientIdentity?)
        let credential = answer.found.credential
        if credential.isCertified {
            (token, identity) = token.uncertified()
        } else if credential.isBound {
            (token, key) = token.unbound()
        }
        guard !credential.isBound || key != nil || identity != nil else {
            throw KeyringError(
                .damaged, "the key that the token of \(answer.found.account.name) is bound to is missing")
        }
        guard token.secret.isHeaderValue else {
            throw KeyringError(.damaged, "the token holds characters that no header can have")
        }
        return UsableToken(token: token, key: key, identity: identity)
    }

    /// Lends the token of an answer as a header has it, and says whether a proof of its key has to go along.
    ///
    /// - Throws: `damaged`; `proofNeeded` for one that is bound to a certificate.
    package static func withoutKey(
        _ answer: borrowing Keyring.TokenAnswer, _ body: (borrowing SecretBytes, Bool) throws(KeyringError) -> Void
    ) throws(KeyringError) {
        let usable = try usable(answer)
        guard usable.identity == nil else { throw .proofNeeded(answer.found.account, answer.found.credential) }
        try body(usable.token.secret, usable.key != nil)
    }

    /// The address to which a token was asked for to be sent.
    static func destination(
        _ text: String, of answer: borrowing Keyring.TokenAnswer
    ) throws(KeyringError) -> EndpointURL {
        let url: EndpointURL
        do {
            url = try EndpointURL(text)
        } catch {
            throw KeyringError(.usage, "\(error)")
        }
        guard answer.found.destination?.host == url.environment else {
            throw KeyringError(
                .hostNotAllowed, "the token was not asked for to be sent to \(url.environment)",
                advice: .nameDestination)
        }
        // What one host has at another address may be somebody else's.
        if let resource = ResourceURL(environment: answer.found.account.id.environment),
            (try? ResourceURL(parsing: text))?.isWithin(resource) != true
        {
            throw KeyringError(.hostNotAllowed, "the token is for \(resource) alone", advice: .nameDestination)
        }
        return url
    }

    /// What a service answers, whatever that is.
    static func answer(
        to message: consuming HTTPRequest, _ url: EndpointURL, seconds: Int64, network: Network
    ) async throws(KeyringError) -> HTTPResponse {
        let limit = message.answerLimit
        return try response(await network.send(message, seconds), of: url, limit: limit)
    }

    private static func response(
        _ exchange: consuming HTTPExchange, of url: EndpointURL, limit: Int
    ) throws(KeyringError) -> HTTPResponse {
        switch consume exchange {
        case .answered(let response): return response
        case .failed(.protocolViolation(.tooLarge, _)):
            throw KeyringError(.limitExceeded, "the answer of \(url.authority) is longer than \(limit >> 20) MiB")
        case .failed(.untrustedCertificate(let flaw)):
            let advice = ProviderFailure.untrustedCertificate(flaw).lack?.advice
            throw KeyringError(
                .untrustedCertificate, "the certificate of \(url.authority) \(flaw)",
                advice: flaw == .untrusted ? .trustCertificate(isProviders: false) : advice)
        case .failed(.noHTTPLibrary):
            throw KeyringError(.unavailable, "libcurl (7.87 or later) is not installed", advice: .installLibcurl)
        case .failed(.noThread):
            throw KeyringError(.unavailable, "the system gives this process no further thread ('ulimit -u', '-v')")
        case .failed(.unreachable(let reason)):
            throw KeyringError(
                .offline, "\(url.authority) cannot be reached: \(reason)", advice: .checkProxy(triesAgain: true))
        case .failed:
            throw KeyringError(
                .offline, "\(url.authority) gave no whole answer", advice: .checkProxy(triesAgain: false))
        }
    }

    /// Whether a header may be sent, and is none of those that are set here.
    private static func isHeader(_ header: (name: String, value: String)) -> Bool {
        let forbidden = ["authorization", "host", "content-length", "transfer-encoding", "connection", "dpop"]
        return HTTPHeader.isName(header.name) && HTTPHeader.isValue(header.value)
            && !forbidden.contains(Identifier.folded(header.name))
    }
}

extension EndpointURL {
    /// Host and port, as they are written.
    var authority: String { host + (port.map { ":\($0)" } ?? "") }
}
