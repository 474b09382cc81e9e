package import KeyfobModel

/// A host to which a token may go: what the choice of its account has found, and nobody else can say.
public struct TokenDestination: Hashable, Sendable {
    /// The host, with `:port` where the port is not the scheme's own.
    public let host: String

    /// The destination of a request whose account was chosen by the rule; nil where it names no URL.
    package init?(of request: TokenRequest) {
        guard let url = request.context.url else { return nil }
        host = url.host
    }
}
