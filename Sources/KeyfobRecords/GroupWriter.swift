package import KeyfobModel
internal import KeyfobSodium
internal import KeyfobVault

/// Changes one group's records: what saving, signing out and merging mean, wherever the records lie.
package final class GroupWriter {
    let storage: any RecordWriting
    private let device: UInt64

    /// Whether this machine wrote a version.
    func isOwn(_ version: ItemVersion) -> Bool { version.device == device }
    let milliseconds: Int64
    /// What was replaced and removed since ``beginJournal()`` or ``note(as:)``; nil where that is not noted.
    var draft: JournalDraft?
    /// What the change is noted as at its end; nil where the caller sees to that, or nobody.
    var noting: ChangeNote?
    /// What new records have of it.
    var origin: [UInt8]?
    /// How many older entries of the journal made room before their time for what the change was noted as.
    package internal(set) var displaced = 0
    /// Whether the change replaced and removed more than is kept.
    package internal(set) var wasTooMuch = false
    /// The record that was opened last, and its body.
    private var opened: (record: StoredRecord, body: FieldList)?
    /// Whether another program writes, in which a person may have signed in: a refresh token that it replaces is not any more
    /// what a command has added.
    package var isOfProgram = false
    /// Whose tokens another machine has ended: they go from the journal too.
    var ended = EndedTokens()

    /// Where an item comes from that is saved.
    package enum Source: Sendable {
        /// The owner of the keyring, whose word counts.
        case owner
        /// A provider that a person has just signed in to.
        case signIn
        /// Another program's file, which may be older than what is stored.
        case file
        /// A copy of such a file from before: of two refresh tokens of one second, in which times are told there, its own may be
        /// the one that was redeemed for what is stored.
        case copy

        /// Whether it may be older than what is stored.
        var mayBeOlder: Bool { self == .file || self == .copy }
    }

    /// What saving an item did.
    package enum Outcome: String, Hashable, Sendable, CaseIterable {
        case added, changed, unchanged
        /// What is stored is newer and was kept.
        case kept
    }

    /// Changes what `storage` has; `milliseconds` is now, since 1970.
    package init(_ storage: any RecordWriting, device: UInt64, milliseconds: Int64) {
        self.storage = storage
        self.device = device
        self.milliseconds = milliseconds
    }

    /// What the group holds by now.
    var reader: any RecordReading { storage.reader }
    var keys: GroupKeys { storage.reader.keys }
    /// When the change is made.
    var now: Timestamp { Timestamp(seconds: milliseconds / 1_000) }

    /// Ends the change.
    ///
    /// - Returns: How far the group has come; nil where the storage does not tell.
    package func finish() throws -> Milestone? {
        try writeNotes()
        try eraseFromJournal(ended)
        try removeEndedEntries()
        return try storage.finish()
    }

    /// Adds an item with a secret.
    ///
    /// - Parameter former: The body of its record elsewhere, with what this build does not know.
    func insert(_ content: ItemContent, former: FieldList? = nil, secret: borrowing SecretBytes) throws {
        let new = try beginning(content, former: former)
        let known = isNoted(new: content) ? known(content, secret) : nil
        try insert(try keys.seal(new.header, attributes: new.body, secret: secret), known)
    }

    /// Adds an item without a secret.
    func insert(_ content: ItemContent, former: FieldList? = nil) throws {
        let new = try beginning(content, former: former)
        let known = isNoted(new: content) ? known(content) : nil
        try insert(try keys.seal(new.header, attributes: new.body), known)
    }

    /// Replaces a record, with its secret, by a new version of its item.
    ///
    /// - Parameter isSameSecret: Whether `secret` is what the record holds already.
    func replace(
        _ old: StoredRecord, _ content: ItemContent, secret: borrowing SecretBytes, isSameSecret: Bool = false
    ) throws {
        let isNews = try isNews(content, after: old, isSameSecret: isSameSecret)
        let new = try succeeding(old, content, isSameSecret: isSameSecret)
        let sealed = try keys.seal(new.header, attributes: new.body, secret: secret)
        try replace(old, with: sealed, known(content, secret), isNews: isNews)
    }

    /// Replaces a record by a new version of its item that has no secret.
    func replace(_ old: StoredRecord, _ content: ItemContent) throws {
        let isNews = try isNews(content, after: old, isSameSecret: true)
        let new = try succeeding(old, content, isSameSecret: true)
        try replace(old, with: try keys.seal(new.header, attributes: new.body), known(content), isNews: isNews)
    }

    /// A version of now, with a stamp after `previous`.
    func version(after previous: Stamp) -> ItemVersion {
        ItemVersion(stamp: Stamp(milliseconds: milliseconds, after: previous), device: device)
    }

    /// The header of a new record, of a stamp after `previous`.
    func header(_ kind: RecordHeader.Kind, _ index: RecordIndex, after previous: Stamp? = nil) -> RecordHeader {
        RecordHeader(
            vault: keys.vault, group: keys.group, epoch: keys.epoch, record: .random(), kind: kind,
            stamp: Stamp(milliseconds: milliseconds, after: previous), device: device, index: index)
    }

    /// The header of the next version of a record.
    func header(succeeding old: StoredRecord, _ index: RecordIndex) -> RecordHeader {
        var header = old.header
        header.stamp = Stamp(milliseconds: milliseconds, after: old.header.stamp)
        header.device = device
        header.index = index
        return header
    }

    /// What a record says, which is opened once for all who ask one after the other.
    func body(of record: StoredRecord) throws -> FieldList {
        if let opened, opened.record.rowID == record.rowID, opened.record.header == record.header,
            opened.record.attributes.seal == record.attributes.seal
        {
            return opened.body
        }
        let body = try record.open(keys)
        opened = (record, body)
        return body
    }

    /// Says that the change brings what nobody can get again, such as a refresh token in the place of one that was used.
    package func markIrreplaceable() { storage.markIrreplaceable() }

    /// Stores a sealed record that is new.
    ///
    /// - Parameter isNews: Whether others are told of it, where it is of a kind that they are.
    func insert(_ record: SealedRecord, _ known: JournalDraft.Known? = nil, isNews: Bool = true) throws {
        try noteForUndo(nil, record, known)
        try storage.insert(record.told(isNews))
    }

    /// Stores a sealed record in the place of another.
    func replace(
        _ old: StoredRecord, with record: SealedRecord, _ known: JournalDraft.Known? = nil, isNews: Bool = true
    ) throws {
        try noteForUndo(old, record, known)
        try storage.replace(old, with: record.told(isNews))
    }

    /// Whether another version of an item is news for others: that a refresh token was used, or replaced where each machine
    /// has its own, is none.
    private func isNews(_ content: ItemContent, after old: StoredRecord, isSameSecret: Bool) throws -> Bool {
        guard storage.tells, old.header.kind == .refreshToken, var new = content.credential,
            var before = try? ItemBody.decode(body(of: old), .refreshToken).credential
        else { return true }
        let (was, now) = (before.grant ?? Grant(), new.grant ?? Grant())
        guard now.rotates == true else {
            (before.grant, new.grant) = (was.elsewhere, now.elsewhere)
            return !isSameSecret || before != new
        }
        return was.state != now.state || was.latestEpoch != now.latestEpoch || was.latestEnded != now.latestEnded
    }

    /// Removes a record.
    package func delete(_ old: StoredRecord) throws {
        try noteForUndo(old, nil)
        try storage.delete(old)
    }
}

extension SealedRecord {
    /// Whether it is of a kind that a sync can be told.
    package var canBeTold: Bool {
        switch header.kind {
        case .account, .refreshToken, .appMetadata, .setting, .tombstone: !header.isThisDeviceOnly
        case .accessToken, .idToken, .foreign, .clientSecret, .journal: false
        }
    }

    /// The same as what a sync is told, where it can be.
    fileprivate func told(_ isNews: Bool) -> SealedRecord {
        guard isNews, canBeTold else { return self }
        var record = self
        record.telling = .act
        return record
    }
}
