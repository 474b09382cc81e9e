internal import KeyfobModel

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
        let lasting = Set(grants.filter { $0.value.grant.state == .active }.map { $0.key.client })
        for (key, mine) in here.items where [.accessToken, .idToken].contains(key.kind) && !mine.isDeleted {
            if items[key].map(\.isDeleted) ?? true, lasting.contains(key.client) { items[key] = mine }
        }
    }

    private func hasAccount(of key: ItemKey) -> Bool {
        key.account.map { contains(ItemKey(.account, [$0])) } ?? false
    }
}

extension ItemKey {
    /// The account and the client, which grants and tokens begin with.
    fileprivate var client: [String] { Array(parts.prefix(2)) }
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
