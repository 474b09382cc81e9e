internal import KeyfobModel

extension ItemKey {
    /// Whether no bundle has the item, and none that has it is believed: how far the log of requests has come, and names that stand
    /// in an undo journal for what was done, which the owner's MAC would make so.
    var staysHere: Bool {
        Keyring.Programs.isAuditHead(self)
            || kind == .setting && parts.first?.hasPrefix(JournalEntry.reservedPrefix) ?? false
    }
}
