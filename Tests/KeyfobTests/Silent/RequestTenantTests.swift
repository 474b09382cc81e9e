import Foundation
import Keyfob
import KeyfobOAuth
import KeyfobTestSupport
import Testing

/// Whose tenant's token a request gets, whatever is stored.
@Suite("The tenant of a request", .eachStorageInFullRun)
struct RequestTenantTests: SilentSuite {
    let home: SilentHome
    static let third = "33333333-3333-4333-8333-333333333333"
    static let tenants = [SilentHome.tenant, SilentHome.guest, third]

    /// The tenant of which a token is, by its text.
    static func tenant(of text: String) -> String { String(text.split(separator: "-", maxSplits: 1).last ?? "") }

    init() throws {
        home = try .atMicrosoft()
        // A token says of which tenant it is, and for which scopes.
        home.provider.answer { request in
            let tenant = RequestTenantTests.tenants.first { request.url.contains($0) } ?? "none"
            return .tokens("new-\(tenant)", refresh: "rt2", scope: request.scopes?.sorted().joined(separator: " "))
        }
    }

    @Test("the same request gives the home tenant's token as the stored ones age")
    func aging() async throws {
        try home.grant("rt", ada)
        try home.access("old-\(SilentHome.tenant)", ada, expires: 308)
        try home.access("old-\(SilentHome.guest)", ada, realm: SilentHome.guest)
        for _ in 0..<4 {
            #expect(try await RequestTenantTests.tenant(of: home.token(ada).text) == SilentHome.tenant)
            home.clock.advance(by: 10)
        }
        #expect(provider.tokenRequests.count == 1)
        #expect(throws: KeyringError.self) {
            home.clock.advance(by: 7_200)
            try home.access("newer-\(SilentHome.guest)", ada, realm: SilentHome.guest)
            _ = try home.keyring.tokenText(TokenRequest(account: ada.username, scopes: ["mail.read"]))
        }
    }

    @Test("an account visits a tenant where it has never been, with one request, and has a profile there then")
    func visit() async throws {
        try home.grant("rt", ada)
        provider.answer { _ in
            let id = TestIDToken(
                issuer: "https://login.microsoftonline.com/\(Self.third)/v2.0", subject: "s", tenant: Self.third,
                object: "ada-there", username: "ada_contoso#EXT#@third.example")
            return .tokens(
                "at", refresh: "rt2", scope: "mail.read", id: id.text,
                clientInfo: clientInfo("ada-oid", SilentHome.tenant))
        }
        for _ in 0..<2 { #expect(try await home.token(ada, realm: Self.third).text == "at") }
        let endpoint = "https://login.microsoftonline.com/\(Self.third)/oauth2/v2.0/token"
        #expect(provider.tokenRequests.map(\.url) == [endpoint])
        let account = try #require(home.opened().accounts.list().first).account
        #expect(account.username == ada.username)
        let profile = try #require(account.tenantProfiles.first { $0.realm == Self.third })
        #expect(profile.localAccountID == "ada-there" && profile.username == "ada_contoso#EXT#@third.example")
    }

    @Test("where another account is known in the tenant, an unnamed request is about that one")
    func known() async throws {
        let bob = try SilentHome.microsoftAccount("bob")
        try home.grant("rt", ada)
        try home.grant("rt-bob", bob)
        try home.access("bob-\(Self.third)", bob, realm: Self.third)
        let request = TokenRequest(realm: Self.third, scopes: ["mail.read"])
        let answer = try await home.keyring.tokens.acquireSilently(for: request, network: provider.network)
        #expect(answer.found.account.id == bob.id && provider.tokenRequests.isEmpty)
        // In one that nobody knows, somebody has to say who is meant, where both may have the scopes.
        try home.access("ada", ada)
        let other = TokenRequest(realm: SilentHome.guest, scopes: ["mail.read"])
        let error = await #expect(throws: KeyringError.self) {
            _ = try await home.keyring.tokens.acquireSilently(for: other, network: provider.network)
        }
        #expect(error?.code == .ambiguous)
    }

    @Test("a binding names the tenant where nothing else does", arguments: [nil, SilentHome.guest] as [String?])
    func bound(tenant: String?) async throws {
        let bob = try SilentHome.microsoftAccount("bob")
        try home.grant("rt", ada)
        try home.grant("rt-bob", bob)
        try home.keyring.bindings.set(.tool("make"), to: .account(ada.id), tenant: tenant, in: .default)
        #expect(try home.keyring.bindings.list().map(\.tenant) == [tenant])
        // A fresh one of the home is no answer where another tenant is meant.
        if tenant != nil { try home.access("old-\(SilentHome.tenant)", ada) }
        for realm in [nil, Self.third] as [String?] {
            let request = TokenRequest(realm: realm, scopes: ["mail.read"], context: RequestContext(tool: "make"))
            let answer = try await home.keyring.tokens.acquireSilently(for: request, network: provider.network)
            #expect(answer.found.account.id == ada.id)
            #expect(answer.found.credential.realm == realm ?? tenant ?? SilentHome.tenant)
        }
    }

    @Test("an answer of another tenant than the one asked is no answer, but its refresh token is kept")
    func otherTenant() async throws {
        try home.grant("rt", ada)
        provider.answer { _ in
            let id = TestIDToken(subject: "s", tenant: SilentHome.tenant, object: "ada-oid")
            return .tokens(
                "at", refresh: "rt2", scope: "mail.read", id: id.text,
                clientInfo: clientInfo("ada-oid", SilentHome.tenant))
        }
        let error = try #require(await home.refusal(ada, realm: SilentHome.guest))
        #expect(error.code == .providerFailed && error.message.contains("another tenant"))
        #expect(try home.accessTokens(of: ada).isEmpty)
        #expect(try await home.storedRefreshToken(of: ada) == "rt2")
    }

    @Test("tokens for two resources live side by side where the provider repeats openid and profile with each")
    func sideBySide() async throws {
        try home.grant("rt", ada)
        let scopes = ["https://graph.microsoft.com/User.Read", "https://vault.azure.net/.default"]
        for _ in 0..<4 {
            for scope in scopes { _ = try await home.token(ada, scopes: [scope]) }
        }
        #expect(provider.tokenRequests.count == 2)
        #expect(try home.accessTokens(of: ada).count == 2)
    }

    @Test("of an account whose home nobody knows, the only tenant counts, and of several somebody has to say which")
    func unknownHome() async throws {
        let id = try #require(AccountID(homeAccountID: "ada@contoso.example", environment: "login.microsoftonline.com"))
        for (known, expected) in [([Self.third], Self.third), (Self.tenants, nil)] as [([String], String?)] {
            for fresh in Self.tenants {
                let home = try SilentHome(ada: Account(id: id, username: "ada@contoso.example"))
                var account = home.ada
                account.tenantProfiles = known.map {
                    TenantProfile(realm: $0, localAccountID: "x", environment: id.environment, username: "")
                }
                try home.access("old-\(fresh)", account, realm: fresh)
                let request = TokenRequest(account: id.description, scopes: ["mail.read"])
                let code = home.keyring.refusal(request)
                if expected == nil {
                    #expect(code == .ambiguous)
                } else {
                    #expect(code == (fresh == expected ? nil : .signInNeeded))
                }
            }
        }
    }
}

/// What is stored, made at random: it decides neither the tenant nor anything else of what a request means.
@Suite("The tenant of a request, whatever is stored")
struct RandomCacheTests: SilentSuite {
    let home: SilentHome

    init() throws {
        home = try RequestTenantTests().home
    }

    /// What is stored of an account, made at random.
    private func fill(_ account: Account, _ random: inout SeededGenerator, hasGrant: Bool) throws {
        func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &random)] }
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let realm = pick(RequestTenantTests.tenants)
            // Fresh, aging, about to expire, expired, from the future.
            let times: [(Int64, Int64?)] = [
                (3_600, nil), (3_600, -1), (200, nil), (-10, nil), (3_600, 1_000), (310, nil),
            ]
            let (expires, refresh) = pick(times)
            let all: [ScopeSet] = [["mail.read"], ["mail.read", "openid"], ["files.read"], ["mail.read", "x"]]
            let scopes = pick(all)
            try home.access(
                "old-\(realm)", account, scopes: scopes, realm: realm, expires: expires,
                extended: Bool.random(using: &random) ? 7_200 : nil, refresh: refresh)
        }
        let granted: [ScopeSet] = [[], ["mail.read"]]
        if hasGrant { try home.grant("rt-\(account.username)", account, scopes: pick(granted)) }
    }

    @Test("caches made at random, a thousand in a full run: a request gives its tenant's token, or says what it needs")
    func random() async throws {
        var random = SeededGenerator(seed: 20_261_126)
        var (given, needed) = (0, 0)
        let count = TestLength.rounds(120, full: 1_000)
        for number in 0..<count {
            var account = try SilentHome.microsoftAccount("person\(number)")
            // Where it has been says nothing of where it is at home.
            let known = RequestTenantTests.tenants.filter { _ in Bool.random(using: &random) }
            account.tenantProfiles = known.map {
                TenantProfile(realm: $0, localAccountID: "x", environment: account.id.environment, username: "")
            }
            let hasGrant = Int.random(in: 0..<3, using: &random) > 0
            try fill(account, &random, hasGrant: hasGrant)
            for realm in [nil, SilentHome.tenant, SilentHome.guest, RequestTenantTests.third] as [String?] {
                let request = TokenRequest(account: account.id.description, realm: realm, scopes: ["mail.read"])
                let expected = realm ?? SilentHome.tenant
                // What is stored alone, then what the provider has besides, then what is stored by now.
                for network in [nil, provider.network, nil] {
                    do throws(KeyringError) {
                        var acquisition = TokenAcquisition(request)
                        if let network { acquisition.network = { network } }
                        let answer = try await home.keyring.tokens.acquire(acquisition)
                        #expect(answer.found.credential.realm == expected, "\(number) \(realm ?? "-")")
                        let tenant = RequestTenantTests.tenant(of: text(of: answer.secret))
                        #expect(tenant == expected, "\(number) \(realm ?? "-")")
                        given += 1
                    } catch {
                        #expect([.signInNeeded, .noSuchAccount].contains(error.code), "\(number): \(error)")
                        #expect(!hasGrant || network == nil, "\(number): \(error)")
                        needed += 1
                    }
                }
            }
        }
        // Neither of the two is the only one.
        #expect(given > 3 * count && needed > count / 2)
    }
}
