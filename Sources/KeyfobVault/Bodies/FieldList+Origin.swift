package import KeyfobModel

// Which run of a command has added a record, in the same field of every body, so that an undo finds what to take away and
// what is only added needs no record of its own: id of the entry (16 bytes) ‖ when it ran i64 ‖ when the record was added i64 ‖
// command. One more field says that the record is not any more what that command added.

/// The run of a command that added a record.
package struct RecordOrigin: Equatable, Sendable {
    /// The run.
    package let entry: JournalEntry
    /// When the change was made, in milliseconds since 1970.
    package let milliseconds: Int64

    /// The run of a command that makes a change now.
    package init(_ entry: JournalEntry, milliseconds: Int64) {
        (self.entry, self.milliseconds) = (entry, milliseconds)
    }

    /// What a record has of it.
    package var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 64)
        writer.write(entry.id)
        writer.write(entry.time.seconds)
        writer.write(milliseconds)
        writer.write(entry.command.utf8)
        return writer.bytes
    }
}

extension FieldList {
    /// The number of the field in every body.
    private static let origin: UInt16 = 0xFF01
    private static let frontOfOrigin = 32
    /// The number of the field that says that the record has become another since, or came from elsewhere.
    private static let changed: UInt16 = 0xFF02

    /// The run of a command that added the record; nil where nothing, or nothing that makes sense, says which.
    package func origin() -> RecordOrigin? {
        guard let bytes = bytes(Self.origin), bytes.count >= Self.frontOfOrigin,
            bytes.count <= Self.frontOfOrigin + JournalEntry.commandLimit,
            let id = JournalID(bytes.prefix(16)),
            let command = String(validating: bytes.dropFirst(Self.frontOfOrigin), as: UTF8.self)
        else { return nil }
        var reader = ByteReader(bytes.dropFirst(16).prefix(16))
        guard let seconds = try? reader.read(Int64.self), let milliseconds = try? reader.read(Int64.self) else {
            return nil
        }
        let entry = JournalEntry(id: id, command: command, time: Timestamp(seconds: seconds))
        return RecordOrigin(entry, milliseconds: milliseconds)
    }

    /// The body without what tells which command has added the record, and whether it is still that.
    package var withoutOrigin: FieldList {
        let body = bytes(Self.origin) == nil ? self : without(Self.origin)
        return isChanged ? body.without(Self.changed) : body
    }

    /// Whether a later command or another machine has written the record: an undo of what added it leaves it.
    package var isChanged: Bool { bytes(Self.changed) != nil }

    /// The body of a record that is not what the command has added, or that came from another machine.
    package var markedAsChanged: FieldList {
        guard !isChanged else { return self }
        var body = self
        body.append(Self.changed, [1])
        return body
    }

    /// Makes the body that of a record which a run of a command has added.
    ///
    /// - Parameter encoded: What ``RecordOrigin/encoded`` gives.
    package mutating func setOrigin(_ encoded: [UInt8]) {
        self = withoutOrigin
        append(Self.origin, encoded)
    }
}
