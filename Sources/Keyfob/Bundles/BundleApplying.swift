internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSQLite
internal import KeyfobSync
internal import KeyfobVault

/// Takes a bundle into groups that are open for writing, within one transaction.
struct BundleApplying {
    let incoming: IncomingBundle
    let mode: Keyring.ImportMode
    /// The groups of the bundle that are taken.
    let groups: Set<AccessGroup>
    /// Whether items for their own vault alone are taken.
    let takesThisDeviceOnly: Bool
    /// Which decisions of the bundle are taken; a restore takes all.
    let decisions: DecisionKinds
    /// Whether refresh tokens are marked as coming from a backup.
    let isRestoring: Bool
    /// What is refused beside that, by group.
    let refusedGroups: [AccessGroup: MergeOutcome.RefusalReason]
    let milliseconds: Int64

    /// What a vault has.
    private struct Inventory {
        var state = KeyringState()
        var rows: [ItemPlace: [Int64]] = [:]
        var thisDeviceOnly: Set<ItemPlace> = []
        var owners: Set<ItemPlace> = []
    }

    /// Writes what the plan says.
    ///
    /// - Returns: The plan, and the access tokens that were not taken because a newer one has a scope in common.
    /// - Throws: `incomplete` and `damaged` where not every record of the groups opens.
    func run(_ writers: [AccessGroup: GroupWriter]) throws -> (plan: MergePlan, overlapped: Set<ItemPlace>) {
        let inventory = try inventory(writers)
        let refusals = refusals(inventory)
        let plan =
            switch mode {
            case .merge:
                MergePlan(
                    merging: incoming.state, into: inventory.state, refusing: refusals, now: milliseconds)
            case .replace:
                MergePlan(
                    replacing: inventory.state, in: groups, with: incoming.state, refusing: refusals,
                    now: milliseconds)
            }
        var places = Set(incoming.state.places).union(plan.lines.map(\.place))
        if mode == .replace { places.formUnion(inventory.state.places.filter { groups.contains($0.group) }) }
        var overlapped: Set<ItemPlace> = []
        for place in places.sorted() where refusals[place] == nil {
            guard let writer = writers[place.group] else { continue }
            if !(try apply(place, plan.result, inventory, writer)) { overlapped.insert(place) }
        }
        return (plan, overlapped)
    }

    /// Writes one item.
    ///
    /// - Returns: False for an access token that gives way to a newer one.
    private func apply(
        _ place: ItemPlace, _ result: KeyringState, _ inventory: Inventory, _ writer: GroupWriter
    ) throws -> Bool {
        let rows = inventory.rows[place] ?? []
        guard let after = result.record(at: place) else {
            try writer.erase(rows: rows)
            return true
        }
        let (old, new) = (inventory.state.secret(at: place), result.secret(at: place))
        let isThisDeviceOnly = incoming.thisDeviceOnly.contains(place) || inventory.thisDeviceOnly.contains(place)
        // What the owner decided there is the owner's here too, once the owner brings it back; and so is what the owner
        // asked for by name.
        let isOwners =
            place.key.kind == .setting && (incoming.owners.contains(place) || !isRestoring)
            && incoming.state.record(at: place)?.content == after.content
        if !rows.isEmpty, old == new, inventory.state.record(at: place) == after,
            isThisDeviceOnly == inventory.thisDeviceOnly.contains(place),
            !isOwners || inventory.owners.contains(place)
        {
            return true
        }
        // What was never here and is deleted there still has to be known; what only this merge made up has not.
        if rows.isEmpty, incoming.state.record(at: place) == nil { return true }
        if after.isTombstone, after.key.kind == .accessToken {
            try writer.erase(rows: rows)
            return true
        }
        if let credential = after.content.credential, credential.kind == .accessToken,
            !(try writer.makeRoom(for: credential, except: rows))
        {
            return false
        }
        var item = after
        item.isThisDeviceOnly = isThisDeviceOnly
        item.isOwners = isOwners
        var secret = GroupWriter.NewSecret.none
        if let new {
            if new == old {
                secret = .kept
            } else if let taken = try incoming.secret(at: place), new == incoming.state.secret(at: place) {
                if isRestoring, let credential = after.content.credential, credential.kind == .refreshToken {
                    item.history.isRestored = credential.grant?.rotates != false
                }
                secret = .new(taken)
            }
        }
        try writer.put(item, secret: secret, replacing: rows)
        return true
    }

    private func inventory(_ writers: [AccessGroup: GroupWriter]) throws -> Inventory {
        var inventory = Inventory()
        for (group, writer) in writers {
            inventory.state.groups[group] = GroupItems()
            let isWhole = try writer.forEachItem(of: group) { result, secrets in
                let found = try result.get()
                let item = found.item
                let digest: SecretDigest? =
                    found.hasSecret ? incoming.digest(of: try secrets.secret(of: found)) : nil
                inventory.state.insert(item, secret: digest)
                inventory.rows[item.place, default: []].append(found.record.rowID)
                if item.isOwners { inventory.owners.insert(item.place) }
                if item.isThisDeviceOnly { inventory.thisDeviceOnly.insert(item.place) }
            }
            guard isWhole else { throw writer.incomplete }
        }
        return inventory
    }

    private func refusals(_ inventory: Inventory) -> [ItemPlace: MergeOutcome.RefusalReason] {
        var refusals: [ItemPlace: MergeOutcome.RefusalReason] = [:]
        for place in incoming.state.places {
            if let reason = refusedGroups[place.group] {
                refusals[place] = reason
            } else if !takesThisDeviceOnly && incoming.thisDeviceOnly.contains(place) {
                refusals[place] = .thisDeviceOnly
            } else if isLeftOut(place.key) {
                refusals[place] = .decision
            }
        }
        // Nor does a replacement take them away.
        if mode == .replace {
            for place in inventory.state.places where isLeftOut(place.key) { refusals[place] = .decision }
        }
        return refusals
    }

    private func isLeftOut(_ key: ItemKey) -> Bool {
        guard !isRestoring, let kind = DecisionKinds(key) else { return false }
        return !decisions.isSuperset(of: kind)
    }
}

extension KeyringState {
    /// Which secret goes with an item.
    func secret(at place: ItemPlace) -> SecretDigest? {
        groups[place.group]?.secret(of: place.key)
    }
}
