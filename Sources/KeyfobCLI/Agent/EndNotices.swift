internal import Keyfob
internal import KeyfobAgent
internal import Synchronization

/// Warns of sign-ins that end soon, each once while the agent runs.
final class EndNotices: Sendable {
    /// How often it is looked, in milliseconds.
    private static let pause: Int64 = 3_600_000

    private struct State {
        var next: Int64 = 0
        var told: Set<Keyring.EndingSignIn> = []
    }

    private let state = Mutex(State())

    /// Whether it is time to look.
    func isDue(_ now: Int64 = VarlinkServer.uptime()) -> Bool {
        state.withLock { state in
            guard now >= state.next else { return false }
            state.next = now + Self.pause
            return true
        }
    }

    /// What is to be told that has not been told.
    func lines(of keyring: Keyring, _ now: Timestamp = WallClock.system.now) -> [String] {
        let ending = (try? keyring.signIns.ending()) ?? []
        return ending.filter { signIn in state.withLock { $0.told.insert(signIn).inserted } }.map { signIn in
            let names = keyring.accounts.naming(for: signIn.account)
            return "keyfob: warning: \(signIn.text(now, names)); \(signIn.advice(names).text)"
        }
    }
}
