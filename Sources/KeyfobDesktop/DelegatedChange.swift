internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSecretService
internal import KeyfobSodium
internal import KeyfobVault

/// A change of a vault that the Secret Service keeps: noted first, and made item by item when all of it is known.
///
/// What takes more than one step is written down before the first, so that whoever comes next can complete it. Refresh
/// tokens that take the place of others come first, since nobody can get those again; then what is new, then what
/// changes, then the header, last what goes.
final class DelegatedChange: StorageChange {
    private let storage: SecretServiceStorage
    /// The header before the change.
    private let former: KnownHeader
    /// Where the records are read that are to change; nil is the service.
    private let memory: RememberedRecords?
    private var groups: [GroupID: ItemChange] = [:]
    private var removedGroups: [GroupID] = []
    private var renamedGroups: [GroupID] = []
    /// Whether a step was made, or may have been.
    private var hasBegun = false

    /// - Parameter header: The vault's header before the change.
    init(_ storage: SecretServiceStorage, _ header: borrowing OpenHeader, from memory: RememberedRecords? = nil) {
        self.storage = storage
        former = KnownHeader(header.copy())
        self.memory = memory
    }

    /// Whether it brings what nobody can get again.
    var isIrreplaceable: Bool { groups.values.contains(where: \.isIrreplaceable) }

    private var changes: [ItemChange] {
        groups.values.sorted { $0.keys.group.description < $1.keys.group.description }
    }

    func begin(_ keys: GroupKeys) { _ = change(keys) }

    func records(_ keys: GroupKeys) -> any RecordWriting { change(keys) }

    private func change(_ keys: GroupKeys) -> ItemChange {
        if let change = groups[keys.group] { return change }
        let change = ItemChange(storage, keys, from: memory)
        groups[keys.group] = change
        return change
    }

    func removeRecords(of group: GroupID) throws -> Int {
        removedGroups.append(group)
        return try storage.items(of: group, besides: .journal).count
    }

    func rename(_ group: GroupID, to name: AccessGroup) { renamedGroups.append(group) }

    func expectMany() {}

    func device() -> UInt64 { former.header.device }

    /// What is to be written down, and the header that is to be written, if one is.
    private func plan(
        _ vault: borrowing UnlockedVault, changesHeader: Bool
    ) throws -> (log: ChangeLog, header: KnownHeader?) {
        for change in changes { try change.settleAccounts() }
        let takesAway = !removedGroups.isEmpty || changes.contains(where: \.takesAway)
        let header =
            changesHeader || takesAway ? KnownHeader(try OpenHeader(vault, device: device())) : nil
        let mark = former.header.mark
        var log = ChangeLog(before: mark, after: header?.header.mark ?? mark)
        if changesHeader, let header { log.header = header.header.header }
        log.steps = changes.flatMap(\.steps)
        (log.removedGroups, log.renamedGroups) = (removedGroups, renamedGroups)
        return (log, header)
    }

    /// Whether a part of it can be made without the rest; that the header's mark alone moves on is none.
    private func hasParts(_ log: ChangeLog) -> Bool {
        let calls =
            changes.reduce(log.header.isEmpty ? 0 : 1) { $0 + $1.callCount }
            + (removedGroups.isEmpty && renamedGroups.isEmpty ? 0 : 2)
        return calls > 1
    }

    /// Makes the change.
    ///
    /// - Parameters:
    ///   - vault: The vault, with the groups that it has by now.
    ///   - changesHeader: Whether it has a new header.
    /// - Throws: ``DesktopError``, which tells whether a part was made; what is left of it will be made by whoever looks at
    ///   the vault next. Nothing where the change is irreplaceable and written down.
    func commit(_ vault: borrowing UnlockedVault, changesHeader: Bool = false) throws {
        let (log, header) = try plan(vault, changesHeader: changesHeader)
        var isWritten = false
        if isIrreplaceable || hasParts(log) {
            do {
                try storage.write(log, vault)
                isWritten = true
            } catch {
                // Of what is refused nothing is to be made later; what nobody can get again, the service may take.
                guard isIrreplaceable else {
                    try? storage.removeLog()
                    throw error
                }
            }
        }
        do {
            try make(vault.groupNames, header)
            // One that stays does no harm: it is completed once more.
            if isWritten { try? storage.removeLog() }
        } catch DesktopError.service(let reason, let partly) {
            if isWritten, isIrreplaceable, !reason.isOfContent { return }
            let isPartly = partly || hasBegun
            if isWritten, !isPartly { try? storage.removeLog() }
            throw DesktopError.service(reason, partly: isPartly)
        }
    }

    /// Writes the change down and leaves it to others to make it, where the service cannot be reached.
    ///
    /// - Returns: Whether it was written down: what can be made again is not.
    func keep(_ vault: borrowing UnlockedVault) throws -> Bool {
        guard isIrreplaceable else { return false }
        try storage.append(try plan(vault, changesHeader: false).log, vault)
        for change in changes { change.rememberSteps() }
        return true
    }

    /// Takes up what somebody else has written down, as far as it is still to be done.
    ///
    /// - Parameters:
    ///   - vault: The vault, with the groups that it has by now.
    ///   - isCurrent: Whether nothing was taken away since. Otherwise what was written down only takes the place of earlier
    ///     versions of the same records, so that nothing comes back that was removed.
    /// - Returns: Whether nothing of it is left out.
    func resume(_ log: ChangeLog, _ vault: borrowing UnlockedVault, isCurrent: Bool) throws -> Bool {
        var isWhole = true
        for step in log.latestSteps {
            guard let group = vault.groups.first(where: { $0.keys.group == step.header.group }) else { continue }
            if try !change(group.keys).resume(step, isCurrent: isCurrent) { isWhole = false }
        }
        let names = vault.groupNames
        if isCurrent { removedGroups = log.removedGroups.filter { names[$0] == nil } }
        renamedGroups = log.renamedGroups.filter { names[$0] != nil }
        return isWhole
    }

    /// Makes the change, item by item.
    func make(_ names: [GroupID: AccessGroup], _ header: KnownHeader?) throws {
        for change in changes { try change.replaceGrants(in: names, step) }
        for change in changes { try change.create(in: names, step) }
        for change in changes { try change.replaceOthers(in: names, step) }
        for change in changes { try change.renameOwners(in: names, step) }
        // Once the header is written, nobody knows what the groups were called.
        if !renamedGroups.isEmpty {
            let before = try former.header.unlocked().groupNames
            for group in renamedGroups {
                guard let old = before[group], let new = names[group] else { continue }
                try step { try storage.renameMadeByHand(from: old, to: new) }
            }
        }
        if let header { try step { try storage.storeHeader(header.header) } }
        for change in changes { try change.deleteItems(step) }
        for group in removedGroups {
            for item in try storage.items(of: group) { try step { try storage.remove(item) } }
        }
        for group in renamedGroups { try step { try storage.relabel(group, names) } }
    }

    private func step(_ body: () throws -> Void) throws {
        do {
            try body()
            hasBegun = true
        } catch {
            if case DesktopError.service(let reason, let partly) = error {
                hasBegun = hasBegun || partly || reason == .timedOut || reason == .noService || reason == .noBus
            }
            throw error
        }
    }
}

extension SecretServiceError {
    /// Whether it concerns what is to be stored, so that another attempt ends the same.
    fileprivate var isOfContent: Bool {
        if case .tooLarge = self { true } else { false }
    }
}
