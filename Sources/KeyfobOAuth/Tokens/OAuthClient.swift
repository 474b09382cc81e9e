package import KeyfobSodium

/// A client of a provider, with the secret that some give even to programs that cannot keep one.
package struct OAuthClient: ~Copyable, Sendable {
    /// How a client says who it is (OpenID Connect Core, section 9).
    package enum Authentication: String, Hashable, Sendable, CaseIterable {
        /// By its id alone: a public client.
        case none
        /// Its secret in the body.
        case post = "client_secret_post"
        /// Its secret in the `Authorization` header.
        case basic = "client_secret_basic"

        /// The other way to show a secret; nil where there is none to show.
        fileprivate var other: Authentication? {
            switch self {
            case .none: nil
            case .post: .basic
            case .basic: .post
            }
        }
    }

    /// The client id.
    package let id: String
    /// How it says who it is.
    package let authentication: Authentication
    /// Whether the provider has taken this way from this client before.
    private let isProven: Bool
    /// Empty where there is none.
    private let secret: SecretBytes

    /// A public client.
    package init(id: String) {
        self.id = id
        self.authentication = .none
        self.isProven = false
        self.secret = SecretBytes(count: 0) { _ in }
    }

    /// A client with a secret.
    ///
    /// - Parameter isProven: Whether the provider has taken this way from it before, whatever its metadata says.
    package init(
        id: String, secret: consuming SecretBytes, authentication: Authentication = .post, isProven: Bool = false
    ) {
        self.id = id
        self.authentication = authentication
        self.isProven = isProven
        self.secret = secret
    }

    /// Another of the same client, for a closure, which can hold only what it owns.
    package borrowing func copy() -> OAuthClient { showing(by: authentication, isProven: isProven) }

    private borrowing func showing(by authentication: Authentication, isProven: Bool = false) -> OAuthClient {
        OAuthClient(
            id: id, secret: secret.withBytes { SecretBytes(copying: $0) }, authentication: authentication,
            isProven: isProven)
    }

    /// The same client as a provider wants it to say who it is, where the provider names ways to show a secret and this client's
    /// is none of them.
    package borrowing func adapted(to provider: ProviderMetadata) -> OAuthClient {
        guard !isProven, let other = authentication.other, let methods = provider.clientMethods,
            !methods.contains(authentication.rawValue), methods.contains(other.rawValue)
        else { return copy() }
        return showing(by: other)
    }

    /// The same client with its secret in the other place, where the provider did not know it by the first; nil where the secret
    /// is not to be shown there, or something else was wrong.
    package borrowing func alternative(
        after failure: ProviderFailure, at provider: ProviderMetadata
    ) -> OAuthClient? {
        guard failure.isOfClient, let other = authentication.other,
            provider.clientMethods?.contains(other.rawValue) ?? true
        else { return nil }
        return showing(by: other)
    }

    /// Whether its requests name it by a field of the body.
    var isNamedInBody: Bool {
        switch authentication {
        case .none, .post: true
        case .basic: false
        }
    }

    /// A form that begins with what says who the client is, and the header that does.
    borrowing func request(
        to url: EndpointURL, _ fields: (inout FormBody) -> Void
    ) -> HTTPRequest {
        var form = FormBody()
        var header: SecretBytes?
        switch authentication {
        case .none: form.append("client_id", id)
        case .post:
            form.append("client_id", id)
            form.append("client_secret", secret)
        case .basic: header = basicHeader()
        }
        fields(&form)
        return HTTPRequest(posting: form, to: url, authorization: header)
    }

    /// Id and secret, each form-encoded first (RFC 6749, section 2.3.1).
    private borrowing func basicHeader() -> SecretBytes {
        let encodedID = Array(id.utf8).withBytes { FormBody.encode($0) }
        let encodedSecret = secret.withBytes { FormBody.encode($0) }
        var pair = SecretBuffer(capacity: encodedID.count + 1 + encodedSecret.count)
        encodedID.withBytes { pair.append($0) }
        [UInt8(ascii: ":")].withBytes { pair.append($0) }
        encodedSecret.withBytes { pair.append($0) }
        let joined = pair.withBytes { SecretBytes(copying: $0, placement: .recycled) }
        return joined.withBytes { Base64.standard.encodeSecret($0, from: Array("Basic ".utf8)) }
    }
}
