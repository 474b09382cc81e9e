internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobRecords
internal import KeyfobSync
internal import KeyfobVault

extension Keyring {
    /// How a bundle is taken in.
    public enum ImportMode: String, Hashable, Sendable, CaseIterable {
        /// Item by item, what was written later or has come further stays.
        case merge
        /// The groups of the bundle hold afterwards what it holds, and nothing else.
        case replace
    }
}

extension Keyring.Bundles {
    /// What taking a bundle in would do.
    ///
    /// - Parameter groups: The groups of the bundle to take; nil for all.
    /// - Throws: as ``import(_:with:mode:groups:taking:)``.
    public func planImport(
        _ file: borrowing BundleFile, with opener: borrowing BundleOpener, mode: Keyring.ImportMode = .merge,
        groups: [AccessGroup]? = nil, taking decisions: DecisionKinds = []
    ) throws(KeyringError) -> ImportPlan {
        try take(file, opener, mode, groups, decisions, isDryRun: true)
    }

    /// Takes a bundle in, all of it in one transaction, after all of it has been read and checked.
    ///
    /// Groups that the vault does not have are made; that needs the whole vault's key. A replacement makes a backup
    /// first. In a sync it goes to the other machines, as what was decided now.
    ///
    /// - Parameters:
    ///   - groups: The groups of the bundle to take; nil for all.
    ///   - decisions: What of it may decide here; the rest is in the plan, refused for the reason `decision`, and what
    ///     there is here of it stays.
    /// - Throws: `wrongKey`, `damaged`, `limitExceeded`, `newerVersion`, `usage` for a bundle of another purpose,
    ///   `noSuchGroup` for a group that the bundle has not, `groupNotGranted`, `configuration` where a replacement
    ///   cannot make its backup, and what writing can throw; nothing has been changed then.
    public func `import`(
        _ file: borrowing BundleFile, with opener: borrowing BundleOpener, mode: Keyring.ImportMode = .merge,
        groups: [AccessGroup]? = nil, taking decisions: DecisionKinds = []
    ) throws(KeyringError) -> ImportPlan {
        try take(file, opener, mode, groups, decisions, isDryRun: false)
    }

    private func take(
        _ file: borrowing BundleFile, _ opener: borrowing BundleOpener, _ mode: Keyring.ImportMode,
        _ groups: [AccessGroup]?,
        _ decisions: DecisionKinds, isDryRun: Bool
    ) throws(KeyringError) -> ImportPlan {
        let verified = try file.verify(opener, for: [.export])
        return try take(
            IncomingBundle(verified.bundle.manifest), mode, groups, decisions, isDryRun: isDryRun,
            reading: { try file.read(verified, $0) })
    }

    /// Takes a bundle in that was verified, while it is read once more.
    ///
    /// - Parameters:
    ///   - group: The group of this vault that the only one of the bundle is, by whatever name the bundle calls that; nil to
    ///     find each by its name.
    ///   - keys: The items of the bundle where they are few, so that nothing else is looked at here; nil for all.
    ///   - removals: What was removed long ago; nil for what the sync of this vault, or the one it left, has noted of that.
    ///   - read: Gives its records again, and fails where it is not the bundle that was verified.
    func take(
        _ incoming: IncomingBundle, _ mode: Keyring.ImportMode, _ wanted: [AccessGroup]?,
        _ decisions: DecisionKinds = [], isDryRun: Bool = false,
        isRestoring: Bool = false, isSync: Bool = false, into group: GroupID? = nil, looksAt keys: Set<ItemKey>? = nil,
        removals: SyncRemovals? = nil, backsUp: Bool = true,
        from source: String? = nil,
        reading read: IncomingBundle.Reading
    ) throws(KeyringError) -> ImportPlan {
        let removals = removals ?? keyring.sync.knownRemovals()
        let isAct = mode == .replace && keyring.sync.isSetUp
        let outcomes: GroupOutcomes
        var backup: String?
        var isBackupWhole = false
        do {
            outcomes = try withVault { state in
                // Another process may have made a group since, or changed one.
                try database.refresh(&state.vault)
                try Self.require(group, as: incoming, state.vault.groups)
                let outcomes = try choose(state.vault, incoming, mode, wanted)
                if !isSync {
                    try Self.requireNew(outcomes.new, among: state.vault.groups.map(\.name), incoming.isOwners)
                }
                return outcomes
            }
            if mode == .replace, backsUp, !isDryRun {
                let reason: BackupClaim.Reason = source == nil ? .beforeReplacement : .beforeRestore
                let report = try withVault { state in try makeBackup(&state, reason, keeping: nil) }
                backup = report.path
                isBackupWhole = !report.isIncomplete
            }
        } catch {
            throw KeyringError(error, hasChanged: database.hasChanged, in: database.directory).asNotDone
        }
        let changeNote = isSync ? nil : ChangeNote(keyring.entry(isRestoring ? "restore" : "import"))
        var plan = ImportPlan(
            mode, incoming.summary, newGroups: outcomes.new, keptGroups: outcomes.kept, backup: backup, travels: isAct)
        do {
            try withVault { state in
                try Self.require(group, as: incoming, state.vault.groups)
                let names = state.vault.groups.map(\.name).filter { !outcomes.new.contains($0) } + outcomes.new
                let applying = BundleApplying(
                    incoming: incoming, mode: mode, groups: outcomes.taken,
                    takesThisDeviceOnly: isRestoring || incoming.manifest.vault == state.vault.header.vault.bytes,
                    decisions: decisions, isRestoring: isRestoring, isAct: isAct, isSync: isSync,
                    device: isSync || !keyring.sync.isSetUp ? nil : try database.device(), keys: keys,
                    refusedGroups: outcomes.refused, removals: removals,
                    milliseconds: clock.milliseconds())
                var noted: [GroupWriter] = []
                let (_, milestones) = try database.change(
                    &state.vault, groups: names, creating: outcomes.new, milliseconds: clock.milliseconds(),
                    note: changeNote
                ) { writers in
                    noted = Array(writers.values)
                    plan = ImportPlan(
                        mode, incoming.summary, try applying.run(writers, reading: read),
                        newGroups: outcomes.new, keptGroups: outcomes.kept, backup: backup, travels: isAct)
                    // Leaving by an error undoes the transaction: what was found out stays.
                    if isDryRun { throw DryRunEnded() }
                }
                state.hits.removeAll()
                keyring.warnOfUndo(&state, noted)
                note(&state, milestones)
                if !outcomes.new.isEmpty { keyring.health.seeToHeaderCopy(&state) }
            }
        } catch is DryRunEnded {
            return plan
        } catch {
            // Nothing has changed: the backup is of what is there still, and older ones are worth more.
            if let backup { try? POSIXFile.remove(backup) }
            throw KeyringError(error)
        }
        if let backup, isBackupWhole {
            _ = try? withVault { state in
                removeOldBackups(
                    in: database.directory.backups, keeping: .automatic, except: [backup] + [source].compactMap(\.self),
                    state.vault)
            }
        }
        return plan
    }

    private struct DryRunEnded: Error {}

    /// What becomes of the groups of a bundle.
    struct GroupOutcomes {
        var taken: Set<AccessGroup> = []
        /// Those of them that are made.
        var new: [AccessGroup] = []
        var refused: [AccessGroup: MergeOutcome.RefusalReason] = [:]
        /// Groups of the vault that are not in the bundle.
        var kept: [AccessGroup] = []
    }

    /// Makes sure that the group which the only one of a bundle is has that name.
    ///
    /// - Throws: `busy`.
    private static func require(
        _ group: GroupID?, as incoming: IncomingBundle, _ groups: [UnlockedVault.Group]
    ) throws {
        guard let group else { return }
        let present = groups.first { $0.keys.group == group }
        guard let present, incoming.manifest.groups == [present.name] else { throw KeyringError.groupHasChanged }
    }

    /// Makes sure that groups of a bundle may be made under their names; what its owner had once comes back as it was.
    static func requireNew(
        _ names: [AccessGroup], among groups: [AccessGroup], _ isOwners: Bool
    ) throws(KeyringError) {
        guard !isOwners else { return }
        var present = groups
        for name in names {
            do throws(KeyringError) {
                try name.requireNew(among: present)
            } catch {
                throw error.saying(
                    "the bundle's group '\(name)' cannot be made here: \(error.message)", advice: .chooseGroups)
            }
            present.append(name)
        }
    }

    private func choose(
        _ vault: borrowing UnlockedVault, _ incoming: IncomingBundle, _ mode: Keyring.ImportMode,
        _ wanted: [AccessGroup]?
    ) throws -> GroupOutcomes {
        let listed = incoming.manifest.groups
        for name in wanted ?? [] where !listed.contains(name) {
            throw KeyringError(.noSuchGroup, "the bundle has no group '\(name)'", candidates: listed.map(\.name))
        }
        let reachable = vault.groups.map(\.name)
        var outcomes = GroupOutcomes()
        for group in listed {
            if let wanted, !wanted.contains(group) {
                outcomes.refused[group] = .notSelected
            } else if reachable.contains(group) {
                outcomes.taken.insert(group)
            } else if vault.opensWholeVault {
                outcomes.taken.insert(group)
                outcomes.new.append(group)
            } else {
                guard wanted == nil else {
                    throw KeyringError(.groupNotGranted, "the key does not open group '\(group)'")
                }
                outcomes.refused[group] = .groupNotGranted
            }
        }
        guard !outcomes.taken.isEmpty || listed.isEmpty else {
            throw KeyringError(
                .groupNotGranted, "the key opens none of the groups of the bundle", candidates: listed.map(\.name))
        }
        if mode == .replace { outcomes.kept = reachable.filter { !listed.contains($0) } }
        return outcomes
    }
}
