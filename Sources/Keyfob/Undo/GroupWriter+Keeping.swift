internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobVault

extension GroupWriter {
    /// Runs `body`, and keeps what it takes away as the policy says.
    ///
    /// - Parameters:
    ///   - account: Whose records it is about.
    ///   - clients: The clients whose tokens it is about; nil for all that is the account's.
    ///   - run: The run of a command that it is, where the policy names none.
    ///   - change: What is noted where nothing is kept, so that no undo takes an older change for this one; nil for nothing.
    ///   - isLeftOut: Which tokens are worth nothing any more.
    /// - Returns: How what went comes back; nil where nothing is kept.
    func keeping(
        _ policy: UndoPolicy, of account: AccountID, clients: Set<String>? = nil,
        run: JournalEntry, noting change: LastingChange?,
        leavingOut isLeftOut: (Credential) -> Bool = { _ in false }, _ body: (GroupWriter) throws -> Void
    ) throws -> UndoOffer? {
        switch policy {
        case .none, .erase:
            // What was added is not that any more, for a later undo, whatever is kept.
            beginJournal()
            try body(self)
            endJournal()
            if policy == .erase {
                try removeFromJournal { item in
                    guard item.account == account else { return false }
                    return clients.map { clients in
                        item.content.credential.map { clients.contains($0.clientID) } ?? false
                    } ?? true
                }
                try eraseFromJournal(EndedTokens(of: account, clients: clients, isWhole: clients == nil))
            }
            if let change { try note(JournalAct(change), of: run) }
        case .keep(let command):
            beginJournal()
            try body(self)
            let kept = try endJournal(command.entry, leavingOut: isLeftOut)
            if kept == nil, let change { try note(JournalAct(change), of: command.entry) }
            return kept.map { UndoOffer(command, displaced: $0.displaced) }
        }
        return nil
    }
}
