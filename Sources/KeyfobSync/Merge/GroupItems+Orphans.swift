package import KeyfobModel

// What is left of an account that was removed, or of a client that was signed out, where the other side did not know of it:
// tokens that no list shows and that nothing would remove.

extension KeyringState {
    /// Takes away what a removal or a sign-out has left behind in some groups.
    ///
    /// - Parameter before: The state that the other one was merged into.
    /// - Returns: Where something went.
    package mutating func removeOrphans(
        in names: Set<AccessGroup>, since before: KeyringState
    ) -> Set<ItemPlace> {
        var places: Set<ItemPlace> = []
        for name in names {
            let keys = groups[name]?.removeOrphans(since: before.groups[name] ?? GroupItems()) ?? []
            places.formUnion(keys.map { ItemPlace(name, $0) })
        }
        return places
    }
}

extension GroupItems {
    /// The tokens of accounts that were removed.
    ///
    /// The account alone decides: a sign-in writes it anew, so one that came after the removal has brought it back.
    package var orphans: [ItemKey] {
        guard hasDeletedAccount else { return [] }
        let signedIn = grants.filter { $0.value.grant.state != .signedOut }.keys
        let tokens = items.keys.filter { $0.isToken && contains($0) }
        return (Array(signedIn) + tokens).filter { removal(ofAccountOf: $0) != nil }.sorted()
    }

    /// - Returns: The keys of what went.
    fileprivate mutating func removeOrphans(since before: GroupItems) -> [ItemKey] {
        let gone = orphans
        for key in gone {
            if let item = grants[key], let removal = removal(ofAccountOf: key) {
                grants[key] = item.signedOut(by: removal)
            } else {
                delete(key)
            }
        }
        let ended = grants.filter(\.value.hasEnded)
        for (key, item) in ended { grants[key] = item.afterEnd }
        let signedOut = tokensOfSignedOutClients(since: before)
        for key in signedOut { delete(key) }
        return gone + ended.keys + signedOut
    }

    private mutating func delete(_ key: ItemKey) {
        if let version = items[key]?.version { items[key]?.delete(version) }
    }

    /// The access and ID tokens of clients that a sign-out which is new here covers.
    private func tokensOfSignedOutClients(since before: GroupItems) -> [ItemKey] {
        let tokens = items.keys.filter { $0.isToken && contains($0) }
        guard !tokens.isEmpty else { return [] }
        var signIns: [ArraySlice<String>: [ItemKey]] = [:]
        for key in grants.keys { signIns[key.parts.prefix(2), default: []].append(key) }
        return tokens.filter { key in
            guard let own = signIns[key.parts.prefix(2)],
                own.allSatisfy({ grants[$0]?.grant.state == .signedOut })
            else { return false }
            if before.contains(key) {
                // It came of a sign-in that was still good here, whatever the clocks say.
                if own.contains(where: { before.grants[$0].map { $0.grant.state != .signedOut } ?? false }) {
                    return true
                }
                // It was stored after the sign-out that was known already.
                if own.allSatisfy({ before.grants[$0]?.grant == grants[$0]?.grant }) { return false }
            }
            guard let version = version(of: key) else { return false }
            return own.contains { grants[$0].map { version < $0.version } ?? false }
        }
    }

    /// Whether an account was removed.
    var hasDeletedAccount: Bool { items.contains { $0.key.kind == .account && $0.value.isDeleted } }

    /// When the account of an item was removed; nil while it is there, or was never known.
    private func removal(ofAccountOf key: ItemKey) -> ItemVersion? {
        guard let account = key.account, let item = items[ItemKey(.account, [account])], item.isDeleted else {
            return nil
        }
        return item.deletion
    }
}
