internal import KeyfobDesktop
internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSQLite
internal import KeyfobVault
internal import Synchronization

extension Keyring {
    /// Takes the state, runs `body`, and translates what it throws.
    ///
    /// When a record, a group or the header turns out to be newer than what this process has read,
    /// the header is read again and `body` runs once more; again while the header goes on changing.
    ///
    /// It waits, on its thread, for the calls before it and for other processes, both together as long as ``Patience`` says.
    func withState<Result: ~Copyable>(
        _ body: (inout State) throws -> sending Result
    ) throws(KeyringError) -> sending Result {
        do {
            return try withVault(body)
        } catch {
            throw naming(error)
        }
    }

    private func naming(_ error: any Error) -> KeyringError {
        if let refusal = error as? LookupRefusal {
            return KeyringError(refusal, among: state.withLock { $0.vault.groups.map(\.name) })
        }
        return KeyringError(error, hasChanged: database.hasChanged, in: database.directory)
    }

    /// The same without translating.
    func withVault<Result: ~Copyable>(
        _ body: (inout State) throws -> sending Result
    ) throws -> sending Result {
        let arrival = Patience.Arrival()
        return try state.withLock { state in
            let turn = arrival.begin()
            defer { turn.end() }
            for _ in 1..<Self.attempts {
                do {
                    return try body(&state)
                } catch  where Self.mayBeStale(error) {
                    let sequence = state.vault.sequence
                    try database.refresh(&state.vault)
                    state.hits.removeAll()
                    // Only a header that others keep changing is worth more than one attempt.
                    if state.vault.sequence == sequence { break }
                }
            }
            return try body(&state)
        }
    }

    /// Why the keys that it was unlocked with are not those of the vault that is there now; nil where they are.
    ///
    /// `locked` where the vault has got others, or another one is in its place, which whoever has a key of them at hand opens
    /// anew; `damaged` where somebody without a key has written the header. ``KeyringError/becauseOf(_:)`` tells it where opening anew fails.
    package func refusalOfHeader() -> KeyringError? {
        let arrival = Patience.Arrival()
        return state.withLock { state in
            let turn = arrival.begin()
            defer { turn.end() }
            guard database.isInPlace else { return refusal(ofSuccessorTo: state.vault) }
            do {
                if try database.storedHeader().sequence != state.vault.sequence { try database.refresh(&state.vault) }
                return nil
            } catch let error as VaultError where error.isOfAnotherKey {
                return KeyringError(error)
            } catch {
                // What else is wrong is told by whatever is done next.
                return nil
            }
        }
    }

    /// Whether a call that began with this keyring ended with `error` because the vault has got other keys since.
    package func isOutdated(after error: KeyringError) -> Bool { error.code == .locked && refusalOfHeader() != nil }

    /// Why a vault that is open is of no use any more, since another one is in its place.
    private func refusal(ofSuccessorTo vault: borrowing UnlockedVault) -> KeyringError {
        let there = try? VaultDatabaseReader(database.directory).storedHeader().bytes
        if let there, let time = vault.timeOfSuccession(to: there) {
            return KeyringError(VaultError.keysReplaced(time))
        }
        return KeyringError(
            .locked,
            "what was open of the vault is not in its place any more, and what is held does not open what is there",
            advice: .unlock)
    }

    /// Makes sure that the vault that is open lies in its place.
    ///
    /// - Throws: As ``refusalOfHeader()`` tells.
    func requireInPlace(_ vault: borrowing UnlockedVault) throws(KeyringError) {
        guard database.isInPlace else { throw refusal(ofSuccessorTo: vault) }
    }

    /// How often a change is tried while other processes change the header.
    private static let attempts = 20

    static func mayBeStale(_ error: any Error) -> Bool {
        switch error {
        case StoreError.staleKeys, VaultError.noSuchGroup, VaultError.noSuchSlot: true
        case LookupRefusal.noSuchGroup: true
        case let error as KeyringError: error.code == .noSuchGroup
        default: false
        }
    }

    /// Changes one group in one transaction, and notes how far it has come.
    ///
    /// - Parameter command: What people can undo it as; nil for a change that nobody undoes.
    func change<Result>(
        _ state: inout State, _ group: UnlockedVault.Group, as command: String? = nil,
        _ body: (GroupWriter) throws -> Result
    ) throws -> Result {
        try change(&state, [group], note: command.map { ChangeNote(entry($0)) }) { try body($0[0]) }
    }

    /// The run of a command that a change is noted as: the whole of what this process was started for, where that is known.
    func entry(_ command: String) -> JournalEntry {
        (running.withLock(\.self) ?? UndoableCommand(command, at: clock.now)).entry
    }

    /// Changes several groups in one transaction, and notes how far they have come; `body` gets a writer for each.
    ///
    /// - Parameters:
    ///   - isNotedLater: Whether the caller notes it with ``noteState(_:of:)``, beside what takes long.
    ///   - note: What it is noted as for an undo; nil for a change that nobody undoes.
    func change<Result>(
        _ state: inout State, _ groups: [UnlockedVault.Group], isNotedLater: Bool = false,
        note changeNote: ChangeNote? = nil,
        _ body: ([GroupWriter]) throws -> Result
    ) throws -> Result {
        // What the change is made on is told from what it makes.
        for group in groups {
            do {
                try search.checkState(&state, group, at: try database.version())
            } catch StoreError.rolledBack(let group) {
                throw StoreError.rolledBack(group: group)
            } catch {
                // The change itself tells what is wrong.
            }
        }
        var writers: [GroupWriter] = []
        let (result, milestones) = try database.change(
            groups.map(\.keys), sequence: state.vault.sequence, milliseconds: clock.milliseconds(), note: changeNote
        ) {
            writers = $0
            return try body($0)
        }
        state.hits.removeAll()
        warnOfUndo(&state, writers)
        // Only a database tells later how far it has come.
        if !isNotedLater || database.place != .embedded { note(&state, milestones) }
        return result
    }

    /// Warns where what was changed is not kept for an undo, or where older entries made room for it.
    func warnOfUndo(_ state: inout State, _ writers: [GroupWriter]) {
        let displaced = writers.reduce(0) { $0 + $1.displaced }
        if displaced > 0 {
            let entries = displaced == 1 ? "1 older entry" : "\(displaced) older entries"
            state.warn(Warning(.undoLimit, "\(entries) made room for this one, and cannot be undone any more"))
        }
        if writers.contains(where: \.wasTooMuch) {
            state.warn(
                Warning(.undoLimit, "what was replaced and removed is more than 8 MiB: nothing of it can be undone"))
        }
    }

    /// Changes the header, and notes how far it and its groups have come.
    func changeVault<Result>(_ body: (inout State) throws -> sending Result) throws(KeyringError) -> sending Result {
        try withState { state in
            guard state.vault.opensWholeVault else { throw VaultError.needsVaultKey }
            let result = try body(&state)
            noteVault(&state)
            return result
        }
    }

    /// Notes how far the header and all groups have come.
    func noteVault(_ state: inout State) {
        state.hits.removeAll()
        let groups = state.vault.groups.map { try? database.state(of: $0.keys).milestone }
        note(&state, ([try? state.vault.milestone()] + groups).compactMap(\.self))
        health.seeToHeaderCopy(&state)
    }

    /// Takes note outside the vault of how far these groups have come.
    func noteState(_ state: inout State, of groups: [UnlockedVault.Group]) {
        for group in groups { try? search.checkState(&state, group) }
    }

    /// Takes note outside the vault of how far it has come; what cannot be noted is a warning, because the change is made.
    func note(_ state: inout State, _ milestones: [Milestone]) { search.note(&state, milestones) }

    func warn(_ code: Warning.Code, _ message: String, advice: Advice? = nil) {
        state.withLock { $0.warn(Warning(code, message, advice: advice)) }
    }

    /// Makes sure that the vault has keys of its own.
    ///
    /// - Throws: `notOffered`.
    func requireEmbedded(_ reason: String) throws {
        if database.place == .secretService { throw DesktopError.notOffered(reason) }
    }
}

extension VaultError {
    /// Whether a header is not of the key that is held.
    fileprivate var isOfAnotherKey: Bool {
        switch self {
        case .keysReplaced, .corrupted(.headerAuthentication): true
        default: false
        }
    }
}

extension KeyringError {
    /// What is told where opening a vault anew fails, because of ``Keyring/refusalOfHeader()``: why that was needed, unless more is
    /// wrong than that nothing at hand opens it.
    package func becauseOf(_ refusal: KeyringError?) -> KeyringError {
        [.locked, .wrongKey].contains(code) ? refusal ?? self : self
    }
}
