internal import KeyfobModel

extension Conflict {
    /// What a person should know of a merge of two states, in a stable order.
    ///
    /// The same for either order of the two. Alone it finds what is wrong within one state: merge it with itself.
    ///
    /// - Parameters:
    ///   - merged: What both know, where that was found out already.
    ///   - now: Milliseconds since 1970.
    package static func found(
        in left: KeyringState, _ right: KeyringState, merged: KeyringState? = nil, now: Int64
    ) -> [Conflict] {
        let merged = merged ?? left.merged(with: right)
        var conflicts = accountsInSeveralGroups(merged)
        for (group, state) in merged.groups.sorted(by: { $0.key < $1.key }) {
            let (mine, theirs) = (left.groups[group] ?? GroupItems(), right.groups[group] ?? GroupItems())
            conflicts += sameLabels(state, group)
            let hasDeletedAccount = state.hasDeletedAccount
            for key in state.keys {
                let place = ItemPlace(group, key)
                if let version = state.version(of: key), version.stamp.isFarAhead(of: now) {
                    conflicts.append(.farAhead(place, version))
                }
                if hasDeletedAccount { conflicts += within(state, place) }
                conflicts += between(mine, theirs, state, place)
            }
        }
        return conflicts
    }

    private static func accountsInSeveralGroups(_ merged: KeyringState) -> [Conflict] {
        guard merged.groups.count > 1 else { return [] }
        var groups: [ItemKey: [AccessGroup]] = [:]
        for (group, state) in merged.groups {
            for key in state.items.keys where key.kind == .account && state.contains(key) {
                groups[key, default: []].append(group)
            }
        }
        return groups.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }
            .map { .accountInSeveralGroups($0.key, $0.value.sorted()) }
    }

    private static func sameLabels(_ state: GroupItems, _ group: AccessGroup) -> [Conflict] {
        var accounts: [String: [ItemKey]] = [:]
        for (key, item) in state.items where key.kind == .account {
            if let label = item.text(.label) { accounts[label, default: []].append(key) }
        }
        return accounts.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }
            .map { .sameLabel(group, label: $0.key, accounts: $0.value.sorted()) }
    }

    /// What does not fit together in the result: what names an account that was removed.
    private static func within(_ state: GroupItems, _ place: ItemPlace) -> [Conflict] {
        let key = place.key
        if key.kind == .setting, let named = state.items[key]?.text(.content) {
            let account = ItemKey(.account, [AccountID(named)?.canonical ?? named])
            if state.items[account]?.isDeleted == true { return [.settingOfDeletedAccount(place, account: account)] }
        }
        if key.kind == .grant, let grant = state.grants[key], grant.grant.state == .active {
            let account = ItemKey.account(grant.credential.account)
            if state.items[account]?.isDeleted == true { return [.signedInButDeleted(place, account: account)] }
        }
        return []
    }

    /// What the two sides said differently.
    private static func between(
        _ left: GroupItems, _ right: GroupItems, _ merged: GroupItems, _ place: ItemPlace
    ) -> [Conflict] {
        let key = place.key
        if let mine = left.grants[key], let theirs = right.grants[key] {
            guard !mine.hasSameContent(as: theirs) else { return [] }
            if mine.isFork(of: theirs) { return [.forkedGrant(place)] }
            return mine.version == theirs.version ? [.sameVersion(place, device: mine.version.device)] : []
        }
        guard let mine = left.items[key], let theirs = right.items[key] else { return [] }
        let wasDeleted = mine.isDeleted != theirs.isDeleted && (mine.deletion != nil || theirs.deletion != nil)
        var conflicts: [Conflict] = []
        // One side has to have deleted what the other does not know to be deleted.
        if wasDeleted, merged.contains(key), mine.deletion != theirs.deletion {
            conflicts.append(.deletedAndChanged(place))
        }
        for (name, register) in mine.fields.sorted(by: { $0.key < $1.key }) {
            guard let other = theirs.fields[name], register.version == other.version,
                !register.hasSameContent(as: other)
            else { continue }
            conflicts.append(.sameVersion(place, device: register.version.device))
            break
        }
        return conflicts
    }
}

extension GrantItem {
    /// Whether the two hold different tokens of one epoch and generation.
    fileprivate func isFork(of other: GrantItem) -> Bool {
        guard let secret, let theirs = other.secret, secret != theirs else { return false }
        return grant.epoch == other.grant.epoch && grant.generation == other.grant.generation
    }
}
