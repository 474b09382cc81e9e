import Foundation
import Keyfob
import KeyfobOAuth
import KeyfobTestSupport
import Synchronization
import Testing

/// A provider that takes each refresh token once, and ends the sign-in of one that is shown again.
private final class StrictProvider: Sendable {
    struct State {
        var current = 0
        var hasEnded = false
        var shownAgain: [String] = []
    }

    private let state = Mutex(State())
    var shownAgain: [String] { state.withLock { $0.shownAgain } }

    init(_ network: ScriptedNetwork) {
        network.answer { [self] request in answer(request.refreshToken ?? "") }
    }

    /// Ends the sign-in, whatever is shown.
    func end() { state.withLock { $0.hasEnded = true } }

    private func answer(_ token: String) -> ScriptedNetwork.Answer {
        state.withLock { state in
            guard !state.hasEnded else { return .refused("invalid_grant") }
            guard token == "rt-\(state.current)" else {
                state.shownAgain.append(token)
                return .refused("invalid_grant")
            }
            state.current += 1
            return .tokens("at-\(state.current)", refresh: "rt-\(state.current)", scope: "mail.read")
        }
    }
}

@Suite("A sign-in that is newer here than in what comes in")
struct LiveGrantTests: SilentSuite {
    let home: SilentHome
    private let keys = BundleKeys()
    private let strict: StrictProvider

    init() throws {
        home = try .atPlainProvider()
        strict = StrictProvider(home.provider)
        try home.grant("rt-0", home.ada)
    }

    /// A backup where no other makes it go.
    private func backUp() throws -> String {
        let path = home.home.folder.path + "/\(UUID()).age"
        return try home.keyring.bundles.backUp(to: path, for: [keys.recipient]).path
    }

    private func restore(_ path: String) throws -> ImportPlan {
        try home.keyring.bundles.restore(BundleFile(path: path), with: keys.opener)
    }

    private func cache() throws -> [UInt8] {
        var bytes: [UInt8] = []
        _ = try home.keyring.caches.exportMSAL { bytes += contents(of: SecretBytes(copying: $0)) }
        return bytes
    }

    @Test("stays where a backup is restored, with its access token, and says so", .embeddedAlone)
    func restored() async throws {
        let backup = try backUp()
        for _ in 0..<2 { _ = try await home.token(ada, options: force) }
        try home.keyring.accounts.setLabel("new", of: ada.id, in: .default)
        let plan = try restore(backup)
        #expect(plan.lines.contains { $0.kind == "grant" && $0.reason == "newerHere" })
        // All else is what it was.
        #expect(try home.opened().accounts.list().map(\.account.label) == [nil])
        #expect(try await home.token(ada).text == "at-2")
        #expect(try await home.token(ada, options: force).text == "at-3")
        #expect(strict.shownAgain == [])
        #expect(try home.opened().bundles.restoredGrantCount() == 0)
    }

    @Test("one that has ended stays so beside an earlier token of it", .embeddedAlone)
    func ended() async throws {
        let backup = try backUp()
        _ = try await home.token(ada, options: force)
        strict.end()
        #expect(await home.refusal(ada, options: force)?.code == .signInNeeded)
        let count = provider.tokenRequests.count
        _ = try restore(backup)
        #expect(await home.refusal(ada, options: force)?.code == .signInNeeded)
        #expect(provider.tokenRequests.count == count)
    }

    @Test("goes with an account that the backup has not, and a sign-in that was removed comes back", .embeddedAlone)
    func accounts() async throws {
        let before = try backUp()
        let bob = try SilentHome.plainAccount("bob")
        try home.grant("rt-bob", bob)
        let after = try backUp()
        #expect(try restore(before).lines.contains { $0.kind == "grant" && $0.outcome == "removed" })
        #expect(try home.opened().accounts.list().map(\.account.id) == [ada.id])
        _ = try restore(after)
        #expect(try home.grants(of: bob).map(\.grant?.state) == [.active])
    }

    @Test(
        "no order of backups, refreshes, restores and older caches shows a provider a token twice", .embeddedAlone,
        arguments: 0..<100)
    func random(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var (backups, caches): ([String], [[UInt8]]) = ([], [])
        for _ in 0..<14 {
            // Caches tell whole seconds, and much can happen in one.
            if Bool.random(using: &random) { home.clock.advance(by: .random(in: 1...5_000, using: &random)) }
            switch Int.random(in: 0..<6, using: &random) {
            case 0: backups.append(try backUp())
            case 1: caches.append(try cache())
            case 2: if let path = backups.randomElement(using: &random) { _ = try restore(path) }
            case 3:
                if let bytes = caches.randomElement(using: &random) {
                    _ = try home.keyring.caches.importMSAL(secret(bytes))
                }
            default: _ = try await home.token(ada, options: Bool.random(using: &random) ? force : SilentOptions())
            }
        }
        #expect(strict.shownAgain == [])
        _ = try await home.token(ada, options: force)
    }
}
