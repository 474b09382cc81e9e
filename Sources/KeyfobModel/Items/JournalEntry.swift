/// One run of a command that took records away or changed them: what its group keeps of it is undone together.
package struct JournalEntry: Hashable, Sendable {
    /// Names the entry; of a command that changed several groups, or one after the other, the same in all of them.
    package let id: JournalID
    /// The command as people know it, such as `account remove`.
    package let command: String
    /// When it ran.
    package let time: Timestamp

    /// For how many seconds an entry is kept: 30 days.
    package static let lifetime: Int64 = 30 * 86_400
    /// How many bytes a command's name has at most.
    package static let commandLimit = 64

    /// How the name of each setting begins that stands in a journal for what no record says; no other setting's does.
    package static let reservedPrefix = "undo "

    /// An entry.
    package init(id: JournalID, command: String, time: Timestamp) {
        self.id = id
        self.command = command
        self.time = time
    }

    /// A command's name with as many bytes as an entry has of it.
    package static func fitting(_ command: String) -> String {
        var fitting = command
        while fitting.utf8.count > commandLimit { fitting.removeLast() }
        return fitting
    }

    /// Until when it can be undone.
    package var end: Timestamp { time.advanced(by: Self.lifetime) }

    /// Whether it says that it is yet to come, by more than clocks differ.
    package func isAhead(of now: Timestamp) -> Bool { Self.isAhead(time, of: now) }

    /// Whether a time is yet to come, by more than clocks differ.
    package static func isAhead(_ time: Timestamp, of now: Timestamp) -> Bool { time > now.advanced(by: 300) }

    /// Whether it is kept no longer: its time is over, or it says that it ran more than a day from now.
    package func hasEnded(at now: Timestamp) -> Bool { now >= end || time > now.advanced(by: 86_400) }
}
