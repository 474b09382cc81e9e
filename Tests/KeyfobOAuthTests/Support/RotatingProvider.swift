import KeyfobModel
import KeyfobOAuth

/// A provider that replaces the refresh token at each use, and ends the whole family when a token comes a second
/// time (RFC 9700, section 4.14.2).
struct RotatingProvider {
    private(set) var current = 1
    private(set) var isAlive = true
    private(set) var requests = 0
    /// Whether it rotates at all.
    var rotates = true
    /// What it answers instead of tokens, before it looks at the request.
    var outage: ProviderFailure?

    /// What it answers to the home tenant's last good request instead of tokens; nil for what it answers to all others.
    var outageOfProbe: ProviderFailure??
    /// How often it was asked for that.
    private(set) var probes = 0

    /// Whether it refuses without a word.
    var isSilent = false
    /// What is wrong with its answers, though they have a refresh token.
    var flaw: ProviderFailure?

    static let silence = ProviderFailure.refusedWithoutReason(Refusal(status: 400))
    static let refusal = ProviderFailure.invalidGrant(Refusal(status: 400, error: "invalid_grant"))

    /// Redeems a refresh token: the next one, or why not.
    mutating func redeem(_ token: Int) -> Result<Int, ProviderFailure> {
        requests += 1
        if let outage { return .failure(outage) }
        guard isAlive, token == current else {
            isAlive = false
            return .failure(isSilent ? Self.silence : Self.refusal)
        }
        if rotates { current += 1 }
        return .success(current)
    }

    /// Redeems a refresh token for the home tenant's last good request.
    mutating func probe(_ token: Int) -> Result<Int, ProviderFailure> {
        probes += 1
        let before = outage
        if let own = outageOfProbe { outage = own }
        defer { outage = before }
        return redeem(token)
    }

    mutating func revoke(_ token: Int) {
        if token == current { isAlive = false }
    }
}
