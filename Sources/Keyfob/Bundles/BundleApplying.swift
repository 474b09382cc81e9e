internal import KeyfobLookup
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
    /// Whether a replacement is told to other machines, as what the person decides now: it wins over what was known before,
    /// here and there.
    var isAct = false
    /// Whether it comes from a device of the sync: it is told by that one, and only those decisions become the owner's that
    /// it marks so, since nobody has named them here.
    var isSync = false
    /// The number of this device, whose decisions become those of a bundle that does not come from the sync; nil in a
    /// vault that is part of none.
    var device: UInt64?
    /// The items of the bundle where they are few: what else is here is not looked at; nil for all.
    var keys: Set<ItemKey>?
    /// What is refused beside that, by group.
    let refusedGroups: [AccessGroup: MergeOutcome.RefusalReason]
    /// What was removed here so long ago that nothing here tells of it.
    var removals = SyncRemovals()
    let milliseconds: Int64
    /// How many items are merged at a time, unless one account has more.
    var batch = 1_024

    /// What a vault has of the same accounts.
    private struct Inventory {
        var state = KeyringState()
        var rows: [ItemPlace: [Int64]] = [:]
        var thisDeviceOnly: Set<ItemPlace> = []
        var owners: Set<ItemPlace> = []
    }

    /// Merges and writes everything, some accounts at a time, in the order of their marks on both sides.
    ///
    /// - Parameter read: Gives each record of the bundle, in order, and fails where the bundle is not what it was.
    /// - Throws: `incomplete` and `damaged` where not every record of the groups opens, and what `read` throws.
    func run(_ writers: [AccessGroup: GroupWriter], reading read: IncomingBundle.Reading) throws -> ImportTally {
        incoming.removeAll()
        var tally = ImportTally()
        var wide = WideConflicts()
        var last: SlicePosition?
        let looked = keys.map { keys in (writers.filter { groups.contains($0.key) }, keys) }
        func rows(isChanged: Bool) throws -> HereRows {
            if let looked, let some = try HereRows(looked.0, with: looked.1) { return some }
            return try HereRows(writers, isChanged: isChanged)
        }
        var here = try rows(isChanged: false)
        if try followAdoptions(of: writers, reading: read) { here = try rows(isChanged: true) }
        var taken: [AccessGroup: [Int64]] = [:]
        var takenCount = 0

        func merge() throws {
            guard takenCount + incoming.count > 0 else { return }
            try self.merge(taken, writers, &tally, &wide)
            incoming.removeAll()
            (taken, takenCount) = ([:], 0)
        }
        /// Takes what is here and stands before `end`.
        func takeHere(before end: SlicePosition?) throws {
            while let first = here.position, end.map({ first < $0 }) ?? true {
                if takenCount + incoming.count >= batch, first != last { try merge() }
                let rows = here.next()
                taken[first.group, default: []] += rows
                takenCount += rows.count
            }
        }

        try read { record, secret in
            // Backups of earlier versions have what stays here.
            guard !record.key.staysHere else { return }
            let position = SlicePosition(group: record.group, slice: ItemMark.slice(of: record.key))
            if position != last {
                try takeHere(before: position)
                if takenCount + incoming.count >= batch { try merge() }
                last = position
            }
            // Whom a name means, and who has proved it, is a decision as a binding is; what sign-ins send is another.
            incoming.take(leavesBindingsOut ? record.withoutPast.sending([:]) : record, secret)
        }
        try takeHere(before: nil)
        try merge()
        var adopted: Set<ItemPlace> = []
        let some = looked.map { Set($0.1.compactMap { $0.account.flatMap { AccountID($0) } }) }
        for (group, writer) in looked?.0 ?? writers {
            for id in try writer.followAllAdoptions(of: some) { adopted.insert(ItemPlace(group, .account(id))) }
        }
        if !isSync { tally.conflicts(try wideConflicts(wide, writers, adopted)) }
        return tally
    }

    /// Moves what is held here for accounts of a claimed name which have another id there: the removal of the old id would take it.
    ///
    /// - Returns: Whether something was moved.
    private func followAdoptions(
        of writers: [AccessGroup: GroupWriter], reading read: IncomingBundle.Reading
    ) throws -> Bool {
        guard mode == .merge, !leavesBindingsOut else { return false }
        var owners: [AccessGroup: [AccountID: AccountID]] = [:]
        try read { record, _ in
            guard case .account(let account) = record.content, groups.contains(record.group) else { return }
            for id in account.formerIDs where try writers[record.group]?.account(id)?.isKnownByName == true {
                owners[record.group, default: [:]][id] = account.id
            }
        }
        for (group, ids) in owners {
            for (former, owner) in ids where try writers[group]?.wasRemoved(owner) == false {
                try writers[group]?.moveCredentials(from: former, to: owner)
            }
        }
        return !owners.isEmpty
    }

    /// Merges and writes the items of some accounts.
    private func merge(
        _ rows: [AccessGroup: [Int64]], _ writers: [AccessGroup: GroupWriter], _ tally: inout ImportTally,
        _ wide: inout WideConflicts
    ) throws {
        let inventory = try inventory(rows, writers)
        if let device { incoming.adoptDecisions(as: device, besides: inventory.state) }
        let refusals = refusals(inventory)
        let plan =
            switch mode {
            case .merge:
                MergePlan(
                    merging: incoming.state, into: inventory.state, refusing: refusals, in: groups, now: milliseconds)
            case .replace:
                MergePlan(
                    replacing: inventory.state, in: groups, with: incoming.state, refusing: refusals,
                    now: milliseconds)
            }
        var places = plan.lines.map(\.place)
        if mode == .replace {
            let here = inventory.state.unorderedPlaces.filter { groups.contains($0.group) }
            places = here.union(places).sorted()
        }
        var overlapped: Set<ItemPlace> = []
        for place in places where refusals[place] == nil {
            guard let writer = writers[place.group] else { continue }
            if !(try apply(place, plan.result, inventory, writer)) { overlapped.insert(place) }
        }
        tally.lines(plan.lines, overlapped: overlapped, before: inventory.state)
        tally.returned += plan.lines.count { line in
            line.outcome == .kept(.deletedHere) && inventory.rows[line.place] == nil && removals[line.place] != nil
        }
        tally.conflicts(plan.conflicts.filter(\.isOfOneAccount))
        wide.see(plan.result)
    }

    /// - Parameter adopted: The accounts that are gone because they have another id now.
    private func wideConflicts(
        _ wide: WideConflicts, _ writers: [AccessGroup: GroupWriter], _ adopted: Set<ItemPlace>
    ) throws -> [Conflict] {
        let accounts = try wide.found { body in
            for (group, writer) in writers { try writer.forEachAccount { try body(group, $0) } }
        }
        let settings: [Conflict] = try wide.settings.compactMap { place, account in
            guard try writers[place.group]?.isDeleted(account) == true,
                !adopted.contains(ItemPlace(place.group, account))
            else { return nil }
            return .settingOfDeletedAccount(place, account: account)
        }
        return accounts + settings
    }

    /// Writes one item.
    ///
    /// - Returns: False for an access token that gives way to a newer one.
    private func apply(
        _ place: ItemPlace, _ result: KeyringState, _ inventory: Inventory, _ writer: GroupWriter
    ) throws -> Bool {
        let rows = inventory.rows[place] ?? []
        guard var after = result.record(at: place) else {
            try remove(place, result, rows, writer)
            return true
        }
        if leavesBindingsOut, let own = inventory.state.record(at: place)?.content.credential?.signInParameters {
            after = after.sending(own)
        }
        // What an act replaces is written anew, but for what was only ever removed and for a sign-in that stays as it is here.
        let isAnew = isAct && SyncTravel.travels(place.key) && !(rows.isEmpty && after.isTombstone)
        if isAnew, after.isTombstone {
            try writer.bury(rows: rows)
            return true
        }
        let (old, new) = (inventory.state.secret(at: place), result.secret(at: place))
        let isThisDeviceOnly = incoming.thisDeviceOnly.contains(place) || inventory.thisDeviceOnly.contains(place)
        // What the owner decided there is the owner's here too, once the owner brings it back; and so is what the owner
        // asked for by name.
        let isOwners =
            place.key.kind == .setting && (incoming.owners.contains(place) || !(isRestoring || isSync))
            && incoming.state.record(at: place)?.content == after.content
        let here = inventory.state.record(at: place)
        if !rows.isEmpty, old == new, here == after, !isAnew || place.key.kind == .grant,
            isThisDeviceOnly == inventory.thisDeviceOnly.contains(place),
            !isOwners || inventory.owners.contains(place)
        {
            return true
        }
        // What was never here and is deleted there still has to be known; what only this merge made up has not.
        if rows.isEmpty {
            guard incoming.state.groups[place.group]?.version(of: place.key) != nil,
                removals.isEmpty || incoming.state.record(at: place).map({ !isForgotten($0) }) == true
            else { return true }
        }
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
        let isFollowed = result.groups[place.group]?.isFollowed(place.key) ?? false
        guard isAnew else {
            // That what was removed long ago was brought back is told by whoever sees it.
            let isReturned = rows.isEmpty && removals[place] != nil
            try writer.put(
                item, secret: secret, replacing: rows, isFollowed: isFollowed, isOwnAct: !isSync || isReturned)
            return true
        }
        if let credential = item.content.credential, let known = here?.content.credential?.grant {
            guard let credential = credential.returning(after: known) else { return true }
            item.content = .credential(credential)
        }
        try writer.putAnew(item, secret: secret, replacing: rows, isFollowed: isFollowed)
        return true
    }

    /// Removes an item that is not in the result.
    private func remove(
        _ place: ItemPlace, _ result: KeyringState, _ rows: [Int64], _ writer: GroupWriter
    ) throws {
        guard isAct, SyncTravel.travels(place.key) else { return try writer.erase(rows: rows) }
        // That a sign-in has ended, or that another machine has one, stays known with its account.
        if place.key.kind == .grant, let account = place.key.account,
            result.holds(ItemPlace(place.group, ItemKey(.account, [account])))
        {
            return
        }
        try writer.bury(rows: rows)
    }

    private func inventory(
        _ rows: [AccessGroup: [Int64]], _ writers: [AccessGroup: GroupWriter]
    ) throws -> Inventory {
        var inventory = Inventory()
        for (group, writer) in writers {
            inventory.state.groups[group] = GroupItems()
            try writer.forEachItem(of: group, in: rows[group] ?? []) { found, secrets in
                let item = found.item
                guard !item.key.staysHere else { return }
                let digest: SecretDigest? =
                    found.hasSecret ? incoming.digest(of: try secrets.secret(of: found)) : nil
                inventory.state.insert(item, secret: digest)
                inventory.rows[item.place, default: []].append(found.record.rowID)
                if item.isOwners { inventory.owners.insert(item.place) }
                if item.isThisDeviceOnly { inventory.thisDeviceOnly.insert(item.place) }
            }
        }
        // What is here all the same came back by another way, and goes when it is told once more that it was removed.
        guard !removals.isEmpty else { return inventory }
        for place in incoming.state.places where groups.contains(place.group) && inventory.rows[place] == nil {
            guard let version = removals[place] else { continue }
            inventory.state.insert(ItemRecord(group: place.group, content: .tombstone(place.key), version: version))
        }
        return inventory
    }

    /// Whether what comes in tells of a removal that everybody has taken in, and nobody tells of any more.
    private func isForgotten(_ item: ItemRecord) -> Bool {
        item.isTombstone && removals[item.place].map { item.version <= $0 } ?? false
    }

    private func refusals(_ inventory: Inventory) -> [ItemPlace: MergeOutcome.RefusalReason] {
        var refusals: [ItemPlace: MergeOutcome.RefusalReason] = [:]
        for place in incoming.state.unorderedPlaces {
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

    private var leavesBindingsOut: Bool { isLeftOut(.setting(BindingSetting.prefix)) }

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

extension Credential {
    /// A refresh token that comes back where a grant of it is known: in an epoch of its own; nil where it has ended, and so
    /// has the one that is known.
    fileprivate func returning(after known: Grant) -> Credential? {
        var returning = self
        var new = grant ?? Grant()
        guard new.state == .active else { return known.state == .active ? self : nil }
        let last = max(known.latestEpoch, known.latestEnded)
        if new.epoch <= last { (new.epoch, new.generation) = (last &+ 1, 1) }
        new.ended = max(new.ended, known.latestEnded)
        returning.grant = new
        return returning
    }
}
