import Dispatch
import Keyfob
import KeyfobFiles
import KeyfobOAuth
import KeyfobRecords
import KeyfobTestSupport
import Testing

/// What happens to the new token while somebody arranges accounts and groups.
@Suite("Refreshing while accounts and groups change places", .eachStorageInFullRun)
struct RefreshMoveTests: SilentSuite {
    let home: SilentHome
    private let work: AccessGroup

    init() throws {
        home = try .atPlainProvider()
        work = try AccessGroup("work")
        try home.keyring.groups.create(work)
        try home.addPlainProvider(in: [work])
    }

    /// The refresh token of the account in a group, newly read.
    private func grant(in group: AccessGroup) throws -> Grant? {
        try home.opened().accounts.credentials(of: ada.id, in: group).first { $0.kind == .refreshToken }?.grant
    }

    private func code(_ body: () throws -> Void) -> KeyringError.Code? {
        failure(of: KeyringError.self, body)?.code
    }

    @Test("an account whose token is being refreshed does not move, and the sign-in lasts")
    func moveIsRefused() async throws {
        try home.grant("rt1", ada)
        provider.answer { [home, ada, work] _ in
            let keyring = try home.opened()
            let error = failure(of: KeyringError.self) {
                _ = try keyring.accounts.move(ada.id, from: .default, to: work, patience: .milliseconds(30))
            }
            #expect(error?.code == .busy && error?.message == "a refresh of this account is under way")
            return .tokens("at", refresh: "rt2", scope: "mail.read")
        }
        #expect(try await home.token(ada).text == "at")
        #expect(provider.revoked.isEmpty)
        #expect(try grant(in: .default) == Grant(generation: 2, rotates: true) && grant(in: work) == nil)
        #expect(try await home.storedRefreshToken(of: ada) == "rt2")
    }

    @Test("a move waits for the refresh that is under way, and takes the new token along")
    func moveWaits() async throws {
        try home.grant("rt1", ada)
        provider.answer { _ in
            try await Task.sleep(for: .milliseconds(100))
            return .tokens("at", refresh: "rt2", scope: "mail.read")
        }
        async let answer = home.token(ada).text
        try await eventually { !provider.tokenRequests.isEmpty }
        let other = try home.opened()
        // It sleeps while it waits, which is for threads of their own.
        let count = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { [ada, work] in
                continuation.resume(
                    with: Result { try other.accounts.move(ada.id, from: .default, to: work, patience: .seconds(60)) })
            }
        }
        #expect(try await answer == "at" && count == 3)
        #expect(provider.revoked.isEmpty)
        #expect(try grant(in: work) == Grant(generation: 2, rotates: true) && grant(in: .default) == nil)
        #expect(try await home.storedRefreshToken(of: ada) == "rt2")
        #expect(try home.opened().health.verify().problems == [])
    }

    @Test(
        "a move needs the locks of all the account's refresh tokens",
        arguments: [("app", nil), ("other", nil), ("other", "1")] as [(String, String?)])
    func allLocks(client: String, family: String?) throws {
        for (client, family) in [("app", nil), ("other", nil), ("other", "1")] as [(String, String?)] {
            try home.grant("rt", ada, client: client, family: family)
        }
        let key = GrantKey(
            Credential(kind: .refreshToken, account: ada.id, clientID: client, familyID: family))
        try withExtendedLifetime(lock(key)) { _ in
            #expect(
                code { _ = try home.keyring.accounts.move(ada.id, from: .default, to: work, patience: .zero) } == .busy)
        }
        #expect(try home.keyring.accounts.move(ada.id, from: .default, to: work, patience: .seconds(10)) == 4)
    }

    @Test("tokens that a program keeps apart share a lock, and move all the same")
    func sharedNumber() throws {
        try home.grant("rt", ada)
        var apart = Credential(kind: .refreshToken, account: ada.id, clientID: "app", grant: Grant())
        apart.additionalFields = AdditionalFields([.init(name: "user_assertion_hash", json: "\"x\"")])
        try home.keyring.store(apart, "rt-x", for: ada)
        #expect(try home.keyring.accounts.move(ada.id, from: .default, to: work, patience: .zero) == 3)
    }

    @Test("another account's refresh keeps nobody from moving")
    func otherAccount() throws {
        let bob = try SilentHome.plainAccount("bob")
        try home.grant("rt", ada)
        try home.grant("rt-bob", bob)
        let key = GrantKey(Credential(kind: .refreshToken, account: bob.id, clientID: "app"))
        let lock = try lock(key)
        #expect(try home.keyring.accounts.move(ada.id, from: .default, to: work, patience: .zero) == 2)
        withExtendedLifetime(lock) {}
    }

    /// What an owner does to a group.
    enum Change: CaseIterable {
        case rename, replaceKey, both, swapNames
    }

    @Test(
        "a group that gets another name or another key during a refresh keeps the new token", .embeddedAlone,
        arguments: Change.allCases
    )
    func groupChanges(change: Change) async throws {
        let token = Credential(kind: .refreshToken, account: ada.id, clientID: "app", grant: Grant())
        try home.keyring.store(token, "rt1", for: ada, in: [work])
        let new = try AccessGroup("new")
        provider.answer { [home, work] _ in
            let keyring = try home.opened()
            if change != .rename { _ = try keyring.groups.rotate(work) }
            if change != .replaceKey { try keyring.groups.rename(work, to: new) }
            // Another group may have the name by now.
            if change == .swapNames { try keyring.groups.create(work) }
            return .tokens("at", refresh: "rt2", scope: "mail.read")
        }
        #expect(try await home.token(ada).text == "at")
        #expect(try grant(in: change == .replaceKey ? work : new) == Grant(generation: 2, rotates: true))
        if change == .swapNames { #expect(try home.opened().accounts.credentials(of: ada.id, in: work).isEmpty) }
        #expect(provider.revoked.isEmpty)
        #expect(try await home.storedRefreshToken(of: ada) == "rt2")
        #expect(try home.opened().health.verify().problems == [])
    }

    @Test(
        "somebody who holds the lock and does not let go costs nobody a token that is still good",
        .timeLimit(.minutes(1)))
    func stoppedHolder() async throws {
        try home.grant("rt", ada)
        try home.access("old", ada, refresh: -1)
        let key = GrantKey(Credential(kind: .refreshToken, account: ada.id, clientID: "app"))
        let lock = try lock(key)
        #expect(try await home.token(ada).text == "old")
        #expect(home.keyring.takeWarnings().contains { $0.message.contains("another process is still refreshing") })
        #expect(provider.tokenRequests.isEmpty)
        withExtendedLifetime(lock) {}
    }

    @Test(
        "an answer is waited for less long where a stored token is still good",
        arguments: [(-1, false, [3, 10]), (-1, true, [10, 30]), (nil, false, [10, 30])]
            as [(Int64?, Bool, [Int64])])
    func deadlines(refreshOn: Int64?, isForced: Bool, seconds: [Int64]) async throws {
        try home.grant("rt", ada)
        try home.access("old", ada, expires: refreshOn == nil ? 5 : 3_600, refresh: refreshOn)
        provider.answer(.tokens("at", refresh: "rt2", scope: "mail.read"))
        #expect(try await home.token(ada, options: SilentOptions(forcesRefresh: isForced)).text == "at")
        #expect(provider.requests.map(\.seconds) == seconds)
    }

    /// Takes the lock of a refresh token, as another process does that refreshes it.
    private func lock(_ key: GrantKey) throws -> HeldLock {
        let path = home.home.location.vault + "/refresh.lock"
        guard let lock = try GrantLock.attempt(path, grant: key.lockNumber(vault: home.keyring.vaultID)) else {
            throw KeyringError(.busy, "somebody has the lock")
        }
        return HeldLock(lock)
    }

    private final class HeldLock {
        private let lock: GrantLock

        init(_ lock: consuming GrantLock) {
            self.lock = lock
        }
    }
}
