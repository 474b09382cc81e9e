package import KeyfobModel

extension GroupItems {
    /// Puts back the sign-ins that are newer `here`, and the tokens of those that last: what takes the place of a group lowers
    /// none.
    ///
    /// A refresh token that a later one has replaced is of no use, and a provider that rotates its tokens may end the sign-in
    /// when it is shown (RFC 9700, section 4.14.2). An account that is not in what comes goes all the same, with all of it.
    mutating func keepLiveGrants(of here: GroupItems) {
        for (key, mine) in here.grants where hasAccount(of: key) {
            if mine.isToStay(beside: grants[key]) { grants[key] = mine }
        }
        var lasting = Set(grants.filter { $0.value.grant.state == .active }.map { $0.key.client })
        // A sign-in without a refresh token, after a sign-out that what comes does not go beyond.
        for (key, mine) in here.grants where hasAccount(of: key) && here.isFollowed(key) {
            let ended = grants[key].map { $0.grant.state == .signedOut ? $0.grant.latestEnded : .max } ?? 0
            guard ended <= mine.grant.latestEnded else { continue }
            (grants[key], _) = (mine, lasting.insert(key.client))
            for (token, item) in items where token.isToken && token.client == key.client {
                if let version = item.version, version < mine.version { items[token] = nil }
            }
        }
        for (key, mine) in here.items where key.isToken && !mine.isDeleted {
            if items[key].map(\.isDeleted) ?? true, lasting.contains(key.client) { items[key] = mine }
        }
    }

    /// Whether a grant is the mark of a sign-out, and its client has signed in again since: it has a sign-in of another family, or
    /// a token, of which a sign-out leaves none.
    package func isFollowed(_ key: ItemKey) -> Bool {
        guard let mark = grants[key], mark.grant.state == .signedOut else { return false }
        let client = key.client
        return items.contains { $0.key.isToken && !$0.value.isDeleted && $0.key.client == client }
            || grants.contains { $0.value.grant.state == .active && $0.value.secret != nil && $0.key.client == client }
    }

    private func hasAccount(of key: ItemKey) -> Bool {
        key.account.map { contains(ItemKey(.account, [$0])) } ?? false
    }
}

extension ItemKey {
    /// The account and the client, which grants and tokens begin with.
    fileprivate var client: [String] { Array(parts.prefix(2)) }

    /// Whether it is an access or ID token's.
    var isToken: Bool { kind == .accessToken || kind == .idToken }
}

extension GrantItem {
    /// Whether it stays where `other` would take its place: a sign-in that lasts and has come further, or came later; and
    /// one that has ended, where the other is an earlier token of it.
    fileprivate func isToStay(beside other: GrantItem?) -> Bool {
        switch grant.state {
        case .signedOut: return false
        case .needsSignIn:
            guard let other else { return false }
            return other.grant.epoch == grant.epoch && other.grant.generation < grant.generation
        case .active:
            guard secret != nil else { return false }
            guard let other else { return true }
            if other.rank.lexicographicallyPrecedes(rank) { return true }
            guard let mine = credential.cachedAt, let theirs = other.credential.cachedAt else { return false }
            return mine > theirs
        }
    }
}
