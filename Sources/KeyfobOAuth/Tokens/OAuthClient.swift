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
    }

    /// The client id.
    package let id: String
    /// How it says who it is.
    package let authentication: Authentication
    /// Empty where there is none.
    private let secret: SecretBytes

    /// A public client.
    package init(id: String) {
        self.id = id
        self.authentication = .none
        self.secret = SecretBytes(count: 0) { _ in }
    }

    /// A client with a secret.
    package init(id: String, secret: consuming SecretBytes, authentication: Authentication = .post) {
        self.id = id
        self.authentication = authentication
        self.secret = secret
    }

    /// Another of the same client, for a closure, which can hold only what it owns.
    package borrowing func copy() -> OAuthClient {
        OAuthClient(id: id, secret: secret.withBytes { SecretBytes(copying: $0) }, authentication: authentication)
    }

    /// The same client as a provider wants it to say who it is, where the provider names ways to show a secret and this client's
    /// is none of them.
    package borrowing func adapted(to provider: ProviderMetadata) -> OAuthClient {
        guard authentication != .none, let methods = provider.clientMethods,
            !methods.contains(authentication.rawValue),
            let other = [Authentication.post, .basic].first(where: { methods.contains($0.rawValue) })
        else { return copy() }
        return OAuthClient(id: id, secret: secret.withBytes { SecretBytes(copying: $0) }, authentication: other)
    }

    /// A form that begins with what says who the client is, and the header that does.
    borrowing func request(
        to url: EndpointURL, _ fields: (inout FormBody) -> Void
    ) -> HTTPRequest {
        var form = FormBody()
        if authentication != .basic { form.append("client_id", id) }
        if authentication == .post { form.append("client_secret", secret) }
        fields(&form)
        let header: SecretBytes? = authentication == .basic ? basicHeader() : nil
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
