package import KeyfobModel
internal import KeyfobSodium

extension JournalEntry {
    /// What people name it by: a hash of all that it says.
    ///
    /// Whoever holds the key of a group can write the id of an entry again, with another command or time: that is another entry.
    package var key: JournalID {
        var writer = ByteWriter(capacity: 96)
        writer.write(id)
        writer.write(time.seconds)
        writer.write(command.utf8)
        return JournalID(BLAKE2b.hash(writer.bytes, count: 16)) ?? id
    }
}
