internal import Keyfob

/// Which tokens programs asked for lately, and when each is to be replaced so that nobody waits for a new one.
struct TokenUpkeep {
    /// What tells tokens apart.
    struct Key: Hashable {
        let account: AccountID
        let group: AccessGroup
        let clientID: String
        let realm: String
        let scopes: ScopeSet
    }

    /// A token, and who asked for it last.
    struct Kept {
        let caller: AgentCaller
        /// As it was asked for, with the account and the client that were meant.
        let request: TokenRequest
        /// The client that was asked for; nil for any.
        let askedClientID: String?
        let group: AccessGroup
        var renewal: TokenRenewal
        var expiry: Timestamp
        var askedAt: Timestamp
    }

    /// For how many seconds a token is kept fresh after a program has asked for it.
    static let memory: Int64 = 3_600
    /// How many are kept fresh.
    static let capacity = 256
    /// At most so many seconds pass without a look at the clock, which may be set, and does not run while a machine sleeps.
    static let look: Int64 = 60

    private var kept: [Key: Kept] = [:]

    /// Takes note of a token that a program has got, which is ``AgentCaller/remembered``; of one that does not expire, or cannot be replaced, there is nothing to do.
    mutating func isGiven(
        _ found: Keyring.FoundToken, for request: TokenRequest, to caller: AgentCaller, now: Timestamp
    ) {
        guard let expiry = found.credential.expiresOn else { return }
        let key = Key(found)
        if kept[key] == nil, kept.count >= Self.capacity {
            guard let oldest = kept.min(by: { $0.value.askedAt < $1.value.askedAt }) else { return }
            kept[oldest.key] = nil
        }
        let askedClientID = request.clientID
        var request = request
        request.account = found.account.id.description
        request.clientID = found.credential.clientID
        request.keepTenant(of: found)
        var renewal = TokenRenewal(minimumValidity: request.minimumValidity)
        renewal.isGiven(expiry, now: now)
        if found.isAging { renewal.isRefused(now: now) }
        kept[key] = Kept(
            caller: caller, request: request, askedClientID: askedClientID, group: found.group,
            renewal: renewal, expiry: expiry,
            askedAt: now)
    }

    /// Those to be replaced now; they are not told again before ``isRenewed(_:until:now:)`` or ``isRefused(_:now:)``.
    mutating func due(_ now: Timestamp) -> [(key: Key, kept: Kept)] {
        // Asked for in the future means that the clock was set back.
        kept = kept.filter { (0...Self.memory).contains(now.seconds - $0.value.askedAt.seconds) }
        var due: [(key: Key, kept: Kept)] = []
        for key in kept.keys where kept[key]?.renewal.isDue(now) ?? false {
            if let token = kept[key] { due.append((key, token)) }
        }
        return due
    }

    /// Takes note of another one in its place.
    mutating func isRenewed(_ key: Key, until expiry: Timestamp?, now: Timestamp) {
        guard let expiry else { return forget(key) }
        kept[key]?.renewal.isGiven(expiry, now: now)
        kept[key]?.expiry = expiry
    }

    /// Takes note that there is no other one now.
    mutating func isRefused(_ key: Key, now: Timestamp) { kept[key]?.renewal.isRefused(now: now) }

    /// Lets a token expire.
    mutating func forget(_ key: Key) { kept[key] = nil }

    /// Lets all expire.
    mutating func forgetAll() { kept = [:] }

    /// For how many seconds there is nothing to do.
    func seconds(from now: Timestamp) -> Int64 {
        kept.values.compactMap { $0.renewal.seconds(from: now) }.min().map { max($0, 1) } ?? Self.look
    }
}

extension TokenUpkeep.Key {
    init(_ found: Keyring.FoundToken) {
        self.init(
            account: found.account.id, group: found.group, clientID: found.credential.clientID,
            realm: found.credential.realm, scopes: found.credential.scopes)
    }
}

extension AgentCaller {
    /// The same once its process is gone; finding out what its file holds may take long.
    var remembered: AgentCaller {
        let digest = program.kind.isPath ? digest() : nil
        return AgentCaller(program, process: process, user: user, door: door) { digest }
    }
}
