import Keyfob
import KeyfobOAuth
import KeyfobTestSupport
import Testing

/// One grant in two groups of one vault.
@Suite("A grant in two groups", .eachStorageInFullRun)
struct SharedGrantTests: SilentSuite {
    let home: SilentHome
    private let work: AccessGroup
    private let detection = ReuseDetection()

    init() throws {
        home = try .atPlainProvider()
        work = try AccessGroup("work")
        try home.keyring.groups.create(work)
        try home.addPlainProvider(rotation: "yes", in: [work])
        try home.addPlainProvider(rotation: "yes", in: nil, replacing: true)
        provider.answer { [detection] in detection.answer($0) }
    }

    private func store(_ text: String, in group: AccessGroup) throws {
        try home.keyring.store(
            Credential(kind: .refreshToken, account: ada.id, clientID: "app", cachedAt: home.clock.now),
            text, for: ada, in: [group])
    }

    private func token(
        in group: AccessGroup, options: SilentOptions = SilentOptions(), from keyring: Keyring? = nil
    ) async throws -> String {
        let request = TokenRequest(account: ada.id.description, scopes: ["mail.read"])
        let answer = try await (keyring ?? home.keyring).tokens.acquireSilently(
            for: request, options: options, in: [group], network: provider.network)
        return text(of: answer.secret)
    }

    private func grant(in group: AccessGroup) throws -> Grant? {
        try home.opened().accounts.credentials(of: ada.id, in: group).first { $0.kind == .refreshToken }?.grant
    }

    @Test("is refreshed once, and the other group has the new tokens")
    func refreshedOnce() async throws {
        for group in [AccessGroup.default, work] { try store("rt1", in: group) }
        #expect(try await token(in: .default) == "at2")
        #expect(try await token(in: work) == "at2")
        #expect(provider.tokenRequests.count == 1)
        #expect(try grant(in: work) == Grant(generation: 2, rotates: true))
        #expect(try await token(in: work, options: force) == "at3")
        #expect(try await token(in: .default, options: force) == "at4")
        #expect(!detection.isDead)
    }

    @Test("is refreshed once, however many ask at the same time in either")
    func single() async throws {
        for group in [AccessGroup.default, work] { try store("rt1", in: group) }
        let keyrings = try (0..<4).map { _ in try home.opened() }
        let texts = try await withThrowingTaskGroup(of: String.self) { tasks in
            for (index, keyring) in keyrings.enumerated() {
                for group in [AccessGroup.default, work] {
                    tasks.addTask { try await token(in: group, from: index == 0 ? home.keyring : keyring) }
                }
            }
            return try await tasks.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(texts == ["at2"] && provider.tokenRequests.count == 1 && !detection.isDead)
    }

    @Test("keeps its own versions in each group")
    func versions() async throws {
        try store("rt0", in: work)
        for group in [AccessGroup.default, work] { try store("rt1", in: group) }
        #expect(try await token(in: .default) == "at2")
        #expect(try grant(in: work) == Grant(generation: 3, rotates: true))
        #expect(try grant(in: .default) == Grant(generation: 2, rotates: true))
    }

    @Test("that is refused is known as refused in both")
    func refused() async throws {
        for group in [AccessGroup.default, work] { try store("stolen", in: group) }
        await #expect(throws: KeyringError.self) { _ = try await token(in: .default) }
        await #expect(throws: KeyringError.self) { _ = try await token(in: work) }
        #expect(provider.tokenRequests.count == 1)
        #expect(try grant(in: work)?.state == grant(in: .default)?.state && grant(in: work)?.state != .active)
    }

    @Test("and whose refresh died is known as interrupted in both")
    func interrupted() async throws {
        for group in [AccessGroup.default, work] { try store("rt1", in: group) }
        provider.answer { [home, work, ada] _ in
            let kept = try home.opened().accounts.credentials(of: ada.id, in: work).first { $0.kind == .refreshToken }?
                .grant
            #expect(kept?.intent?.version == GrantVersion(epoch: 1, generation: 1))
            return .failed(.outcomeUnknown)
        }
        await #expect(throws: KeyringError.self) { _ = try await token(in: .default) }
        let theirs = try #require(try grant(in: work))
        #expect(theirs.intent != nil && theirs.failure?.kind == .outcomeUnknown)
        provider.answer { [detection] request in
            _ = detection.answer(request)
            return detection.answer(request)
        }
        home.clock.advance(by: 1)
        let error = await #expect(throws: KeyringError.self) { _ = try await token(in: work) }
        #expect(error?.message.contains("a refresh was cut off") == true)
    }

    @Test("another refresh token of the same account and client stays what it is")
    func another() async throws {
        try store("rt1", in: .default)
        try store("other", in: work)
        #expect(try await token(in: .default) == "at2")
        #expect(try grant(in: work)?.generation ?? 1 == 1)
        #expect(provider.tokenRequests.count == 1)
        #expect(try await token(in: .default, options: force) == "at3")
    }

    @Test("one that was signed out in the other group meanwhile stays signed out")
    func signedOut() async throws {
        for group in [AccessGroup.default, work] { try store("rt1", in: group) }
        let (keyring, id) = (try home.opened(), ada.id)
        provider.answer { [detection, work] request in
            if request.refreshToken == "rt1" {
                _ = try await keyring.accounts.signOut(id, from: work, undo: .none, network: nil)
            }
            return detection.answer(request)
        }
        #expect(try await token(in: .default) == "at2")
        #expect(try grant(in: work)?.state == .signedOut)
        #expect(try home.opened().accounts.credentials(of: id, in: work).allSatisfy { $0.kind == .refreshToken })
    }

    @Test("what a provider of the one group answers is no word about the other, which asks another endpoint")
    func otherProvider() async throws {
        for group in [AccessGroup.default, work] { try store("rt1", in: group) }
        // As somebody with the key of one group could write it: their own endpoint for the same host.
        let document = """
            {"formatVersion": 1, "name": "plain", "title": "Plain", "issuer": "https://id.example",
            "environment": "id.example", "clientIDs": ["app"], "defaultScopes": ["openid", "profile"],
            "endpoints": {"token_endpoint": "https://evil.example/token"},
            "flows": ["authorizationCode", "deviceAuthorization"], "rotation": "yes"}
            """
        try home.keyring.providers.add([UInt8](document.utf8), replacing: true, in: [work])
        provider.answer { request in
            #expect(request.url.hasPrefix("https://evil.example/"))
            return .tokens("planted", refresh: "planted", scope: "mail.read")
        }
        #expect(try await token(in: work) == "planted")
        #expect(try grant(in: .default)?.generation ?? 1 == 1)
        provider.answer { [detection] in detection.answer($0) }
        #expect(try await token(in: .default) == "at2")
        #expect(provider.tokenRequests.last?.url.hasPrefix("https://id.example") == true)
    }
}
