internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobVault

// Which entry somebody means who names one by its id, or none.

extension Keyring.Undo {
    /// What an id, or nothing, names.
    enum Chosen {
        case run(JournalRun)
        /// What is noted outside the vault.
        case noted(UndoEntry)
    }

    /// What an id names, or the newest that is no undo itself: an older one is not what anybody means who names none.
    static func chosen(
        _ id: String?, among runs: [JournalRun], _ outside: [UndoEntry], now: Timestamp
    ) throws(KeyringError) -> Chosen {
        guard let id else {
            let newest = runs.first { !$0.entry.isUndo }
            guard let noted = outside.first(where: { !$0.isAhead(of: now) }) else {
                guard let newest else { throw nothing(nil) }
                return .run(newest)
            }
            guard let newest, !newest.entry.isAhead(of: now), newest.milliseconds > noted.milliseconds else {
                return .noted(noted)
            }
            return .run(newest)
        }
        var all: [(id: String, value: Chosen)] = runs.map { ($0.entry.key.description, .run($0)) }
        all += outside.map { ($0.fullID, .noted($0)) }
        return try one(named: id, of: all)
    }

    /// The run that an id names.
    static func run(named id: String, among runs: [JournalRun]) throws(KeyringError) -> JournalRun {
        try one(named: id, of: runs.map { ($0.entry.key.description, $0) })
    }

    private static func one<Value>(
        named id: String, of all: [(id: String, value: Value)]
    ) throws(KeyringError) -> Value {
        let wanted = Identifier.folded(id)
        let matching = all.filter { !wanted.isEmpty && $0.id.hasPrefix(wanted) }
        guard let first = matching.first else { throw nothing(id) }
        guard matching.count == 1 else {
            throw KeyringError(
                .ambiguous, "'\(id)' begins the ids of \(matching.count) entries", advice: .listUndo,
                candidates: UniquePrefix.all(of: matching.map(\.id)))
        }
        return first.value
    }

    static func nothing(_ id: String?) -> KeyringError {
        guard let id else {
            return KeyringError(
                .noSuchEntry,
                "there is nothing to undo: nothing was changed in the last 30 days, or all is again as it was")
        }
        return KeyringError(.noSuchEntry, "there is nothing to undo under '\(id)'", advice: .listUndo)
    }
}
