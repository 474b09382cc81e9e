package import Keyfob

/// When a token that a program is using is replaced.
package struct TokenRenewal {
    /// For how many seconds a token is to be valid at each moment; nil for as long as usual.
    private let minimumValidity: Int64?
    private var expiry: Timestamp?
    private var due: Timestamp?

    /// At most so many seconds pass without a look at the clock, which may be set, and does not run while a machine sleeps.
    private static let look: Int64 = 60
    /// At least so many lie between two tokens, however short they live.
    private static let pause: Int64 = 2

    /// For a token that is to be valid for so many seconds at each moment; nil for as long as usual.
    package init(minimumValidity: Int64?) { self.minimumValidity = minimumValidity }

    /// Takes note of a token, which expires then, or never.
    ///
    /// It is replaced that long before its end, and one that is not valid for twice as long after half of its time.
    package mutating func isGiven(_ expiry: Timestamp?, now: Timestamp) {
        self.expiry = expiry
        due = expiry.map { expiry in
            let left = expiry.seconds - now.seconds
            let margin = Credential.usualMargin(ofLifetime: left)
            let wait = minimumValidity.map { max(left - max($0, margin), left / 2) } ?? left - margin
            return now.advanced(by: max(wait, Self.pause))
        }
    }

    /// Takes note that there is no other token now: sooner tried again the sooner the one there is expires.
    package mutating func isRefused(now: Timestamp) {
        let left = (expiry?.seconds ?? now.seconds) - now.seconds
        due = now.advanced(by: left > 0 ? min(max(left / 2, Self.pause), Self.look) : Self.look)
    }

    /// Whether another one is to be asked for; once.
    package mutating func isDue(_ now: Timestamp) -> Bool {
        guard let due, due <= now else { return false }
        self.due = nil
        return true
    }

    /// For how many seconds to wait; nil for as long as it takes.
    package func seconds(from now: Timestamp) -> Int64? {
        due.map { min(max($0.seconds - now.seconds, 0), Self.look) }
    }
}
