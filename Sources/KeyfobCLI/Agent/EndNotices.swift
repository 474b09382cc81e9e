internal import Keyfob
internal import KeyfobAgent

/// Warns of sign-ins that end soon, each once while the agent runs.
struct EndNotices {
    /// How often it is looked, in milliseconds.
    private static let pause: Int64 = 3_600_000
    private var next: Int64 = 0
    private var told: Set<Keyring.EndingSignIn> = []

    /// Whether it is time to look.
    mutating func isDue(_ now: Int64 = VarlinkServer.uptime()) -> Bool {
        guard now >= next else { return false }
        next = now + Self.pause
        return true
    }

    /// What is to be told that has not been told.
    mutating func lines(of keyring: Keyring, _ now: Timestamp = WallClock.system.now) -> [String] {
        let ending = (try? keyring.signIns.ending()) ?? []
        return ending.filter { told.insert($0).inserted }.map { signIn in
            let names = keyring.accounts.naming(for: signIn.account)
            return "keyfob: warning: \(signIn.text(now, names)); \(signIn.advice(names).text)"
        }
    }
}
