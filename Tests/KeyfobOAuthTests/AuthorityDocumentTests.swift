import KeyfobModel
import KeyfobOAuth
import KeyfobTestSupport
import Testing

@Suite("The documents of authorities") struct AuthorityDocumentTests {
    private static let tenant = AuthorityDocuments.tenant
    private static let policy = "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_signin"
    private static let external = "https://contoso.ciamlogin.com/"
    private static let federation = "https://fs.contoso.example/adfs"

    private static func read(_ document: String, _ text: String) throws -> ProviderMetadata {
        let authority = try Authority(text)
        let provider = try #require(ProviderDescription(authority, name: "x", title: "X"))
        #expect(provider.authority == authority || provider.authority?.address == authority.address)
        return try ProviderMetadata(
            reading: secret(document), issuer: authority.address, rule: provider.issuerRule)
    }

    @Test(
        "name their own issuer, which is not the address asked",
        arguments: [
            (
                policy, AuthorityDocuments.b2c("contoso.onmicrosoft.com/b2c_1_signin"),
                "https://contoso.b2clogin.com/\(tenant)/v2.0/"
            ),
            (
                "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_Edit",
                AuthorityDocuments.b2c(
                    "tfp/contoso.onmicrosoft.com/b2c_1_edit",
                    issuer: "https://contoso.b2clogin.com/tfp/\(tenant)/b2c_1_edit/v2.0/"),
                "https://contoso.b2clogin.com/tfp/\(tenant)/b2c_1_edit/v2.0/"
            ),
            (
                "https://id.contoso.example/\(tenant)/b2c_1a_custom",
                AuthorityDocuments.b2c("\(tenant)/b2c_1a_custom", host: "id.contoso.example"),
                "https://id.contoso.example/\(tenant)/v2.0/"
            ),
            (federation, AuthorityDocuments.adfs(), federation),
            (
                federation, AuthorityDocuments.adfs(issuer: "http://fs.contoso.example/adfs/services/trust"),
                "http://fs.contoso.example/adfs/services/trust"
            ),
            (
                "https://fs.contoso.example:8443/adfs/",
                AuthorityDocuments.adfs(
                    host: "fs.contoso.example:8443", issuer: "http://fs.contoso.example/adfs/services/trust"),
                "http://fs.contoso.example/adfs/services/trust"
            ),
            (external, AuthorityDocuments.ciam(), "https://\(tenant).ciamlogin.com/\(tenant)/v2.0"),
            (
                "https://id.contoso.example/\(tenant)/v2.0",
                AuthorityDocuments.ciam(tenant, host: "id.contoso.example"),
                "https://\(tenant).ciamlogin.com/\(tenant)/v2.0"
            ),
            (
                external, AuthorityDocuments.ciam(tokenHost: tenant + ".ciamlogin.com"),
                "https://\(tenant).ciamlogin.com/\(tenant)/v2.0"
            ),
        ])
    func issuers(authority: String, document: String, issuer: String) throws {
        let metadata = try Self.read(document, authority)
        #expect(metadata.issuer == issuer && metadata.endpoints[.token] != nil)
        // What is kept of it is read again by the same rule.
        #expect(try Self.read(metadata.document, authority) == metadata)
    }

    @Test(
        "are refused for the issuer of somebody else",
        arguments: [
            (policy, AuthorityDocuments.b2c("x/y", issuer: "https://evil.example/\(tenant)/v2.0/")),
            (policy, AuthorityDocuments.b2c("x/y", issuer: "http://contoso.b2clogin.com/\(tenant)/v2.0/")),
            (
                policy,
                AuthorityDocuments.b2c("x/y", issuer: "https://contoso.b2clogin.com.evil.example/\(tenant)/v2.0/")
            ),
            (
                policy,
                AuthorityDocuments.b2c("x/y", issuer: "https://contoso.b2clogin.com/tfp/\(tenant)/b2c_1_edit/v2.0/")
            ),
            (policy, AuthorityDocuments.b2c("x/y", issuer: "https://contoso.b2clogin.com/contoso/v2.0/")),
            (federation, AuthorityDocuments.adfs(issuer: "http://fs.evil.example/adfs/services/trust")),
            (federation, AuthorityDocuments.adfs(issuer: "http://fs.contoso.example/adfs")),
            (federation, AuthorityDocuments.adfs(issuer: "https://fs.contoso.example/adfs/services/trust/more")),
            (external, AuthorityDocuments.ciam(issuer: "https://\(tenant).ciamlogin.com/other/v2.0")),
            (external, AuthorityDocuments.ciam(issuer: "https://\(tenant).evil.example/\(tenant)/v2.0")),
            ("https://contoso.ciamlogin.com/00000000-0000-4000-8000-000000000000", AuthorityDocuments.ciam()),
        ])
    func otherIssuers(authority: String, document: String) {
        #expect(throws: DiscoveryFailure.badDocument(.otherIssuer)) { try Self.read(document, authority) }
    }

    @Test(
        "are refused where they would send codes and tokens to another host, or another port",
        arguments: [
            (
                policy,
                AuthorityDocuments.b2c(
                    "x/y", host: "contoso.b2clogin.com:8443",
                    issuer: "https://contoso.b2clogin.com/\(tenant)/v2.0/"), "authorization_endpoint"
            ),
            (federation, AuthorityDocuments.adfs(token: "https://evil.example/token"), "token_endpoint"),
            (federation, AuthorityDocuments.adfs(token: "http://127.0.0.1/token"), "token_endpoint"),
            (external, AuthorityDocuments.ciam(tokenHost: "evil.ciamlogin.com"), "token_endpoint"),
        ])
    func otherHosts(authority: String, document: String, endpoint: String) {
        #expect(throws: DiscoveryFailure.badDocument(.badValue(endpoint))) { try Self.read(document, authority) }
    }

    @Test("of Microsoft's tenants tell where others would ask who signed in, and nobody asks there")
    func userInfo() throws {
        #expect(try Self.read(AuthorityDocuments.ciam(), Self.external).endpoints[.userInfo] == nil)
        #expect(try Self.read(AuthorityDocuments.adfs(), Self.federation).endpoints[.userInfo] != nil)
    }

    @Test("of AD FS have resources that are named by a field, and come back in no scope")
    func resources() throws {
        let provider = try #require(ProviderDescription(try Authority(Self.federation), name: "x", title: "X"))
        let asked: ScopeSet = ["https://api.contoso.example/.default", "openid"]
        let sent = AskedScopes(asked, at: provider)
        #expect(sent.scopes == ["openid"] && sent.fields.map(\.name) == ["resource"])
        #expect(sent.fields.map(\.value) == ["https://api.contoso.example"])
        #expect(provider.granted(["openid"], of: asked) == ["https://api.contoso.example/.default"])
        #expect(provider.granted(nil, of: asked) == nil)
        let other = try #require(BuiltInProviders.named("microsoft"))
        #expect(AskedScopes(asked, at: other).scopes == asked && AskedScopes(asked, at: other).fields.isEmpty)
        #expect(other.granted(["openid"], of: asked) == ["openid"])
    }

    @Test("of B2C give an access token for the client's own id where no scope of an API is asked for")
    func ownScope() throws {
        let provider = try #require(ProviderDescription(try Authority(Self.policy), name: "x", title: "X"))
        #expect(provider.withAccessToken(["openid"], clientID: "app") == ["openid", "app"])
        #expect(provider.withAccessToken(["https://x/read"], clientID: "app") == ["https://x/read"])
    }

    @Test("say whose an ID token is: by client_info, else as MSAL puts it together")
    func accounts() throws {
        let object = "11111111-2222-4333-8444-555555555555"
        var claims = try IDTokenTests.token().claims
        claims.issuer = "https://contoso.b2clogin.com/\(Self.tenant)/v2.0/"
        (claims.objectID, claims.tenantID, claims.policy) = (object, nil, "B2C_1_SignIn")
        func id(_ quirk: ProviderDescription.Quirk, _ info: ClientInfo? = nil) -> SignedInAccount? {
            SignedInAccount(claims, clientInfo: info, environment: "contoso.b2clogin.com", quirks: [quirk])
        }
        let found = try #require(id(.b2c))
        #expect(found.id.homeAccountID == "\(object)-b2c_1_signin.\(Self.tenant)" && found.id.policy == "b2c_1_signin")
        #expect(found.profile.realm == Self.tenant && found.profile.authorityType == "MSSTS")
        let info = ClientInfo(uid: "\(object)-b2c_1_edit", utid: Self.tenant)
        #expect(id(.b2c, info)?.id.policy == "b2c_1_edit")
        claims.policy = nil
        #expect(id(.b2c) == nil)
        let server = try #require(id(.adfs, info))
        #expect(server.id.homeAccountID == claims.subject)
        #expect(server.profile.realm == "adfs" && server.profile.authorityType == "ADFS")
    }
}
