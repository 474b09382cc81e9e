package import KeyfobModel
package import KeyfobSodium

/// A client of a provider, with the secret that some give even to programs that cannot keep one, or a private key.
package struct OAuthClient: ~Copyable, Sendable {
    /// How a client says who it is (OpenID Connect Core, section 9).
    package enum Authentication: String, Hashable, Sendable, CaseIterable {
        /// By its id alone: a public client.
        case none
        /// Its secret in the body.
        case post = "client_secret_post"
        /// Its secret in the `Authorization` header.
        case basic = "client_secret_basic"
        /// What it signs by its private key.
        case signed = "private_key_jwt"
        /// The certificate that it shows where TLS is agreed on (RFC 8705); one that vouches for itself is no other way here.
        case certificate = "tls_client_auth"

        /// The way of a name in a provider's document; nil for one that is not known.
        init?(named name: String) {
            self.init(rawValue: name == "self_signed_tls_client_auth" ? Self.certificate.rawValue : name)
        }

        /// The other way to show a secret; nil where there is none to show.
        fileprivate var other: Authentication? {
            switch self {
            case .none, .signed, .certificate: nil
            case .post: .basic
            case .basic: .post
            }
        }
    }

    /// The name of ``Authentication/signed`` for those who want the token endpoint's address signed.
    private static let signedForEndpoint = "private_key_jwt token_endpoint"

    /// The client id.
    package let id: String
    /// How it says who it is.
    package let authentication: Authentication
    /// Whether the provider has taken this way from this client before.
    private let isProven: Bool
    /// Its secret or its private key, in PEM; empty where there is none.
    private let secret: SecretBytes
    /// What it says by its private key; nil where it has none.
    private var signing: ClientSigning?
    /// What it shows where TLS is agreed on; nil where that is nothing.
    private var identity: ClientIdentity?
    /// Where it asks in place of other addresses, because certificates are taken there (RFC 8705, section 5).
    private var aliases: [EndpointURL: EndpointURL] = [:]
    /// Whether the provider binds tokens to certificates, for all that it says.
    private var bindsTokens = false

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

    /// A client with a private key.
    package init(id: String, key: consuming SecretBytes, signing: ClientSigning, isProven: Bool = false) {
        self.init(id: id, secret: key, authentication: .signed, isProven: isProven)
        self.signing = signing
    }

    /// A client with a certificate.
    package init(id: String, identity: ClientIdentity) {
        self.init(id: id, secret: SecretBytes(count: 0) { _ in }, authentication: .certificate)
        self.identity = identity
    }

    /// The way as it is remembered.
    package var method: String {
        signing?.audience == .tokenEndpoint ? Self.signedForEndpoint : authentication.rawValue
    }

    /// The same client as it says who it is by a way that was remembered; as it is for one that is none of its ways.
    package consuming func proven(by method: String?) -> OAuthClient {
        if var signing, method == Self.signedForEndpoint {
            signing.audience = .tokenEndpoint
            return with(signing, isProven: true)
        }
        guard let known = method.flatMap(Authentication.init(rawValue:)),
            known == authentication || known == authentication.other
        else { return self }
        return showing(by: known, isProven: true)
    }

    /// Another of the same client, for a closure, which can hold only what it owns.
    package borrowing func copy() -> OAuthClient { showing(by: authentication, isProven: isProven) }

    private borrowing func showing(by authentication: Authentication, isProven: Bool = false) -> OAuthClient {
        var client = OAuthClient(
            id: id, secret: secret.withBytes { SecretBytes(copying: $0) }, authentication: authentication,
            isProven: isProven)
        client.signing = signing
        (client.identity, client.aliases, client.bindsTokens) = (identity, aliases, bindsTokens)
        return client
    }

    private borrowing func with(_ signing: ClientSigning, isProven: Bool) -> OAuthClient {
        var client = showing(by: authentication, isProven: isProven)
        client.signing = signing
        return client
    }

    /// The same client as a provider wants it to say who it is, where the provider names ways to show a secret and this client's
    /// is none of them.
    ///
    /// - Parameter signer: What signs for a client with a private key.
    package borrowing func adapted(
        to provider: ProviderMetadata, signer: AssertionSigner = .none
    ) -> OAuthClient {
        if let signing { return with(signing.adapted(to: provider, signer), isProven: isProven) }
        if identity != nil {
            var client = copy()
            (client.aliases, client.bindsTokens) = (provider.aliases, provider.bindsTokensToCertificates)
            return client
        }
        guard !isProven, let other = authentication.other, let methods = provider.clientMethods,
            !methods.contains(authentication.rawValue), methods.contains(other.rawValue)
        else { return copy() }
        return showing(by: other)
    }

    /// The same client with its secret in the other place, or with its signature for the other audience, where the provider did not know
    /// it by the first; nil where the secret is not to be shown there, or something else was wrong.
    package borrowing func alternative(
        after failure: ProviderFailure, at provider: ProviderMetadata
    ) -> OAuthClient? {
        guard failure.isOfClient else { return nil }
        if let signing { return signing.otherAudience.map { with($0, isProven: isProven) } }
        guard let other = authentication.other,
            provider.clientMethods?.contains(other.rawValue) ?? true
        else { return nil }
        return showing(by: other)
    }

    /// The same client by the clock of a server that did not know it; nil where that changes nothing.
    package borrowing func following(_ clock: Timestamp?) -> OAuthClient? {
        guard let clock, let signing = signing?.following(clock) else { return nil }
        return with(signing, isProven: isProven)
    }

    /// Whether it has a private key by which nothing can be signed for a request to `url` on this machine.
    package borrowing func lacksSignature(for url: EndpointURL) -> Bool {
        guard let signing else { return false }
        return signing.assertion(of: id, by: secret, to: url) == nil
    }

    /// Lends the secret that its provider knows too; nil where it has none.
    package borrowing func withSharedSecret<Result>(_ body: (borrowing SecretBytes) -> Result) -> Result? {
        switch authentication {
        case .none, .signed, .certificate: nil
        case .post, .basic: body(secret)
        }
    }

    /// The certificate that an answer's access token is bound to (RFC 8705, section 3), for all that it and the provider say; nil where it is of
    /// use by itself.
    ///
    /// - Parameter wereBound: Whether the sign-in has had such tokens: one that cannot be read is taken for one, whatever the
    ///   provider says by now.
    package borrowing func identity(
        ofTokens tokens: borrowing TokenResponse, wereBound: Bool = false
    ) -> ClientIdentity? {
        guard let identity, !tokens.details.isBound,
            ClientIdentity.isNamed(in: tokens.accessToken) ?? (bindsTokens || wereBound)
        else { return nil }
        return identity
    }

    /// Whether its requests name it by a field of the body.
    var isNamedInBody: Bool {
        switch authentication {
        case .none, .post, .signed, .certificate: true
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
        case .none, .certificate: form.append("client_id", id)
        case .post:
            form.append("client_id", id)
            form.append("client_secret", secret)
        case .basic: header = basicHeader()
        case .signed:
            form.append("client_id", id)
            if let assertion = signing?.assertion(of: id, by: secret, to: url) {
                form.append("client_assertion_type", Self.assertionType)
                form.append("client_assertion", assertion)
            }
        }
        fields(&form)
        return HTTPRequest(posting: form, to: aliases[url] ?? url, authorization: header).showing(identity)
    }

    private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

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
