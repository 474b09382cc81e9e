import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

@Suite("Signing in at an authority", .eachStorageInFullRun)
struct AuthoritySignInTests: SilentSuite {
    let home: SilentHome
    private static let tenant = AuthorityDocuments.tenant
    private static let object = "11111111-2222-4333-8444-555555555555"

    init() throws {
        home = try SilentHome(ada: SilentHome.microsoftAccount())
    }

    /// A request for `authority`, whose provider is added; its documents are those of `document`, by what is asked for.
    private func request(
        _ authority: String, scopes: ScopeSet = [], document: @escaping @Sendable (URL) -> String
    ) throws -> SignInRequest {
        provider.answerOthers { request in
            guard request.url.hasSuffix("/.well-known/openid-configuration"), let url = URL(string: request.url) else {
                return request.url.hasSuffix("keys") ? .json("{\"keys\": []}") : nil
            }
            return .json(document(url))
        }
        #expect(try home.keyring.providers.matching(Authority(authority)).isNew)
        #expect(try home.opened().providers.matching(Authority(authority)).isNew == false)
        var request = SignInRequest(provider: authority)
        request.clientID = "app"
        request.scopes = scopes
        return request
    }

    /// An answer of Azure AD B2C for Ada by a policy.
    private static func b2c(_ access: String, _ refresh: String, _ policy: String, nonce: String? = nil)
        -> ScriptedNetwork.Answer
    {
        var token = TestIDToken(issuer: "https://contoso.b2clogin.com/\(tenant)/v2.0/", nonce: nonce, object: object)
        token.username = "ada@mail.example"
        return .tokens(
            access, refresh: refresh, scope: "https://contoso.onmicrosoft.com/api/read", id: token.text,
            clientInfo: clientInfo("\(object)-\(policy)", tenant))
    }

    private func signIn(_ request: SignInRequest, policy: String, _ name: String) async throws -> SignInReport {
        try await signInByBrowser(request, home) { Self.b2c("at-" + name, "rt-" + name, policy, nonce: $0["nonce"]) }
    }

    @Test("of Azure AD B2C: each policy has an account and tokens of its own, refreshed where they came from")
    func policies() async throws {
        let base = "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/"
        var request = try request(base + "B2C_1_SignIn", scopes: ["https://contoso.onmicrosoft.com/api/read"]) { url in
            AuthorityDocuments.b2c(url.pathComponents[1...3].joined(separator: "/"))
        }
        let first = try await signIn(request, policy: "b2c_1_signin", "one")
        #expect(first.account.id.description == "\(Self.object)-b2c_1_signin.\(Self.tenant)@contoso.b2clogin.com")
        #expect(first.account.tenantProfiles.map(\.realm) == [Self.tenant] && first.declinedScopes == [])
        request.provider = base + "b2c_1_edit"
        let second = try await signIn(request, policy: "b2c_1_edit", "two")
        #expect(second.isNew && second.account.id != first.account.id)
        #expect(
            provider.tokenRequests.map(\.url)
                == ["B2C_1_SignIn", "b2c_1_edit"].map { base + $0 + "/oauth2/v2.0/token" })

        let scopes = request.scopes
        #expect(try await home.token(first.account, scopes: scopes).text == "at-one")
        #expect(try await home.token(second.account, scopes: scopes).text == "at-two")
        provider.answer { sent in
            sent.refreshToken.map {
                Self.b2c("new-" + $0, $0 + "+", sent.url.contains("edit") ? "b2c_1_edit" : "b2c_1_signin")
            }
        }
        #expect(try await home.token(first.account, scopes: scopes, options: force).text == "new-rt-one")
        #expect(try await home.token(second.account, scopes: scopes, options: force).text == "new-rt-two")
        #expect(provider.tokenRequests.map { $0.url.contains("b2c_1_edit") } == [false, true, false, true])
        #expect(Set(provider.requests.compactMap { URL(string: $0.url)?.host }) == ["contoso.b2clogin.com"])

        // An authority with a policy means the accounts that came by it.
        var asked = TokenRequest(environment: "contoso.b2clogin.com", scopes: scopes)
        #expect(failure(of: KeyringError.self) { _ = try home.opened().tokens.stored(for: asked) }?.code == .ambiguous)
        asked.policy = "B2C_1_EDIT"
        #expect(try home.opened().tokens.stored(for: asked).found.account.id == second.account.id)
        asked.policy = "b2c_1_reset"
        #expect(
            failure(of: KeyringError.self) { _ = try home.opened().tokens.stored(for: asked) }?.code == .noSuchAccount)

        // Whoever signs in again does so by the policy they came by.
        var again = SignInRequest(provider: "contoso.b2clogin.com")
        again.clientID = "app"
        again.account = second.account.id
        let signIn = try await home.keyring.signIns.begin(
            again, redirectURI: "http://localhost:1", network: provider.network)
        #expect(signIn.url.hasPrefix(base + "b2c_1_edit/oauth2/v2.0/authorize?"))
        let scopesAsked = query(of: signIn.url)["scope"]?.split(separator: " ") ?? []
        #expect(scopesAsked.contains("app"))
    }

    @Test("of Azure AD B2C: one sign-in in two groups is refreshed once, where its policy is known in both")
    func policyInTwoGroups() async throws {
        let base = "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/b2c_1_edit"
        let scopes: ScopeSet = ["https://contoso.onmicrosoft.com/api/read"]
        let work = try AccessGroup("work")
        try home.keyring.groups.create(work)
        let request = try request(base, scopes: scopes) { url in
            AuthorityDocuments.b2c(url.pathComponents[1...3].joined(separator: "/"))
        }
        _ = try home.keyring.providers.matching(Authority(base), in: [work])
        let account = try await signIn(request, policy: "b2c_1_edit", "one").account
        try home.keyring.store(
            Credential(kind: .refreshToken, account: account.id, clientID: "app", cachedAt: home.clock.now),
            "rt-one", for: account, in: [work])
        provider.answer { Self.b2c("new-" + ($0.refreshToken ?? "?"), "rt-two", "b2c_1_edit") }
        let asked = TokenRequest(account: account.id.description, scopes: scopes)
        for (group, options) in [(AccessGroup.default, force), (work, SilentOptions())] {
            let answer = try await home.keyring.tokens.acquireSilently(
                for: asked, options: options, in: [group], network: provider.network)
            #expect(text(of: answer.secret) == "new-rt-one")
        }
        #expect(provider.tokenRequests.map(\.refreshToken) == [nil, "rt-one"])
    }

    @Test("of AD FS: no tenant, an issuer of its own, and a resource that is named by itself")
    func adfs() async throws {
        let resource: ScopeSet = ["https://api.contoso.example/.default"]
        let request = try request("https://fs.contoso.example/adfs", scopes: resource) { _ in
            AuthorityDocuments.adfs(issuer: "http://fs.contoso.example/adfs/services/trust")
        }
        let report = try await signInByBrowser(request, home) { asked in
            #expect(asked["resource"] == "https://api.contoso.example" && asked["scope"] == "openid")
            let token = TestIDToken(
                issuer: "http://fs.contoso.example/adfs/services/trust", nonce: asked["nonce"])
            return .tokens("at", refresh: "rt", scope: "openid", id: token.text)
        }
        #expect(report.account.id.description == "ada-sub@fs.contoso.example" && report.declinedScopes == [])
        #expect(report.account.tenantProfiles.map(\.realm) == ["adfs"])
        #expect(report.account.tenantProfiles.map(\.authorityType) == ["ADFS"])
        #expect(try await home.token(report.account, scopes: resource).text == "at")
        provider.answer { sent in
            #expect(sent.url == "https://fs.contoso.example/adfs/oauth2/token/" && sent.refreshToken == "rt")
            #expect(sent.scopes == ["openid"])
            return .tokens("at of \(sent.fields["resource"] ?? "nothing")", scope: "openid")
        }
        #expect(
            try await home.token(report.account, scopes: resource, options: force).text
                == "at of https://api.contoso.example")
        let other: ScopeSet = ["https://files.contoso.example/.default"]
        #expect(try await home.token(report.account, scopes: other).text == "at of https://files.contoso.example")
        #expect(try home.accessTokens(of: report.account).map(\.realm) == ["adfs", "adfs"])
        #expect(Set(provider.requests.compactMap { URL(string: $0.url)?.host }) == ["fs.contoso.example"])
    }

    @Test("of External ID: the tenant is its host's, and its issuer's host is the tenant")
    func ciam() async throws {
        let request = try request("https://contoso.ciamlogin.com/", scopes: ["api://app/read"]) { _ in
            AuthorityDocuments.ciam()
        }
        let report = try await signInByBrowser(request, home) { asked in
            let token = TestIDToken(
                issuer: "https://\(Self.tenant).ciamlogin.com/\(Self.tenant)/v2.0", nonce: asked["nonce"],
                tenant: Self.tenant, object: Self.object)
            return .tokens(
                "at", refresh: "rt", scope: "api://app/read", id: token.text,
                clientInfo: clientInfo(Self.object, Self.tenant))
        }
        #expect(report.account.id.description == "\(Self.object).\(Self.tenant)@contoso.ciamlogin.com")
        provider.answer { _ in .tokens("at2", refresh: "rt2", scope: "api://app/read") }
        #expect(try await home.token(report.account, scopes: ["api://app/read"], options: force).text == "at2")
        #expect(try home.accessTokens(of: report.account).map(\.realm) == [Self.tenant])
        #expect(
            Set(provider.tokenRequests.map(\.url))
                == ["https://contoso.ciamlogin.com/contoso.onmicrosoft.com/oauth2/v2.0/token"])
    }

    @Test("that sends tokens to another host is not asked for any", arguments: ["evil.example", "127.0.0.1:1"])
    func otherHost(host: String) async throws {
        let request = try request("https://contoso.ciamlogin.com/") { _ in AuthorityDocuments.ciam(tokenHost: host) }
        let error = await keyringError {
            try await home.keyring.signIns.begin(request, redirectURI: "http://localhost:1", network: provider.network)
        }
        #expect(error?.code == .providerFailed && provider.tokenRequests.isEmpty)
    }

    @Test("of a cloud whose document names a token endpoint elsewhere gives no code away")
    func otherTokenEndpoint() async throws {
        provider.answerOthers { request in
            guard request.url.hasSuffix("/.well-known/openid-configuration") else { return nil }
            return .json(
                ScriptedNetwork.microsoft(
                    "https://login.microsoftonline.com", tenant: "common", tokenHost: "https://login.microsoftonline.us"
                ))
        }
        var request = SignInRequest(provider: "microsoft")
        request.clientID = "app"
        let error = await keyringError {
            try await home.keyring.signIns.begin(request, redirectURI: "http://localhost:1", network: provider.network)
        }
        #expect(error?.code == .providerFailed || error?.code == .configuration, "\(String(describing: error))")
    }

    // MARK: Clouds

    /// Signs in with Microsoft, where the answer names `cloud`.
    private func signIn(
        cloud: String, isInstanceAware: Bool = true, issuer: String? = nil
    ) async throws -> SignInReport {
        var request = SignInRequest(provider: "microsoft-organizations")
        request.clientID = "app"
        request.isInstanceAware = isInstanceAware
        let network = provider.network
        let signIn = try await home.keyring.signIns.begin(
            request, redirectURI: "http://localhost:1", network: network)
        let asked = query(of: signIn.url)
        #expect(asked["instance_aware"] == (isInstanceAware ? "true" : nil))
        provider.answer { sent in
            let host = URL(string: sent.url)?.host ?? ""
            let token = TestIDToken(
                issuer: "https://\(host)/\(SilentHome.tenant)/v2.0", nonce: asked["nonce"], tenant: SilentHome.tenant,
                object: "ada-oid")
            return .tokens(
                "at of \(host)", refresh: "rt", scope: "mail.read", id: token.text,
                clientInfo: clientInfo("ada-oid", SilentHome.tenant))
        }
        let more = issuer.map { "&iss=\($0)" } ?? ""
        let answer = "code=c0de&cloud_instance_host_name=\(cloud)&state=\(asked["state"] ?? "")\(more)"
        try #require(signIn.receive(secret(answer)) == .accepted)
        return try await home.keyring.signIns.finish(signIn, network: network)
    }

    @Test(
        "an answer that names another of Microsoft's clouds is redeemed there, and the account is filed there",
        arguments: [
            ("login.microsoftonline.us", "login.microsoftonline.us", nil),
            (
                "login.microsoftonline.us", "login.microsoftonline.us",
                "https://login.microsoftonline.us/\(SilentHome.tenant)/v2.0"
            ),
            ("login.chinacloudapi.cn", "login.partner.microsoftonline.cn", nil),
            ("login.sovcloud-identity.de", "login.sovcloud-identity.de", nil),
            ("login.windows.net", "login.microsoftonline.com", nil),
        ] as [(String, String, String?)])
    func instanceAware(cloud: String, host: String, issuer: String?) async throws {
        let report = try await signIn(cloud: cloud, issuer: issuer)
        #expect(report.account.id.environment == host)
        #expect(provider.tokenRequests.map(\.url) == ["https://\(host)/organizations/oauth2/v2.0/token"])
        #expect(try await home.token(report.account).text == "at of \(host)")
        // A refresh goes where the account is.
        _ = await keyringError { try await home.token(report.account, options: force) }
        #expect(provider.tokenRequests.last?.url == "https://\(host)/\(SilentHome.tenant)/oauth2/v2.0/token")
    }

    @Test(
        "an answer that names a cloud that is not built in sends its code to nobody",
        arguments: [
            "login.evil.example", "evil.example/login.microsoftonline.us", "login.microsoftonline.de", "%00", "",
        ])
    func otherCloud(cloud: String) async throws {
        let error = await keyringError { try await signIn(cloud: cloud) }
        #expect(error?.code == .providerFailed && provider.tokenRequests.isEmpty)
        #expect(try home.opened().accounts.list().isEmpty)
    }

    @Test("an answer names no cloud where nobody asked for that")
    func unasked() async throws {
        let report = try await signIn(cloud: "login.microsoftonline.us", isInstanceAware: false)
        #expect(report.account.id.environment == "login.microsoftonline.com")
        var request = try request("https://contoso.ciamlogin.com/") { _ in AuthorityDocuments.ciam() }
        request.isInstanceAware = true
        let error = await keyringError {
            try await home.keyring.signIns.begin(request, redirectURI: "http://localhost:1", network: provider.network)
        }
        #expect(error?.code == .usage)
    }
}
