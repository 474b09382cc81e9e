internal import KeyfobModel
internal import KeyfobOAuth

/// A client, as a provider knows it: what it was given when it was registered there, but for its secret.
public struct ClientRegistration: Hashable, Sendable {
    /// The longest client id, in bytes.
    public static let idLimit = 512
    /// The most addresses, and the most scopes.
    public static let listLimit = 64

    /// The client id.
    public var id: String
    /// Its name for people.
    public var name: String?
    /// The addresses to which its provider answers, on this machine, or with a scheme of the client's own (RFC 8252, section 7.1);
    /// none for `http://localhost` with any port.
    public var redirectURIs: [String]
    /// The scopes to ask for where nobody names any; none for those of the provider.
    public var scopes: ScopeSet
    /// How it says who it is.
    public var authentication: Authentication
    /// By what name its provider knows its private key (`kid`); nil for none, or that of a key that is given as a JWK.
    public var keyID: String?
    /// By which algorithm of JWS it signs; nil for one that the provider takes, or that of a JWK.
    public var keyAlgorithm: String?
    /// What its private key is of: `RSA`, `P-256`, `P-384`, `P-521` or `Ed25519`; nil where it has none.
    public internal(set) var keyType: String?
    /// The SHA-256 of its certificate, in base64url; nil where none came with its key.
    public internal(set) var certificateDigest: String?
    /// The issuer of the server at which Keyfob registered it by itself; nil for one that a person registered.
    public var registeredAt: String?

    /// How a client says who it is (OpenID Connect Core, section 9).
    public enum Authentication: String, Hashable, Sendable, CaseIterable {
        /// By its id alone: a public client.
        case none
        /// Its secret in the body.
        case post = "client_secret_post"
        /// Its secret in the `Authorization` header.
        case basic = "client_secret_basic"
        /// What it signs by its private key (RFC 7523).
        case signed = "private_key_jwt"
        /// The certificate that it shows where TLS is agreed on (RFC 8705).
        case certificate = "tls_client_auth"
    }

    /// A client.
    public init(
        id: String, name: String? = nil, redirectURIs: [String] = [], scopes: ScopeSet = [],
        authentication: Authentication = .none
    ) {
        self.id = id
        self.name = name
        self.redirectURIs = redirectURIs
        self.scopes = scopes
        self.authentication = authentication
    }

    /// What is wrong with it; nil where nothing is.
    var problem: String? {
        guard Identifier.isAcceptable(id), id.utf8.count <= Self.idLimit else {
            return "the client id is blank, longer than \(Self.idLimit) bytes, or holds control characters"
        }
        guard name.map(Identifier.isAcceptable) ?? true else {
            return "the client's name is blank, too long, or holds control characters"
        }
        guard max(redirectURIs.count, scopes.scopes.count) <= Self.listLimit else {
            return "there are more than \(Self.listLimit) redirect addresses or scopes"
        }
        guard redirectURIs.allSatisfy(Self.isRedirectURI) else {
            return
                "a redirect address is neither http on localhost, 127.0.0.1 or [::1], such as http://localhost:8400, nor of a "
                + "scheme of an app's own, with a period in its name, such as io.keyfob:/callback"
        }
        guard scopes.scopes.allSatisfy(ProviderRules.isScope) else {
            return "a scope holds characters that no scope has"
        }
        if let problem = keyProblem { return problem }
        return nil
    }

    /// Whether an answer that is sent to `text` comes to a program on this machine (RFC 8252, sections 7.1 and 7.3).
    private static func isRedirectURI(_ text: String) -> Bool {
        if PrivateUseScheme(ofRedirectURI: text) != nil { return true }
        guard let url = try? EndpointURL(text), url.query == nil, LoopbackRedirect.Host(rawValue: url.host) != nil
        else {
            return false
        }
        return Identifier.folded(text).hasPrefix("http://")
    }
}

/// A client that is there to sign in with.
public struct RegisteredClient: Hashable, Sendable {
    /// What is known of it.
    public let client: ClientRegistration
    /// The host of its provider, as ``IdentityProvider/environment``.
    public let environment: String
    /// The name of the provider; nil where that is not there any more.
    public let provider: String?
    /// Where it comes from.
    public let origin: Origin
    /// Whether it is taken where nobody names one.
    public let isDefault: Bool

    /// Where a client comes from.
    public enum Origin: Hashable, Sendable {
        /// It was added to this group.
        case added(AccessGroup)
        /// The description of its provider names it.
        case description
    }
}
