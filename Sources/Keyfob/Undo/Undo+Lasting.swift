internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobVault

// An undo stops at what cannot be undone: whoever asks for one means what was done last, and nothing before it. What leaves no
// record behind is noted for that, in the vault's journal or, where that is shut or must stay as it is, in the folder for state.

extension Keyring.Undo {
    /// Notes what no undo takes back; where the vault cannot be written, outside it.
    ///
    /// - Parameters:
    ///   - command: The command, where nothing else says what this process was started for.
    ///   - group: The group that it is about; nil for the vault.
    package func note(
        _ kind: LastingChange.Kind, _ subject: String = "", as command: String, in group: AccessGroup? = nil
    ) {
        note(LastingChange(kind, subject), as: command, in: group)
    }

    private func note(_ change: LastingChange, as command: String, in group: AccessGroup?) {
        let entry = keyring.entry(command)
        do throws(KeyringError) {
            let isNoted = try withState { state in
                let groups = state.vault.groups
                guard !keyring.isReadOnly, let place = groups.first(where: { $0.name == group }) ?? groups.first else {
                    return false
                }
                try self.change(&state, place) { try $0.note(JournalAct(change), of: entry) }
                return true
            }
            if isNoted { return }
        } catch {}
        noteOutside(change, of: entry)
    }

    /// Notes what no undo takes back and what leaves the vault as it is.
    package func noteOutside(_ kind: LastingChange.Kind, _ subject: String = "", as command: String) {
        noteOutside(LastingChange(kind, subject), of: keyring.entry(command))
    }

    private func noteOutside(_ change: LastingChange, of entry: JournalEntry) {
        do {
            try notes.add(change, by: entry, milliseconds: clock.milliseconds(), isOfVault: true)
        } catch {
            warn(
                .notNoted, "that it \(change.text) could not be noted: an undo takes back what was done before it"
            )
        }
    }

    /// Notes what a command did to no vault, or to one that is shut.
    ///
    /// - Parameter isOfVault: Whether it is about this vault alone.
    /// - Returns: Whether it is noted.
    @discardableResult
    public static func note(
        _ change: LastingChange, by command: String, at location: KeyringLocation, isOfVault: Bool,
        clock: WallClock = .system
    ) -> Bool {
        let entry = JournalEntry(id: .random(), command: JournalEntry.fitting(command), time: clock.now)
        let notes = LastingNotes(state: location.state, vault: location.vault)
        return (try? notes.add(change, by: entry, milliseconds: clock.milliseconds(), isOfVault: isOfVault)) != nil
    }

    private var notes: LastingNotes { LastingNotes(state: location.state, vault: location.vault) }

    /// What is noted outside the vault, the newest first.
    ///
    /// - Throws: `inputOutput` where it cannot be read: an undo would take back what was done before it.
    func notedOutside() throws(KeyringError) -> [UndoEntry] {
        let now = clock.now
        let all: [LastingNotes.Note]
        do { all = try notes.all() } catch {
            throw KeyringError(
                .inputOutput,
                "\(notes.path) cannot be read, and may tell of what cannot be undone (\(KeyringError(error).message)): "
                    + "remove it, and undo goes on without it")
        }
        return all.reversed().filter { !$0.entry.hasEnded(at: now) }.map { note in
            // Of what lies in no vault nobody knows who wrote it: a slot, say, is not named to be removed.
            let change = note.change.kind.isInVault ? LastingChange(note.change.kind) : note.change
            return UndoEntry(note.entry, [], lasting: [change], in: [], at: note.milliseconds)
        }
    }

    /// Forgets what is noted outside the vault: of one entry, or of all.
    ///
    /// - Parameters:
    ///   - id: The entry's id, or the beginning of it; nil for all.
    ///   - groups: Nil for all that there is: what is noted outside is of no group.
    /// - Returns: How many entries that were.
    func forgetNotedOutside(_ id: String?, in groups: [AccessGroup]?) throws(KeyringError) -> Int {
        guard groups == nil || id != nil else { return 0 }
        let wanted = id.map(Identifier.folded) ?? ""
        guard id == nil || !wanted.isEmpty else { return 0 }
        let meant = try notedOutside().filter { $0.fullID.hasPrefix(wanted) }
        do {
            try notes.remove { note in meant.contains { $0.journalEntry == note.entry } }
        } catch {
            throw KeyringError(error)
        }
        return meant.count
    }

    /// Puts what is noted outside the vault among the entries, the newest first.
    func merging(_ entries: [UndoEntry]) throws(KeyringError) -> [UndoEntry] {
        let now = clock.now
        func isLater(_ left: UndoEntry, _ right: UndoEntry) -> Bool {
            let ahead = (left.isAhead(of: now), right.isAhead(of: now))
            return ahead.0 == ahead.1 ? left.milliseconds > right.milliseconds : ahead.1
        }
        var (merged, rest) = ([UndoEntry](), try notedOutside()[...])
        for entry in entries {
            while let note = rest.first, isLater(note, entry) {
                merged.append(note)
                rest.removeFirst()
            }
            merged.append(entry)
        }
        return merged + rest
    }

    /// Why what was done last is not undone, and what is to be done instead.
    ///
    /// - Parameter groups: The groups in which older changes are looked for; nil for all within reach.
    public func refusal(of entry: UndoEntry, in groups: [AccessGroup]? = nil) -> KeyringError {
        let change = entry.lasting.last ?? LastingChange(.other)
        let older = (try? list(in: groups))?.drop { $0.fullID != entry.fullID }.dropFirst()
            .first { $0.changesSomething && !$0.isUndo }
        return KeyringError(
            .notUndoable,
            "'\(entry.command)' at \(entry.time.rfc3339) \(change.text), which cannot be undone",
            advice: .insteadOfUndo(change, olderCommand: older?.command, olderID: older?.id))
    }
}

extension StoredItem<JournalItem> {
    /// What it did that no undo takes back; of what only a key of the group says, no more than that there is something.
    func lastingChange(_ keys: GroupKeys) throws -> LastingChange? {
        guard let change = JournalAct(value)?.lastingChange else { return nil }
        guard let body = value.former?.body, try SettingBody.decode(body, keys).writer != .group else {
            return LastingChange(.other)
        }
        return change
    }
}

extension UndoEntry {
    /// Whether it says that it is yet to come.
    func isAhead(of now: Timestamp) -> Bool {
        journalEntry.isAhead(of: now) || JournalEntry.isAhead(Timestamp(seconds: milliseconds / 1_000), of: now)
    }
}
