package import KeyfobSodium

/// What reaches providers: it sends requests, and checks signatures with a provider's keys.
///
/// The module KeyfobNetwork makes one that works over HTTP. A program that only reads what is stored needs none and
/// need not link one.
public struct Network: Sendable {
    /// Sends a request once, without following redirections, and waits for the answer at most so many seconds.
    package let send: @Sendable (consuming HTTPRequest, _ seconds: Int64) async -> HTTPExchange
    /// What is wrong with the signature of an ID token by the keys of a JWKS document (RFC 7517); nil where it is good.
    package let flaw: @Sendable (_ token: borrowing SecretBytes, _ keys: borrowing SecretBytes) async -> IDTokenFlaw?

    /// A network of these two functions.
    package init(
        send: @escaping @Sendable (consuming HTTPRequest, _ seconds: Int64) async -> HTTPExchange,
        flaw: @escaping @Sendable (_ token: borrowing SecretBytes, _ keys: borrowing SecretBytes) async -> IDTokenFlaw?
    ) {
        self.send = send
        self.flaw = flaw
    }
}

/// What became of a request.
package enum HTTPExchange: ~Copyable, Sendable {
    /// An answer came, whatever its status.
    case answered(HTTPResponse)
    /// None came: `unreachable`, `untrustedCertificate` or `noHTTPLibrary` where nothing was sent, `outcomeUnknown` where
    /// it may have been, `protocolViolation` for one
    /// longer than ``HTTPResponse/bodyLimit``.
    case failed(ProviderFailure)
}
