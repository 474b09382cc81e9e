internal import KeyfobModel
internal import KeyfobVault

/// What is kept of what a sign-out or a removal takes away.
public enum UndoPolicy: Hashable, Sendable {
    /// Nothing. What earlier commands kept stays.
    case none
    /// All of it, sealed in its group for 30 days: ``Keyring/undo`` brings it back.
    case keep(UndoableCommand)
    /// Nothing, and what earlier commands kept of the account in any group within reach goes too.
    case erase
}

/// One run of a command that can be undone as a whole, however many accounts it signs out or removes.
public struct UndoableCommand: Hashable, Sendable {
    let entry: JournalEntry

    /// What people read of a sign-out that another program has asked for.
    package static let ofProgram = "a program's sign-out"

    /// The command as people know it.
    public var name: String { entry.command }

    init(_ name: String, at time: Timestamp) {
        entry = JournalEntry(
            id: .random(), command: JournalEntry.fitting(name), time: time)
    }
}

/// How what a command took away comes back.
public struct UndoOffer: Hashable, Sendable {
    /// The entry's id, as people type it.
    public let id: String
    /// Until when.
    public let until: Timestamp
    /// How many older entries made room for this one before their time.
    public let displaced: Int

    init(_ command: UndoableCommand, displaced: Int) {
        id = command.entry.key.short
        until = command.entry.end
        self.displaced = displaced
    }
}

/// What the removal of an account did.
public struct RemovalReport: Hashable, Sendable {
    /// How many records went.
    public let records: Int
    /// How they come back; nil where nothing was kept.
    public let undo: UndoOffer?
}
