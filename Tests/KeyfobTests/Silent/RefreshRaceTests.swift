import Foundation
import Keyfob
import KeyfobOAuth
import KeyfobTestSupport
import Testing

/// What happens while a request is under way; the scripted answer does it.
@Suite("Refreshing while others act", .eachStorageInFullRun)
struct RefreshRaceTests: SilentSuite {
    let home: SilentHome

    init() throws {
        home = try .atPlainProvider()
    }

    @Test("a sign-out during a refresh stays, and the refresh token that came is revoked")
    func signOut() async throws {
        try home.grant("rt1", ada)
        provider.answer { [home, ada] _ in
            _ = try await home.opened().accounts.signOut(ada.id, from: .default, undo: .none, network: nil)
            return .tokens("at", refresh: "rt2", scope: "mail.read")
        }
        let error = try #require(await home.refusal(ada))
        #expect(error.code == .signInNeeded && error.message.contains("signed out"))
        #expect(try home.theGrant(of: ada).state == .signedOut)
        #expect(try home.accessTokens(of: ada).isEmpty)
        #expect(provider.revoked == ["rt2"])
        #expect(try await home.storedRefreshToken(of: ada) == nil)
    }

    @Test("an account is not removed during a refresh, whose token nobody would have then, and is after it")
    func removal() async throws {
        try home.grant("rt1", ada)
        provider.answer { [home, ada] _ in
            #expect(throws: KeyringError(.busy, "")) {
                try home.opened().accounts.removeForGood(ada.id, from: .default)
            }
            return .tokens("at", refresh: "rt2", scope: "mail.read")
        }
        #expect(try await home.token(ada).text == "at")
        #expect(try await home.storedRefreshToken(of: ada) == "rt2")
        _ = try home.opened().accounts.removeForGood(ada.id, from: .default)
        #expect(try home.opened().accounts.list().isEmpty)
        #expect(try home.opened().accounts.credentials(of: ada.id, in: .default).isEmpty)
    }

    @Test("an account that is forgotten during a refresh stays gone")
    func forgotten() async throws {
        try home.grant("rt1", ada)
        provider.answer { [home, ada] _ in
            _ = try await home.opened().accounts.signOut(
                ada.id, reach: .forget, from: .default, undo: .none, network: nil)
            return .tokens("at", refresh: "rt2", scope: "mail.read")
        }
        #expect(await home.refusal(ada)?.code == .noSuchAccount)
        #expect(try home.opened().accounts.list().isEmpty && home.accessTokens(of: ada).isEmpty)
        #expect(provider.revoked == ["rt2"])
    }

    @Test("a sign-in during a refresh wins, with its tokens")
    func signIn() async throws {
        try home.grant("rt1", ada)
        provider.answer { [home] request in
            guard request.fields["grant_type"] == "refresh_token" else {
                return .tokens("at-signin", refresh: "rt-signin", scope: "openid mail.read", id: TestIDToken().text)
            }
            var signIn = SignInRequest(provider: "plain")
            signIn.scopes = ["mail.read"]
            try await signInByDevice(signIn, home.opened(), home)
            return .tokens("at-refresh", refresh: "rt2", scope: "mail.read")
        }
        #expect(try await home.token(ada).text == "at-signin")
        let grant = try home.theGrant(of: ada)
        #expect(grant == Grant(epoch: 2))
        #expect(try await home.storedRefreshToken(of: ada) == "rt-signin")
    }

    @Test("another refresh token that is stored during a refusal is not blamed for it, but used")
    func refusalOfOldToken() async throws {
        try home.grant("rt1", ada)
        provider.answer { [home, ada] request in
            if request.refreshToken == "rt-new" { return .tokens("at", refresh: "rt3", scope: "mail.read") }
            try home.opened().store(
                Credential(kind: .refreshToken, account: ada.id, clientID: "app", grant: Grant()), "rt-new", for: ada)
            return .refused("invalid_grant", "bad_token")
        }
        #expect(try await home.token(ada).text == "at")
        #expect(provider.tokenRequests.map(\.refreshToken) == ["rt1", "rt-new"])
        #expect(try home.theGrant(of: ada).state == .active)
    }

    @Test("nor for an account that the provider calls deleted")
    func deletionOfOldToken() async throws {
        try home.grant("rt1", ada)
        provider.answer { [home, ada] request in
            if request.refreshToken == "rt-new" { return .tokens("at", refresh: "rt3", scope: "mail.read") }
            try home.opened().store(
                Credential(kind: .refreshToken, account: ada.id, clientID: "app", grant: Grant()), "rt-new", for: ada)
            return .refused("invalid_grant", "user_account_deleted")
        }
        #expect(try await home.token(ada).text == "at")
        #expect(try home.theGrant(of: ada).state == .active)
    }

    @Test("thirty at once with five keyrings are one request, and all get its token", arguments: [true, false])
    func singleFlight(rotates: Bool) async throws {
        try home.grant("rt1", ada)
        provider.answer { _ in
            try await Task.sleep(for: .milliseconds(50))
            return .tokens("at", refresh: rotates ? "rt2" : nil, scope: "mail.read")
        }
        let keyrings = try (0..<5).map { _ in try home.opened() }
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<30 {
                group.addTask { [home, ada] in try await home.token(ada, from: keyrings[number % 5]).text }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(texts == Array(repeating: "at", count: 30))
        #expect(provider.tokenRequests.count == 1)
        #expect(try home.theGrant(of: ada).generation == (rotates ? 2 : 1))
    }

    @Test("thirty who force a new one at once share it where it rotates")
    func forcedFlight() async throws {
        try home.grant("rt1", ada)
        provider.answer { request in
            try await Task.sleep(for: .milliseconds(50))
            return .tokens(
                "at-\(request.refreshToken ?? "")", refresh: (request.refreshToken ?? "") + "+", scope: "mail.read")
        }
        let keyrings = try (0..<5).map { _ in try home.opened() }
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<30 {
                group.addTask { [home, ada, force] in
                    try await home.token(ada, options: force, from: keyrings[number % 5]).text
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // Each refresh used the token that the one before it had stored: none was used twice.
        let used = provider.tokenRequests.compactMap(\.refreshToken)
        #expect(Set(used).count == used.count && texts.count == 30)
        #expect(try home.theGrant(of: ada).generation == UInt64(used.count) + 1)
    }

    @Test("two accounts are refreshed side by side")
    func twoAccounts() async throws {
        let bob = try SilentHome.plainAccount("bob")
        try home.grant("rt-ada", ada)
        try home.grant("rt-bob", bob)
        // Each waits until the other's request is there.
        provider.answer { [provider] request in
            try await eventually { provider.tokenRequests.count >= 2 }
            return .tokens("at", refresh: (request.refreshToken ?? "") + "+", scope: "mail.read")
        }
        async let first = home.token(ada).text
        async let second = home.token(bob, from: home.opened()).text
        #expect(try await (first, second) == ("at", "at"))
    }
}
