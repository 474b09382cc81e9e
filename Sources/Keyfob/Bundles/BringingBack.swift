internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSelection
internal import KeyfobSodium
internal import KeyfobSync
internal import KeyfobVault

extension Keyring.Bundles {
    /// Brings single accounts or groups of a backup back, and leaves everything else as it is.
    ///
    /// What is gone, or was never here, comes as new: after its removal, a sign-in in an epoch of its own. What is here
    /// stays as it is, also where it was signed out. An account comes with its tokens, and with the bindings, allowances and
    /// the default that went with it. A group that is gone is made, with a new key and without its grants.
    ///
    /// - Parameters:
    ///   - names: The accounts, by id, user name or label, or the beginning of one; none for all of the groups.
    ///   - groups: The groups of the backup; nil for all.
    ///   - takesStrangers: Whether a backup is taken as well that nothing shows to be the owner's: without what decides.
    ///   - isDryRun: Whether nothing is to be changed.
    /// - Throws: `noSuchAccount`, `ambiguous` and `noSuchGroup` for names that the backup does not have, or has several of,
    ///   `needsVaultKey`, `incomplete` or `damaged` where not every record of the groups opens, and as
    ///   ``restore(_:with:takingStrangers:isDryRun:)``.
    public func bringBack(
        accounts names: [String] = [], groups: [AccessGroup]? = nil, from file: borrowing BundleFile,
        with opener: borrowing BundleOpener, takingStrangers takesStrangers: Bool = false, isDryRun: Bool = false
    ) throws(KeyringError) -> ImportPlan {
        guard keyring.opensWholeVault else { throw KeyringError(VaultError.needsVaultKey) }
        let verified = try file.verify(opener, for: [.backup])
        let isOwners = verified.bundle.isOwners(by: opener, keyring)
        try Self.requireOwners(isOwners, unless: takesStrangers, file.name)
        var wanted = ReturningItems(groups: try Self.groups(groups, of: verified.bundle.manifest, "backup"))
        wanted.takesDecisions = isOwners
        wanted.isFromBackup = true
        wanted.takesThisDeviceOnly = isOwners || BundleSummary(verified.bundle.manifest).vault == keyring.vaultID
        if !names.isEmpty {
            let found = try Self.accounts(names, of: wanted.groups, in: file, verified)
            wanted.accounts = found
            wanted.groups.formIntersection(found.map(\.group))
        }
        return try bringBack(wanted, from: file, verified, isOwners: isOwners, isDryRun: isDryRun)
    }

    /// Brings the accounts of a bundle back that were removed here, with their tokens, as new; and nothing else of it.
    ///
    /// - Parameter groups: The groups of the bundle to take; nil for all.
    /// - Throws: as ``import(_:with:mode:groups:taking:)``.
    public func bringBackRemoved(
        from file: borrowing BundleFile, with opener: borrowing BundleOpener, groups: [AccessGroup]? = nil,
        isDryRun: Bool = false
    ) throws(KeyringError) -> ImportPlan {
        let verified = try file.verify(opener, for: [.export])
        var wanted = ReturningItems(groups: try Self.groups(groups, of: verified.bundle.manifest, "bundle"))
        let removed = try removedAccounts(of: wanted.groups, in: file, verified)
        wanted.accounts = removed
        wanted.groups.formIntersection(removed.map(\.group))
        return try bringBack(wanted, from: file, verified, isOwners: false, isDryRun: isDryRun)
    }

    static func groups(
        _ wanted: [AccessGroup]?, of manifest: BundleManifest, _ what: String
    ) throws(KeyringError) -> Set<AccessGroup> {
        for name in wanted ?? [] where !manifest.groups.contains(name) {
            throw KeyringError(
                .noSuchGroup, "the \(what) has no group '\(name)'", candidates: manifest.groups.map(\.name))
        }
        return Set(wanted ?? manifest.groups)
    }

    /// The one account of the backup that answers to each name.
    private static func accounts(
        _ names: [String], of groups: Set<AccessGroup>, in file: borrowing BundleFile,
        _ verified: borrowing VerifiedBundle
    ) throws(KeyringError) -> Set<ItemPlace> {
        let selector = AccountSelector()
        var answering: [String: [Candidate]] = [:]
        do {
            try file.read(verified) { record, _ in
                guard case .account(let account) = record.content, groups.contains(record.group) else { return }
                let candidate = Candidate(
                    account: account, group: record.group, state: .noCredentials, clientIDs: [], isDefault: false)
                for name in names where !selector.candidates(named: name, among: [candidate]).isEmpty {
                    answering[name, default: []].append(candidate)
                }
            }
        } catch {
            throw KeyringError(error)
        }
        var places: Set<ItemPlace> = []
        for name in names {
            // An exact name comes before the beginnings of others.
            let matching = selector.candidates(named: name, among: answering[name] ?? [])
            guard let first = matching.first else {
                throw KeyringError(
                    .noSuchAccount, "the backup has no account '\(name)'", advice: .listBackup(file.name))
            }
            guard matching.count == 1 else {
                let sorted = matching.sorted { $0.account.id < $1.account.id }
                throw KeyringError(several: sorted, "in the backup '\(name)' names") {
                    .useAccountID(such: $0, group: $1)
                }
            }
            places.insert(ItemPlace(first.group, .account(first.account.id)))
        }
        return places
    }

    /// The accounts that were removed from groups here, and those of a bundle of which only a sync's note tells that they were.
    private func removedAccounts(
        of groups: Set<AccessGroup>, in file: borrowing BundleFile, _ verified: borrowing VerifiedBundle
    ) throws(KeyringError) -> Set<ItemPlace> {
        let removals = keyring.sync.knownRemovals()
        var noted: Set<ItemPlace> = []
        if !removals.isEmpty {
            do {
                try file.read(verified) { record, _ in
                    guard record.key.kind == .account, groups.contains(record.group), removals[record.place] != nil
                    else {
                        return
                    }
                    noted.insert(record.place)
                }
            } catch {
                throw KeyringError(error)
            }
        }
        return try withState { state in
            var (removed, there): (Set<ItemPlace>, Set<ItemPlace>) = (noted, [])
            for group in state.vault.groups where groups.contains(group.name) {
                _ = try database.forEachItem(in: group) { result, _ in
                    guard let found = try? result.get(), found.item.key.kind == .account else { return }
                    if found.record.isTombstone {
                        removed.insert(found.item.place)
                    } else {
                        there.insert(found.item.place)
                    }
                }
            }
            return removed.subtracting(there)
        }
    }

    private func bringBack(
        _ wanted: ReturningItems, from file: borrowing BundleFile, _ verified: borrowing VerifiedBundle,
        isOwners: Bool, isDryRun: Bool
    ) throws(KeyringError) -> ImportPlan {
        var tally = ImportTally()
        var new: [AccessGroup] = []
        let changeNote = ChangeNote(keyring.entry(wanted.isFromBackup ? "restore" : "import"))
        do {
            try withVault { state in
                // Another process may have made a group since.
                try database.refresh(&state.vault)
                let present = state.vault.groups.map(\.name)
                new = wanted.groups.filter { !present.contains($0) }.sorted()
                try Self.requireNew(new, among: present, isOwners)
                var noted: [GroupWriter] = []
                let (_, milestones) = try database.change(
                    &state.vault, groups: wanted.groups.sorted(), creating: new, milliseconds: clock.milliseconds(),
                    note: changeNote
                ) { writers in
                    noted = Array(writers.values)
                    let there = try wanted.there(writers)
                    tally = ImportTally()
                    var returned: [AccessGroup: [RecordLoss.Returned]] = [:]
                    try file.read(verified) { record, secret in
                        guard let writer = writers[record.group], wanted.contains(record) else { return }
                        let outcome = try wanted.write(record, secret, there, writer)
                        tally.add(record.place, outcome)
                        if case .added = outcome { returned[record.group, default: []].append(.init(record)) }
                    }
                    for (group, records) in returned { try writers[group]?.forgetLosses(of: records) }
                    if isDryRun { throw DryRunEnded() }
                }
                state.hits.removeAll()
                keyring.warnOfUndo(&state, noted)
                note(&state, milestones)
                if !new.isEmpty { keyring.health.seeToHeaderCopy(&state) }
            }
        } catch is DryRunEnded {
        } catch {
            throw KeyringError(error)
        }
        return ImportPlan(
            .merge, BundleSummary(verified.bundle.manifest, isOwners: isOwners), tally, newGroups: new, keptGroups: [],
            backup: nil)
    }

    private struct DryRunEnded: Error {}
}

extension RecordLoss.Returned {
    fileprivate init(_ record: ItemRecord) {
        self.init(
            RecordLoss.Kind(RecordHeader.Kind(record.content)), account: record.key.account.flatMap { AccountID($0) },
            clientID: record.content.credential?.clientID)
    }
}

/// What is to come back out of a bundle, and how.
private struct ReturningItems {
    /// The groups, of which others are left alone.
    var groups: Set<AccessGroup>
    /// The accounts; nil for everything in the groups.
    var accounts: Set<ItemPlace>?
    /// Whether what decides whose token goes where comes too.
    var takesDecisions = false
    /// Whether refresh tokens are marked as coming from a backup.
    var isFromBackup = false
    /// Whether items for their own vault alone are taken.
    var takesThisDeviceOnly = false

    init(groups: Set<AccessGroup>) { self.groups = groups }

    /// Whether an item is wanted; what was removed there, or is signed out, is not.
    func contains(_ record: ItemRecord) -> Bool {
        guard !record.isTombstone, record.content.credential?.grant?.state != .signedOut else { return false }
        if case .setting(_, nil) = record.content { return false }
        return concerns(record)
    }

    private func concerns(_ record: ItemRecord) -> Bool {
        guard groups.contains(record.group), !record.key.staysHere else { return false }
        guard let accounts else { return true }
        return account(of: record).map { accounts.contains(ItemPlace(record.group, $0)) } ?? false
    }

    /// The account that an item belongs to, or decides for.
    private func account(of record: ItemRecord) -> ItemKey? {
        if case .setting(let name, let value?) = record.content {
            return Setting(name, value, by: .group).account.map(ItemKey.account)
        }
        return record.key.account.map { ItemKey(.account, [$0]) }
    }

    /// What of it is there already.
    func there(_ writers: [AccessGroup: GroupWriter]) throws -> [ItemPlace: ItemContent] {
        var there: [ItemPlace: ItemContent] = [:]
        for (group, writer) in writers {
            let isWhole = try writer.forEachItem(of: group) { result, _ in
                let found = try result.get()
                if !found.record.isTombstone, concerns(found.item) { there[found.item.place] = found.item.content }
            }
            guard isWhole else { throw writer.incomplete }
        }
        return there
    }

    func write(
        _ record: ItemRecord, _ secret: consuming SecretBytes?, _ there: [ItemPlace: ItemContent], _ writer: GroupWriter
    ) throws -> MergeOutcome {
        if let content = there[record.place] {
            let isSignedOut = content.credential?.grant?.state == .signedOut
            return .kept(content == record.content ? .same : isSignedOut ? .signedOutHere : .newerHere)
        }
        if record.isThisDeviceOnly, !takesThisDeviceOnly { return .refused(.thisDeviceOnly) }
        if !takesDecisions, DecisionKinds(record.key) != nil { return .refused(.decision) }
        var item = takesDecisions ? record : record.withoutPast
        item.isOwners = takesDecisions && record.isOwners
        if let credential = record.content.credential {
            switch credential.kind {
            case .accessToken: guard try writer.makeRoom(for: credential, except: []) else { return .kept(.newerHere) }
            case .refreshToken: item.history.isRestored = isFromBackup && credential.grant?.rotates != false
            case .idToken: break
            }
        }
        try writer.bringBack(item, secret: secret)
        return .added
    }
}
