import Dispatch
import Keyfob
import KeyfobTestSupport
import Testing

/// What happens to the new token while the owner gives the vault, or a group, other keys.
@Suite("Refreshing while the owner changes keys")
struct RefreshKeyChangeTests: SilentSuite {
    /// How keys change.
    enum Change: CaseIterable {
        case rekey, rotate, revoke

        func make(in keyring: Keyring) throws {
            switch self {
            case .rekey:
                var rekeying = try keyring.slots.beginRekey()
                try rekeying.keep(keyFile: keyFile(1))
                _ = try rekeying.commit(handingOver: { _ in })
            case .rotate: _ = try keyring.groups.rotate(.default)
            case .revoke:
                let slot = try keyring.slots.grant(.default, to: .keyFile(keyFile(2)))
                _ = try keyring.slots.revoke(slot, of: .default)
            }
        }
    }

    let home: SilentHome

    init() throws { home = try .atPlainProvider() }

    @Test("a provider's answer that is on its way is stored", arguments: Change.allCases)
    func answerUnderWay(change: Change) async throws {
        try home.grant("rt1", ada)
        provider.answer { _ in
            try await Task.sleep(for: .milliseconds(200))
            return .tokens("at", refresh: "rt2", scope: "mail.read")
        }
        async let answer = home.token(ada).text
        try await eventually { !provider.tokenRequests.isEmpty }
        let owner = try home.opened()
        // It sleeps while it waits, which is for threads of their own.
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try change.make(in: owner) }) }
        }
        #expect(try await answer == "at")
        #expect(try await home.storedRefreshToken(of: ada) == "rt2")
        #expect(try home.opened().health.verify().problems == [])
    }
}
