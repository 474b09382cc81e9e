import KeyfobModel
import KeyfobOAuth
import KeyfobSodium
import Testing

@Suite("Resource addresses") struct ResourceAddressTests {
    @Test(
        "have the documents of RFC 9728 where the standard puts them, for the path first",
        arguments: [
            (
                "https://mcp.example/a/mcp",
                ["/.well-known/oauth-protected-resource/a/mcp", "/.well-known/oauth-protected-resource"]
            ),
            ("https://mcp.example/", ["/.well-known/oauth-protected-resource"]),
            ("https://mcp.example", ["/.well-known/oauth-protected-resource"]),
        ])
    func places(address: String, paths: [String]) throws {
        #expect(ResourceMetadata.addresses(of: try EndpointURL(address)).map(\.path) == paths)
    }

    @Test(
        "are environments of their own, by which no two resources are taken for one",
        arguments: [
            ("https://mcp.example/mcp", "mcp.example/mcp"), ("https://mcp.example/mcp/", "mcp.example/mcp"),
            ("https://MCP.example:443/a/b", "mcp.example/a/b"), ("https://mcp.example", "mcp.example/"),
            ("http://127.0.0.1:8000/mcp", "127.0.0.1:8000/mcp"), ("https://mcp.example/mcp?a=b", nil),
            ("https://mcp.example/@ada/mcp", nil), ("https://mcp.example/a%2f..%2fb", nil),
        ] as [(String, String?)])
    func environments(address: String, environment: String?) throws {
        let found = try EndpointURL(address).environmentOfResource
        #expect(found == environment)
        if let found { #expect(ResourceURL(environment: found)?.environment == found) }
        #expect(ResourceURL(environment: "mcp.example") == nil)
    }

    @Test(
        "that others name are none of this machine or its network, unless they are there themselves",
        arguments: [
            ("https://mcp.example", "https://auth.example", true), ("https://mcp.example", "http://127.0.0.1:1", false),
            ("https://mcp.example", "https://localhost", false), ("https://mcp.example", "https://a.localhost", false),
            ("https://mcp.example", "https://127.1.2.3", false), ("https://mcp.example", "https://[::1]", false),
            ("https://mcp.example", "https://[::ffff:10.0.0.1]", false),
            ("https://mcp.example", "https://10.1.2.3", false),
            ("https://mcp.example", "https://172.31.0.1", false), ("https://mcp.example", "https://172.32.0.1", true),
            ("https://mcp.example", "https://169.254.169.254", false),
            ("https://mcp.example", "https://router.lan", false), ("https://mcp.example", "https://a.local", false),
            ("https://mcp.example", "https://sso.corp.internal", false),
            ("https://sso.internal", "https://a.internal", true),
            ("https://mcp.example", "https://nas.home.arpa", false),
            ("https://mcp.example", "https://lan.example", true),
            ("https://mcp.example", "https://100.64.0.1", false),
            ("https://mcp.example", "https://192.168.1.1", false), ("https://mcp.example", "https://intranet", false),
            ("https://mcp.example", "https://8.8.8.8", true), ("https://10.0.0.1", "https://10.0.0.2", true),
            ("https://127.0.0.1:8443", "http://127.0.0.1:1", false),
            ("http://127.0.0.1:80", "http://127.0.0.1:1", true),
        ])
    func named(asked: String, other: String, isAllowed: Bool) throws {
        #expect(try EndpointURL(other).mayBeNamed(at: EndpointURL(asked)) == isAllowed)
    }

    @Test(
        "belong to the server that names them where they are on its host, or below its name",
        arguments: [
            ("https://as.example/authorize", true), ("https://login.as.example/authorize", true),
            ("https://as.example:8443/authorize", false), ("https://example/authorize", false),
            ("https://evilas.example/authorize", false), ("https://as.example.evil.example/", false),
        ])
    func below(address: String, isBelow: Bool) throws {
        #expect(try EndpointURL(address).isBelow(EndpointURL("https://as.example/tenant")) == isBelow)
    }
}

@Suite("Resource documents") struct ResourceDocumentTests {
    private static func read(
        _ resource: String, asked: String, place: String = "https://mcp.example/.well-known/oauth-protected-resource"
    ) throws -> ResourceMetadata {
        let text =
            #"{"resource":"\#(resource)","authorization_servers":["https://as.example"],"scopes_supported":["a","b"]}"#
        return try ResourceMetadata(
            reading: secret(text), at: EndpointURL(place), asked: EndpointURL(asked))
    }

    @Test(
        "describe what was asked, or what it lies below on the same host",
        arguments: [
            ("https://mcp.example/mcp", true), ("https://mcp.example/mcp/", true), ("https://mcp.example", true),
            ("https://mcp.example/mc", false), ("https://mcp.example/mcp/notes", false),
            ("https://mcp.example/MCP", false),
            ("http://mcp.example/mcp", false), ("https://mcp.example:8443/mcp", false),
            ("https://evil.example/mcp", false),
            ("https://mcp.example/mcp?x=1", false),
        ])
    func resources(resource: String, isTaken: Bool) {
        let found = try? Self.read(resource, asked: "https://mcp.example/mcp")
        #expect((found != nil) == isTaken)
        if let found { #expect(found.resource.text == resource && found.scopes == ["a", "b"]) }
    }

    @Test("from another host describe what was asked, and no more")
    func elsewhere() throws {
        let place = "https://docs.example/resource.json"
        #expect(throws: ProtocolViolation.otherResource) {
            try Self.read("https://mcp.example", asked: "https://mcp.example/mcp", place: place)
        }
        #expect(
            try Self.read("https://mcp.example/mcp", asked: "https://mcp.example/mcp", place: place).servers.count == 1)
    }

    @Test(
        "are found by the challenge of a resource",
        arguments: [
            (#"Bearer resource_metadata="https://a/b", scope="x y""#, "https://a/b", ["x", "y"]),
            (#"Bearer realm="a, b=\"c\"", Resource_Metadata=https://a/b"#, "https://a/b", []),
            (
                #"Basic realm="x", Bearer scope="x",resource_metadata="https://a/b", Digest scope="z""#, "https://a/b",
                ["x"]
            ),
            (#"DPoP algs="ES256""#, nil, []), ("Bearer", nil, []), ("", nil, []),
            (#"Bearer resource_metadata="cut"#, nil, []),
        ] as [(String, String?, [String])])
    func challenges(header: String, metadata: String?, scopes: [String]) {
        let challenge = ResourceChallenge([HTTPHeader(name: "WWW-Authenticate", value: header)])
        #expect(challenge.metadata == metadata && challenge.scopes == ScopeSet(scopes))
    }

    @Test(
        "say why a token is not taken, and with what another one is to be asked for",
        arguments: [
            (
                [#"Bearer error="insufficient_claims", claims="eyJhIjoxfQ==""#], "insufficient_claims", #"{"a":1}"#, [],
                nil
            ),
            (
                [#"Bearer error="insufficient_claims", claims="eyJhIjoxfQ""#], "insufficient_claims", #"{"a":1}"#, [],
                nil
            ),
            (["Bearer", #"Bearer error="insufficient_claims", claims="_w""#], "insufficient_claims", nil, [], nil),
            ([#"Bearer error="invalid_token", claims="eyJhIjoxfQ==""#], "invalid_token", nil, [], nil),
            (
                [#"Bearer error="insufficient_user_authentication", acr_values="gold silver", max_age="60""#],
                "insufficient_user_authentication", nil, ["gold", "silver"], 60
            ),
            (
                [#"Bearer error="insufficient_user_authentication", max_age=-1"#], "insufficient_user_authentication",
                nil, [], nil
            ),
        ] as [([String], String, String?, [String], Int64?)])
    func refusals(headers: [String], error: String, claims: String?, contexts: [String], age: Int64?) {
        let challenge = ResourceChallenge(headers.map { HTTPHeader(name: "WWW-Authenticate", value: $0) })
        #expect(challenge.error == error && challenge.claims == claims)
        #expect(challenge.contexts == contexts && challenge.maximumAge == age)
    }
}

@Suite("Registrations") struct RegistrationTests {
    private static let redirects = ["http://127.0.0.1:20001/callback", "http://127.0.0.1:24001/callback"]

    @Test(
        "are read with less or more than was asked for",
        arguments: [
            (#"{"client_id":"a"}"#, "a none 2"),
            (#"{"client_id":"a","client_secret":"s"}"#, "a client_secret_basic 2 s"),
            (
                #"{"client_id":"a","client_secret":"s","token_endpoint_auth_method":"client_secret_post"}"#,
                "a client_secret_post 2 s"
            ),
            (#"{"client_id":"a","client_secret":"s","token_endpoint_auth_method":"none"}"#, "a none 2"),
            (
                #"{"client_id":"a","redirect_uris":["http://127.0.0.1:24001/callback","https://other.example/"],"more":{"x":[1]}}"#,
                "a none 1"
            ),
            (#"{"client_id":"a","redirect_uris":["https://evil.example/"]}"#, nil),
            (#"{"client_id":"a","redirect_uris":[]}"#, nil),
            (#"{"client_id":"a","token_endpoint_auth_method":"client_secret_post"}"#, nil),
            (#"{"client_id":"a","token_endpoint_auth_method":"private_key_jwt"}"#, nil), (#"{"client_id":""}"#, nil),
            ("{}", nil), ("", nil), (#"{"client_id":"a\u0000"}"#, nil),
        ] as [(String, String?)])
    func answers(document: String, expected: String?) throws {
        guard let expected else {
            #expect(throws: ProtocolViolation.self) {
                _ = try RegistrationAnswer(reading: secret(document), redirectURIs: Self.redirects)
            }
            return
        }
        let answer = try RegistrationAnswer(reading: secret(document), redirectURIs: Self.redirects)
        var found = "\(answer.id) \(answer.authentication.rawValue) \(answer.redirectURIs.count)"
        if let key = answer.takeSecret() { found += " " + text(key) }
        #expect(found == expected)
    }
}

@Suite("Registration of a client with a key") struct KeyRegistrationTests {
    private static func key() throws -> ProofKey {
        let made = ProofKey(point: [UInt8](repeating: 7, count: 64), secret: SecretBytes(count: 32) { _ in })
        return try #require(made)
    }

    @Test("tells the public half, and keeps the key under the name that was told")
    func registered() throws {
        let key = try Self.key()
        let endpoint = try EndpointURL("https://as.example/register")
        let told = body(
            RegistrationMessage.request(
                name: "Keyfob", redirectURIs: [], scopes: [], .signed, key: key, at: endpoint))
        #expect(told.contains(#""jwks":{"keys":[{"#) && told.contains(key.thumbprint) && !told.contains(#""d":"#))
        let document = secret(#"{"client_id":"a","token_endpoint_auth_method":"private_key_jwt"}"#)
        let answer = try RegistrationAnswer(reading: document, redirectURIs: ["http://127.0.0.1:1/"], key: key)
        let (way, name) = (answer.authentication, answer.keyID)
        #expect(way == .signed && name == key.thumbprint)
        var kept = ""
        if let secret = answer.takeSecret() { kept = text(secret) }
        #expect(kept.hasPrefix("-----BEGIN EC PRIVATE KEY-----"))
        #expect(throws: ProtocolViolation.badValue("token_endpoint_auth_method")) {
            _ = try RegistrationAnswer(reading: document, redirectURIs: ["http://127.0.0.1:1/"])
        }
    }
}

@Suite("Client authentication") struct ClientAuthenticationTests {
    @Test(
        "is what the provider wants, where it says that it takes no other",
        arguments: [
            (nil, "client_secret_post"), (["client_secret_post", "client_secret_basic"], "client_secret_post"),
            (["client_secret_basic"], "client_secret_basic"), (["private_key_jwt"], "client_secret_post"),
            (["none"], "client_secret_post"),
        ] as [([String]?, String)])
    func adapted(methods: [String]?, expected: String) {
        var provider = ProviderMetadata(issuer: "https://as.example")
        provider.clientMethods = methods
        let client = OAuthClient(id: "a", secret: secret("s")).adapted(to: provider)
        #expect(client.authentication.rawValue == expected)
        let open = OAuthClient(id: "a").adapted(to: provider)
        #expect(open.authentication == .none)
    }

    @Test(
        "shows its secret in the other place where the provider did not know it, and did nothing else",
        arguments: [
            ("invalid_client", nil, "client_secret_basic"), (nil, nil, "client_secret_basic"),
            ("invalid_client", ["client_secret_post"], nil), ("invalid_grant", nil, nil),
            ("unauthorized_client", nil, nil),
            ("invalid_client", ["client_secret_post", "client_secret_basic"], "client_secret_basic"),
        ] as [(String?, [String]?, String?)])
    func alternative(error: String?, methods: [String]?, expected: String?) {
        var provider = ProviderMetadata(issuer: "https://as.example")
        provider.clientMethods = methods
        let failure = ProviderFailure(Refusal(status: 401, error: error))
        var method: String?
        if let other = OAuthClient(id: "a", secret: secret("s")).alternative(after: failure, at: provider) {
            method = other.authentication.rawValue
        }
        #expect(method == expected)
        var isPublicTried = false
        if let open = OAuthClient(id: "a").alternative(after: failure, at: provider) { isPublicTried = open.id == "a" }
        #expect(!isPublicTried)
        // What was taken before is not changed for the metadata's word.
        var basic = provider
        basic.clientMethods = ["client_secret_basic"]
        let proven = OAuthClient(id: "a", secret: secret("s"), authentication: .post, isProven: true)
        let kept = proven.adapted(to: basic).authentication
        #expect(kept == .post)
    }
}
