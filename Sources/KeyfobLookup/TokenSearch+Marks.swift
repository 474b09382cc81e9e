package import KeyfobModel
package import KeyfobFiles
package import KeyfobRecords
package import KeyfobVault

extension TokenSearch {
    /// Takes note, outside the vault, of how far it has come.
    package func note(_ state: inout LookupState, _ milestones: [Milestone]) {
        state.note(milestones, by: mark, storage.place, now: time())
    }

    /// Does ``checkState(_:_:)`` unless it was done with the storage in this state.
    package func checkState(
        _ state: inout LookupState, _ group: UnlockedVault.Group, at version: StorageVersion
    ) throws(StorageFailure) {
        let id = group.keys.group
        if state.checked.contains(where: { $0.group == id && $0.version == version }) { return }
        try checkState(&state, group)
        state.checked.removeAll { $0.group == id }
        state.checked.append((id, version))
    }

    /// Compares a group with what was seen of it, and with its own count of records, where the storage tells them.
    package func checkState(_ state: inout LookupState, _ group: UnlockedVault.Group) throws(StorageFailure) {
        guard storage.place == .embedded else { return }
        // What another process has changed since the marks were read is newer than they are, never older.
        let found = try storage.state(of: group.keys)
        if found.counted != found.expected {
            state.warn(
                Warning(
                    .wrongCount,
                    "group '\(group.name)' holds \(found.counted) records where \(found.expected) should be",
                    advice: .verify))
        }
        guard let milestone = found.milestone else { return }
        // Who had the group's key once may make an earlier epoch pass as new: to those who hold the vault key its MAC and
        // their mark tell, and whoever holds this group's key alone must not store or take anything.
        guard state.vault.opensWholeVault || milestone.epoch >= state.marks.epoch(of: group.keys.group) else {
            state.noteEarlierEpoch(milestone, by: mark, now: time())
            throw StoreError.rolledBack(group: group.keys.group)
        }
        note(&state, [milestone])
    }
}

extension LookupState {
    /// The state of a vault that has just been unlocked, compared with what was seen of it before.
    package init(
        opening vault: consuming UnlockedVault, in storage: AnyVaultReading, _ mark: HighWaterMark,
        warnings: [Warning], now: Timestamp
    ) {
        var vault = vault
        var (marks, problem): (Marks, StorageFailure?) = (Marks(), nil)
        do { marks = try mark.marks(now: now) } catch { problem = error }
        // Another process may have changed the header, and the mark, since the header was read.
        var isCurrent = true
        if vault.sequence < marks.sequence(of: nil) {
            do { try storage.refresh(&vault) } catch { isCurrent = false }
        }
        self.init(vault: vault, marks: marks, warnings: warnings)
        self.warnings += findings.map { $0.warning }
        if problem != nil { warn(ofUnnoted: mark) }
        if isCurrent, let milestone = try? self.vault.milestone() {
            note([milestone], by: mark, storage.place, now: now)
        }
    }

    /// What the owner has not accepted yet of what concerns the groups within reach, and the header where the whole vault is.
    package var findings: [StateFinding] {
        StateFinding.inOrder(marks.findings.compactMap { named($0) })
    }

    private func named(_ finding: Marks.Finding) -> StateFinding? {
        StateFinding(finding, groups: vault.groups, isAll: vault.opensWholeVault)
    }

    fileprivate mutating func note(
        _ milestones: [Milestone], by mark: HighWaterMark, _ place: StoragePlace, now: Timestamp
    ) {
        // What another keyring keeps has no transactions, and so no history of its own.
        let milestones =
            place == .embedded
            ? milestones : milestones.map { Milestone(group: $0.group, sequence: $0.sequence, digest: nil) }
        let count = marks.findings.count
        if mark.note(milestones, in: &marks, now: now) != nil { warn(ofUnnoted: mark) }
        for finding in marks.findings[count...].compactMap({ named($0) }) { warn(finding.warning) }
    }

    fileprivate mutating func noteEarlierEpoch(_ milestone: Milestone, by mark: HighWaterMark, now: Timestamp) {
        let count = marks.findings.count
        if mark.noteEarlierEpoch(milestone, in: &marks, now: now) != nil { warn(ofUnnoted: mark) }
        for finding in marks.findings[count...].compactMap({ named($0) }) { warn(finding.warning) }
    }

    private mutating func warn(ofUnnoted mark: HighWaterMark) {
        guard !hasToldUnnoted else { return }
        hasToldUnnoted = true
        warn(
            Warning(
                .notNoted,
                "how far the vault has come could not be noted in \(mark.folder); a rollback would go unnoticed"))
    }
}

extension StateFinding {
    /// What concerns all of the vault first, then groups by name.
    package static func inOrder(_ findings: [StateFinding]) -> [StateFinding] {
        findings.sorted { ($0.group ?? "", $0.kind.rawValue) < ($1.group ?? "", $1.kind.rawValue) }
    }

    /// A finding with its group's name; nil for one that does not concern whoever opens these groups alone.
    ///
    /// - Parameter isAll: Whether the vault has no others, or none is known to be closed.
    package init?(_ finding: Marks.Finding, groups: [UnlockedVault.Group], isAll: Bool) {
        let kind: Kind =
            switch finding.kind {
            case .rollback: .rolledBack
            case .fork: .forked
            case .damage: .marksDamaged
            }
        var name: String?
        switch finding.subject {
        case .marks: break
        case .header: guard isAll else { return nil }
        case .group(let id):
            let group = groups.first { $0.keys.group == id }
            guard group != nil || isAll else { return nil }
            name = group?.name.name ?? id.short
        }
        self.init(kind, group: name, found: finding.found, seen: finding.seen, since: finding.time)
    }
}
