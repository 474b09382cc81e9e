import Keyfob
import KeyfobOAuth
import KeyfobTestSupport
import Testing

/// New tokens whatever is stored, where tokens for several scope sets are.
@Suite("A forced refresh without scopes", .eachStorageInFullRun)
struct ForcedRefreshTests: SilentSuite {
    let home: SilentHome

    init() throws {
        home = try .atMicrosoft()
        try home.grant("rt", ada)
    }

    @Test("is for the scopes of the token that came last, valid or not", arguments: TokenLife.all + [-10])
    func last(expires: Int64?) async throws {
        try home.access("mail", ada, scopes: ["mail.read"], expires: expires)
        home.clock.advance(by: 5)
        try home.access("files", ada, scopes: ["files.read"], expires: expires)
        home.clock.advance(by: 5)
        provider.answer(.tokens("new", refresh: "rt2", scope: "files.read"))
        let answer = try await home.token(ada, scopes: [], options: force)
        #expect(answer.text == "new" && answer.found.credential.scopes == ["files.read"])
        #expect(provider.tokenRequests.first?.scopes?.contains("files.read") == true)
        #expect(provider.tokenRequests.first?.scopes?.contains("mail.read") == false)
    }

    @Test("takes expired tokens of the client away, and leaves what is valid or serves while the provider is down")
    func expired() async throws {
        try home.access("old", ada, scopes: ["old"], expires: -10)
        try home.access("extended", ada, scopes: ["extended"], expires: -10, extended: 3_600)
        try home.access("valid", ada, scopes: ["valid"])
        try home.access("other", ada, client: "other", scopes: ["old"], expires: -10)
        try home.access("guest", ada, scopes: ["old"], realm: SilentHome.guest, expires: -10)
        provider.answer(.tokens("new", refresh: "rt2", scope: "mail.read"))
        #expect(try await home.token(ada, client: "app", options: force).text == "new")
        let left = try home.accessTokens(of: ada).map { "\($0.clientID) \($0.scopes) \($0.realm == SilentHome.guest)" }
        #expect(
            Set(left) == [
                "app extended false", "app valid false", "app mail.read false", "other old false", "app old true",
            ])
    }

    @Test("an answer with an empty scope is filed under what was asked", arguments: ["", " "])
    func emptyScope(scope: String) async throws {
        provider.answer(.tokens("new", refresh: "rt2", scope: scope))
        #expect(try await home.token(ada, scopes: ["mail.read"]).found.credential.scopes == ["mail.read"])
        #expect(try await home.token(ada, scopes: ["mail.read"]).text == "new")
        #expect(provider.tokenRequests.count == 1)
    }

    @Test("a sign-in that ends soon is told once a day, with a refresh and no other answer")
    func ending() async throws {
        func warned() -> [Warning] { home.keyring.takeWarnings().filter { $0.code == .signInEnds } }
        try home.keyring.store(
            Credential(
                kind: .refreshToken, account: ada.id, clientID: "app", cachedAt: home.clock.now,
                expiresOn: home.clock.now.advanced(by: 90 * 86_400), grant: Grant()), "rt", for: ada)
        provider.answer { _ in .tokens("new", scope: "mail.read") }
        _ = try await home.token(ada, options: force)
        #expect(warned().isEmpty)
        home.clock.advance(by: 85 * 86_400)
        _ = try await home.token(ada, options: force)
        let first = warned()
        #expect(first.map(\.message) == ["the sign-in of ada@contoso.example ends on 2024-02-12T22:13:20Z"])
        #expect(first.first?.advice == .signIn(ada.name, []))
        #expect(try home.keyring.signIns.ending().map(\.clientID) == ["app"])
        _ = try await home.token(ada, options: force)
        _ = try await home.token(ada, options: force, from: home.opened())
        #expect(warned().isEmpty)
        home.clock.advance(by: 86_400)
        _ = try await home.token(ada, options: force)
        #expect(warned().count == 1)
        // A sign-in that is renewed is not about to end.
        provider.answer { _ in .tokens("new", refresh: "rt2", scope: "mail.read") }
        home.clock.advance(by: 86_400)
        _ = try await home.token(ada, options: force)
        #expect(try warned().isEmpty && home.keyring.signIns.ending().isEmpty)
    }

    /// A refusal by an organisation's rule.
    struct Rule: Sendable {
        let error: String
        var suberror = ""
        var code = 0
        let words: String

        static let all = [
            Rule(error: "unauthorized_client", suberror: "protection_policy_required", words: "app protection policy"),
            Rule(error: "invalid_grant", code: 530_003, words: "devices in that it manages"),
            Rule(error: "invalid_grant", code: 53_000, words: "device compliance"),
            Rule(error: "interaction_required", code: 530_021, words: "approved"),
            Rule(error: "access_denied", code: 53_003, words: "Conditional Access"),
        ]

        var body: String {
            let finer = suberror.isEmpty ? "" : "\"suberror\": \"\(suberror)\","
            return "{\"error\": \"\(error)\", \(finer) \"error_codes\": [\(code)], \"error_description\": \"no\"}"
        }
    }

    @Test("an organisation's rule is named, and leaves the sign-in as it is", arguments: Rule.all)
    func policy(rule: Rule) async throws {
        provider.answer(.json(rule.body, status: 400))
        let refusal = try #require(await home.refusal(ada))
        #expect(refusal.code == .policyNotMet && refusal.message.contains(rule.words), "\(refusal.message)")
        #expect(try home.theGrant(of: ada).state == .active)
        // Nobody asks again in the next minutes, but who forces it.
        #expect(await home.refusal(ada)?.message == refusal.message)
        provider.answer(.tokens("new", refresh: "rt2", scope: "mail.read"))
        #expect(try await home.token(ada, options: force).text == "new")
    }

    @Test("its number counts in the sentence too, where nothing else has it")
    func policyInText() {
        let refusal = Refusal(status: 0, error: "access_denied", text: ProviderText("AADSTS53003: Access is blocked"))
        #expect(refusal.policy == .other)
        #expect(Refusal(status: 0, error: "access_denied", text: ProviderText("no AADSTS53003")).policy == nil)
    }
}
