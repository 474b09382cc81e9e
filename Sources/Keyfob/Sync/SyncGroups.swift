internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSync
internal import KeyfobVault

// Groups are renamed and removed in a sync too: what a group is called goes with its files, and that it is gone with the heads.

extension Keyring.Sync {
    /// Finds out which groups of the vault got another name since, and which are new here.
    ///
    /// One that is not there any more, and of which nobody said that it was removed, comes back from others.
    func noteGroups(_ session: inout SyncSession) throws {
        guard let sync = session.state.sync else { return }
        let present = try withVault { state in
            guard state.vault.opensWholeVault else { throw VaultError.needsVaultKey }
            try database.refresh(&state.vault)
            return state.vault.groups.map { ($0.keys.group, $0.name) }
        }
        let names = Dictionary(present, uniquingKeysWith: { $1 })
        let number = session.identity.device.number
        for (tag, known) in session.state.groups {
            guard let name = names[known.id] else {
                session.state.forget(tag)
                continue
            }
            guard name != known.name else { continue }
            session.state.groups[tag] = .init(id: known.id, name: name, named: version(after: known.named, by: number))
        }
        let known = Set(session.state.groups.values.map(\.id))
        for (id, name) in present where !known.contains(id) {
            session.state.groups[session.state.unusedTag(for: name, in: sync)] = .init(id: id, name: name)
        }
    }

    private func version(after known: ItemVersion?, by number: UInt64) -> ItemVersion {
        ItemVersion(stamp: Stamp(milliseconds: clock.milliseconds(), after: known?.stamp), device: number)
    }

    /// Makes sure that the removal of a group, or another name for it, can be told to the others.
    ///
    /// - Throws: What opening the state of the sync can throw; a copy of a vault takes part in none.
    func requireTelling() throws(KeyringError) {
        guard isSetUp else { return }
        do { _ = try openSession() } catch { guard error.code == .configuration else { throw error } }
    }

    /// After which of its items a group is removed: after all; nil where the vault is part of no sync.
    func removalVersion(of name: AccessGroup) throws(KeyringError) -> (tag: SyncGroupTag, version: ItemVersion)? {
        try requireTelling()
        guard let session = try? openSession(), let sync = session.state.sync else { return nil }
        do {
            return try withVault { state in
                let group = try state.group(name, suggestsNear: false)
                var last: ItemVersion?
                _ = try database.forEachItem(in: group) { result, _ in
                    guard let version = try? result.get().item.version else { return }
                    last = max(version, last ?? version)
                }
                let tag = session.state.tag(of: group.keys.group) ?? session.state.tag(of: name, in: sync)
                return (tag, version(after: last, by: session.identity.device.number))
            }
        } catch { throw KeyringError(error) }
    }

    /// The groups that other machines may have.
    func shared() -> SharedGroups {
        guard isSetUp else { return .some([]) }
        guard let session = try? openSession() else { return .unknown }
        return .some(Set(session.state.groups.values.map(\.id)))
    }

    /// Which groups other machines may have.
    enum SharedGroups {
        case some(Set<GroupID>)
        /// It cannot be told: it may be any.
        case unknown

        func contains(_ group: GroupID) -> Bool {
            switch self {
            case .some(let groups): groups.contains(group)
            case .unknown: true
            }
        }
    }

    /// Takes note that a group was removed here.
    func note(removal: (tag: SyncGroupTag, version: ItemVersion)) throws(KeyringError) {
        try withSession { session in
            session.state.groups[removal.tag] = nil
            session.state.removedGroups[removal.tag] = removal.version
        }
    }

    /// Takes note that a group has another name.
    func noteNames() throws(KeyringError) {
        guard isSetUp, (try? openSession()) != nil else { return }
        try withSession { session in try noteGroups(&session) }
    }

    /// The groups that a synchronisation gave another name, one line each.
    static func renamed(
        since before: [SyncGroupTag: SyncState.LocalGroup], _ now: [SyncGroupTag: SyncState.LocalGroup]
    ) -> [String] {
        let renamed = before.values.compactMap { old in
            let new = now.values.first { $0.id == old.id && $0.name != old.name }
            return new.map { "group '\(old.name.name)' is called '\($0.name.name)' now, because of another machine" }
        }
        return renamed.sorted()
    }

    /// Takes in what members tell of the groups that they share.
    func takeGroups(_ heads: [SyncDeviceID: SyncHead], _ session: inout SyncSession) {
        let members = session.roster?.members ?? [:]
        for (id, head) in heads {
            guard let scope = members[id]?.scope else { continue }
            let told = head.groups.filter { scope.contains($0.key) }
            session.state.peers[id]?.named = told.compactMapValues(\.named)
            for (tag, change) in told {
                guard let removed = change.removed else { continue }
                let isFull = session.state.removedGroups.count >= [SyncGroupTag: SyncGroupChange].limit
                guard session.state.removedGroups[tag] != nil || !isFull else { continue }
                session.state.removedGroups[tag] = max(removed, session.state.removedGroups[tag] ?? removed)
            }
        }
    }

    /// Removes here what was removed elsewhere: a group with everything that was not written later.
    ///
    /// - Returns: What went, one line each.
    func removeGroups(_ session: inout SyncSession) throws -> [String] {
        var removed: [String] = []
        for (tag, version) in session.state.removedGroups.sorted(by: { $0.key < $1.key }) {
            guard let known = session.state.groups[tag] else { continue }
            let later = try accounts(of: known.id, writtenAfter: version)
            let backup: Keyring.BackupReport?
            do throws(KeyringError) {
                backup = try keyring.bundles.backUpBeforeRemoval()
            } catch  where error.code == .configuration {
                // There is no recovery key, for which one could be made.
                backup = nil
            } catch {
                removed.append(
                    "group '\(known.name)' was removed on another machine, and stays here until a backup can be made: "
                        + error.message)
                continue
            }
            try withVault { state in
                guard let group = state.vault.groups.first(where: { $0.keys.group == known.id }) else { return }
                if later.isEmpty, state.vault.groups.count > 1 {
                    _ = try database.removeGroup(group.name, &state.vault)
                    noteVault(&state)
                    keyring.uses.forget(known.id)
                    return
                }
                try change(&state, group) { writer in
                    var rows: [Int64] = []
                    _ = try writer.forEachItem(of: group.name) { result, _ in
                        guard let found = try? result.get() else { return }
                        let isLater = found.item.key.account.map(later.contains) ?? (found.item.version > version)
                        if !isLater { rows.append(found.record.rowID) }
                    }
                    try writer.erase(rows: rows)
                }
            }
            // What was written later is in a group of that name that is new.
            session.state.groups[tag] = nil
            removed.append(
                "group '\(known.name)' was removed on another machine, and here"
                    + (backup.map { "; \($0.path) has what it held" } ?? ""))
        }
        if !removed.isEmpty { try noteGroups(&session) }
        return removed
    }

    /// The accounts of a group that somebody has written later, by their names in keys.
    private func accounts(of id: GroupID, writtenAfter version: ItemVersion) throws -> Set<String> {
        try withVault { state in
            guard let group = state.vault.groups.first(where: { $0.keys.group == id }) else { return [] }
            var later: Set<String> = []
            _ = try database.forEachItem(in: group) { result, _ in
                guard let item = try? result.get().item, case .account = item.content,
                    item.version(of: .username) > version, let account = item.key.account
                else { return }
                later.insert(account)
            }
            return later
        }
    }

    /// What a group of another machine's is called here, which gets here the name that it was given there since.
    ///
    /// - Parameters:
    ///   - told: What it is called there.
    ///   - named: When it got that name there; nil for the one that it began with.
    ///   - scope: What the device shares that tells it.
    /// - Returns: Nil where there is no such group.
    func localName(
        _ told: AccessGroup, of tag: SyncGroupTag, named: ItemVersion?, in scope: SyncScope,
        _ session: inout SyncSession
    ) throws -> AccessGroup? {
        guard var known = session.state.groups[tag] else {
            // Until it was renamed, a group has a tag of its name.
            guard let sync = session.state.sync, named != nil || Self.begins(tag, as: told, in: sync) else {
                return nil
            }
            return try makeRoom(for: told, of: tag, in: scope, isNew: true, &session)
        }
        guard let named, known.named.map({ $0 < named }) ?? true else { return known.name }
        known.named = named
        guard known.name != told else {
            session.state.groups[tag] = known
            return told
        }
        let name = try makeRoom(for: told, of: tag, in: scope, isNew: false, &session)
        try rename(known, to: name)
        if name != told { known.named = version(after: named, by: session.identity.device.number) }
        known.name = name
        session.state.groups[tag] = known
        return name
    }

    /// Whether the group with this tag began with this name.
    private static func begins(_ tag: SyncGroupTag, as name: AccessGroup, in sync: SyncID) -> Bool {
        (0..<64).contains { SyncGroupTag(name, in: sync, number: $0) == tag }
    }

    /// Since when a group has its name that a device tells of; nil for the one that it began with.
    func naming(
        of tag: SyncGroupTag, as told: AccessGroup, by id: SyncDeviceID, _ session: borrowing SyncSession
    ) -> ItemVersion? {
        guard id == session.own, let sync = session.state.sync else { return session.state.peers[id]?.named[tag] }
        // That went with the group; whatever others say came later.
        if Self.begins(tag, as: told, in: sync) { return nil }
        return ItemVersion(stamp: Stamp(value: 0), device: session.identity.device.number)
    }

    /// What a group of the vault is called now, of which another process may have changed it.
    func currentName(of group: SyncState.LocalGroup) throws -> AccessGroup {
        let name = try withVault { state in
            try database.refresh(&state.vault)
            return state.vault.groups.first { $0.keys.group == group.id }?.name
        }
        guard let name else { throw KeyringError.groupHasChanged }
        return name
    }

    /// Takes note of a group that came from another machine.
    func noteGroup(
        _ name: AccessGroup, of tag: SyncGroupTag, told: AccessGroup, named: ItemVersion?, _ session: inout SyncSession
    ) throws {
        guard session.state.groups[tag] == nil else { return }
        let id = try withVault { state in state.vault.groups.first { $0.name == name }?.keys.group }
        guard let id else { return }
        let own = name == told ? named : version(after: named, by: session.identity.device.number)
        session.state.groups[tag] = .init(id: id, name: name, named: own)
    }

    /// A name that no other group has here, in whatever case.
    ///
    /// Of two that want one name, every machine gives the same one another. What no new group may be called is called otherwise.
    /// A device that does not share the other one takes its name away in no case, nor the name under which new accounts are kept
    /// where nothing else is said.
    private func makeRoom(
        for name: AccessGroup, of tag: SyncGroupTag, in scope: SyncScope, isNew: Bool, _ session: inout SyncSession
    ) throws -> AccessGroup {
        let isOwners = scope == .whole
        let wanted = name.asNew
        let taken = session.state.groups.first { tagged, group in
            tagged != tag && (group.name == wanted || group.name.isConfusable(with: wanted))
        }
        guard taken != nil || !isOwners && wanted == .default else { return wanted }
        if let (other, group) = taken, isNew, isOwners, group.name == wanted, !isToldOf(other, session) {
            // Nobody else has heard of this vault's group of that name: the two are one.
            session.state.groups[other] = nil
            session.state.groups[tag] = group
            return wanted
        }
        guard let (other, group) = taken, scope.contains(other), tag < other else {
            return try Self.freeName(like: wanted, session)
        }
        let free = try Self.freeName(like: group.name, session)
        try rename(group, to: free)
        session.state.groups[other] = .init(
            id: group.id, name: free, named: version(after: group.named, by: session.identity.device.number))
        return wanted
    }

    /// A name with a number that no other group has here.
    private static func freeName(like name: AccessGroup, _ session: borrowing SyncSession) throws -> AccessGroup {
        var number = 2
        while true {
            let free = try AccessGroup("\(name.name)-\(number)")
            let isTaken = session.state.groups.values.contains { $0.name == free || $0.name.isConfusable(with: free) }
            guard isTaken else { return free }
            number += 1
        }
    }

    /// Whether a group is in the files of any device.
    private func isToldOf(_ tag: SyncGroupTag, _ session: borrowing SyncSession) -> Bool {
        session.state.own?.files.contains { $0.group == tag } == true
            || session.state.peers.values.contains { $0.files.contains { $0.group == tag } }
    }

    private func rename(_ group: SyncState.LocalGroup, to new: AccessGroup) throws {
        guard try currentName(of: group) == group.name else { throw KeyringError.groupHasChanged }
        try withVault { state in
            try database.renameGroup(group.name, to: new, &state.vault)
            noteVault(&state)
        }
    }
}

extension KeyringError {
    /// That a group is not what it was when this process began.
    static var groupHasChanged: KeyringError {
        KeyringError(
            .busy, "another process has renamed or removed a group meanwhile", advice: .tryAgain(.nothingLost))
    }
}
