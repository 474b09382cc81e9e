package import KeyfobModel
internal import KeyfobFiles
internal import KeyfobSodium
package import KeyfobVault

// The undo journal of a group. A command begins a draft, changes records, and ends the draft: what it took away or
// changed is written in the same change, sealed under the group's key as every record.

/// What of a command is kept in the journal.
package struct JournalKept: Hashable, Sendable {
    /// How many items.
    package let items: Int
    /// How many older entries made room for it.
    package let displaced: Int
}

extension GroupWriter {
    /// How many bytes the entries of a group have at most; the newest entry may have more.
    package static let journalLimit = 8 << 20

    /// Notes from now on what changes.
    package func beginJournal() { draft = JournalDraft() }

    /// Forgets what has changed since ``beginJournal()``.
    package func endJournal() { draft = nil }

    /// Writes down what has changed since ``beginJournal()``, as an entry or as a part of one.
    ///
    /// Entries whose time is over go, and the oldest ones where there is too much.
    ///
    /// - Parameters:
    ///   - isLeftOut: Which tokens are worth nothing any more.
    ///   - isEverythingKept: Whether it is written down too where nothing was taken away that could come back.
    /// - Returns: Nil where nothing was written.
    @discardableResult
    package func endJournal(
        _ entry: JournalEntry, leavingOut isLeftOut: (Credential) -> Bool = { _ in false },
        keepingEverything isEverythingKept: Bool = false
    ) throws -> JournalKept? {
        var changes = draft?.items ?? []
        draft = nil
        try removeOwn(from: &changes, of: entry)
        var (records, size, isWorthKeeping) = ([SealedRecord](), 0, false)
        for (_, change) in changes {
            guard let (item, secret) = try item(entry, change, leavingOut: isLeftOut) else { continue }
            var header = header(.journal, RecordIndex())
            header.isThisDeviceOnly = true
            let body = JournalBody.encode(item)
            if let secret {
                records.append(try keys.seal(header, attributes: body, secret: secret.bytes))
            } else {
                records.append(try keys.seal(header, attributes: body))
            }
            size += Self.size(records[records.count - 1].attributes, secretCount: item.former?.secretCount ?? 0)
            // A grant that had ended says nothing by itself.
            if let former = item.former, former.hasSecret || item.kind != .refreshToken { isWorthKeeping = true }
        }
        guard isWorthKeeping || isEverythingKept && !records.isEmpty else { return nil }
        let displaced = try makeRoom(for: size, count: records.count, of: entry)
        for record in records { try insert(record) }
        return JournalKept(items: records.count, displaced: displaced)
    }

    /// Removes what the journal keeps of the items that `isMeant` finds.
    ///
    /// - Returns: The entries that it was kept under.
    @discardableResult
    package func removeFromJournal(where isMeant: (JournalItem) throws -> Bool) throws -> Set<JournalEntry> {
        guard try storage.mayHold(.journal) else { return [] }
        var entries: Set<JournalEntry> = []
        for item in try reader.journal() where try isMeant(item.value) {
            try delete(item.record)
            entries.insert(item.value.entry)
        }
        return entries
    }

    /// Removes the settings that the owner has not written and that `isMeant` names.
    package func removeForeignSettingsFromJournal(where isMeant: (String) -> Bool) throws {
        try removeFromJournal { item in
            guard case .setting(let name, _) = item.content, let former = item.former else { return false }
            return try SettingBody.decode(former.body, keys).writer == .group && isMeant(name)
        }
    }

    /// Removes an entry of which nothing is left that could come back.
    ///
    /// - Returns: Whether that is so.
    package func removeEmptyEntry(_ entry: JournalEntry) throws -> Bool {
        let items = try reader.journal().filter { $0.value.entry == entry }
        let isEmpty = items.allSatisfy { item in
            item.value.former.map { !$0.hasSecret && item.value.kind == .refreshToken } ?? true
        }
        if isEmpty { for item in items { try delete(item.record) } }
        return isEmpty
    }

    /// Removes the entries whose time is over, where the oldest record says that there are such.
    func removeEndedEntries() throws {
        guard let oldest = try storage.oldest(.journal),
            let item = try? oldest.decode(keys, JournalBody.decode), item.entry.hasEnded(at: now)
        else { return }
        try removeFromJournal { $0.entry.hasEnded(at: now) }
    }

    /// Notes how an item was before it changes, and how it is then.
    ///
    /// - Parameter known: What is known of the new record; nil where that has to be read in it.
    func noteForUndo(_ old: StoredRecord?, _ new: SealedRecord?, _ known: JournalDraft.Known? = nil) throws {
        guard draft?.isTooLarge == false else { return }
        var (oldKey, isOwn): (ItemKey?, Bool) = (nil, false)
        if let old, old.header.kind.isOfItems {
            let body = try body(of: old)
            // What makes no sense is told as damage.
            guard let content = try? ItemBody.decode(body, old.header.kind) else {
                _ = try old.content(keys)
                return
            }
            guard content.isKeptForUndo else { return }
            let key = content.key
            // What the same run has added was not there before it.
            isOwn = noting.map { $0.marksNew && body.origin()?.entry == $0.entry } ?? false
            if draft?.knows(key) == false {
                let kept = isOwn ? old.withoutSecret : try withSecret(old)
                draft?.begin(key, kept, (body, content), isOwn: isOwn)
            }
            draft?.leave(key, nil)
            oldKey = key
        }
        guard let new, new.header.kind.isOfItems else { return }
        let isMarked = noting?.marksNew ?? false
        if isMarked, draft?.isEmpty ?? true { return }
        guard let key = try known?.key ?? key(of: new) else { return }
        // Of what becomes another item in its place no record says that this one has come by the run.
        let isAnother = oldKey.map { $0 != key && !isOwn } ?? false
        if draft?.knows(key) == false, !isMarked || isAnother { draft?.begin(key, nil, nil) }
        draft?.leave(key, new, known?.digest)
    }

    /// Leaves out what the run itself has added before, but for what is gone again and was there before the run.
    private func removeOwn(from changes: inout [(key: ItemKey, change: JournalDraft.Change)], of entry: JournalEntry)
        throws
    {
        changes.removeAll { $0.change.isOwn && $0.change.left != nil }
        guard changes.contains(where: \.change.isOwn) else { return }
        let kept = try storage.mayHold(.journal) ? reader.journal().filter { $0.value.entry == entry } : []
        let known = Set(kept.map(\.value.content.key))
        changes.removeAll { $0.change.isOwn && !known.contains($0.key) }
    }

    private func key(of record: SealedRecord) throws -> ItemKey? {
        let body = try keys.openAttributes(record.header, record.attributes)
        let content = try ItemBody.decode(body, record.header.kind)
        return content.isKeptForUndo ? content.key : nil
    }

    /// Whether a new record tells the journal something: what is only added says itself by which command it came.
    func isNoted(new content: ItemContent) -> Bool {
        guard let draft else { return false }
        return noting?.marksNew != true || draft.knows(content.key)
    }

    /// What is known of a record with a secret that is about to be written; nil where nothing is noted.
    func known(_ content: ItemContent, _ secret: borrowing SecretBytes) -> JournalDraft.Known? {
        guard draft?.isTooLarge == false, content.isKeptForUndo else { return nil }
        return JournalDraft.Known(key: content.key, digest: ItemDigest.of(content, secret: secret))
    }

    /// The same of a record without a secret.
    func known(_ content: ItemContent) -> JournalDraft.Known? {
        guard draft?.isTooLarge == false, content.isKeptForUndo else { return nil }
        return JournalDraft.Known(key: content.key, digest: ItemDigest.of(content))
    }

    private func withSecret(_ record: StoredRecord) throws -> StoredRecord {
        guard record.secretCommitment != nil, record.secret == nil else { return record }
        return StoredRecord(
            rowID: record.rowID, header: record.header, attributes: record.attributes,
            secretCommitment: record.secretCommitment, secret: try reader.sealedSecret(record))
    }

    /// What is kept of one item, with its secret; nil for one that has not changed, and for a token that is left out.
    private func item(
        _ entry: JournalEntry, _ change: JournalDraft.Change, leavingOut isLeftOut: (Credential) -> Bool
    ) throws -> (JournalItem, JournalSecret?)? {
        guard let former = change.former else {
            guard let left = change.left else { return nil }
            let body = try keys.openAttributes(left.header, left.attributes)
            var item = try JournalItem(entry, left.header.kind, added: body, left: left.header.version)
            item.leftDigest = try change.leftDigest ?? keys.digest(of: left)
            item.leavesSecret = left.secret != nil
            return item.content.credential.map(isLeftOut) ?? false ? nil : (item, nil)
        }
        guard let (body, content) = change.said else { return nil }
        let secret = try former.secret.map { JournalSecret(try former.open(secret: $0, keys)) }
        let before = JournalItem.Former(
            body: body, flags: former.header.flags, secretCount: secret?.bytes.count ?? 0)
        var item = JournalItem(
            entry, former.header.kind, former: before, content, left: change.left?.header.version)
        if let left = change.left {
            let digest = try change.leftDigest ?? keys.digest(of: left)
            // Of one with a secret nobody knows.
            let isSame = former.secret == nil && left.secret == nil && digest == ItemDigest.of(item.content)
            if isSame { return nil }
            (item.leftDigest, item.leavesSecret) = (digest, left.secret != nil)
            if let secret { item.isReplaced = try isReplacement(left, of: item, secret.bytes) }
        }
        return item.content.credential.map(isLeftOut) ?? false ? nil : (item, secret)
    }

    /// Whether what a command leaves is a newer refresh token of the same sign-in than the one that was there before.
    ///
    /// What an undo puts there is none.
    private func isReplacement(
        _ left: SealedRecord, of item: JournalItem, _ secret: borrowing SecretBytes
    ) throws -> Bool {
        guard item.kind == .refreshToken, left.header.kind == .refreshToken, !item.entry.isOfUndo,
            let box = left.secret, let before = item.content.credential,
            let now = try ItemBody.decode(keys.openAttributes(left.header, left.attributes), .refreshToken).credential,
            (now.grant ?? Grant()).replaces(before.grant ?? Grant())
        else { return false }
        return try !keys.openSecret(left.header, box).isEqual(to: secret)
    }

    /// Removes the entries whose time is over, and then the oldest ones until there is room for `size` more bytes in `count`
    /// records.
    ///
    /// - Returns: How many entries went before their time.
    func makeRoom(for size: Int, count added: Int, of entry: JournalEntry) throws -> Int {
        guard try storage.mayHold(.journal) else { return 0 }
        // All of it is read for that, so for little only now and then.
        if size < Self.journalLimit / 256, let count = try reader.manifest()?.count(of: .journal),
            count % 16 + added < 16
        {
            return 0
        }
        try removeFromJournal { $0.entry.hasEnded(at: now) }
        let others = JournalRun.runs(of: try reader.journal().filter { $0.value.entry != entry }, at: now)
        let sizes = others.map { run in
            run.items.reduce(0) {
                $0 + Self.size($1.record.attributes, secretCount: $1.value.former?.secretCount ?? 0)
            }
        }
        var (total, displaced) = (sizes.reduce(size, +), 0)
        for (oldest, size) in zip(others, sizes) where total > Self.journalLimit {
            for item in oldest.items { try delete(item.record) }
            total -= size
            displaced += 1
        }
        return displaced
    }

    private static func size(_ attributes: CommittingAEAD.Box, secretCount: Int) -> Int {
        attributes.ciphertext.count + secretCount
    }
}

extension StoredRecord {
    /// The same record, its secret left where it is.
    fileprivate var withoutSecret: StoredRecord {
        StoredRecord(
            rowID: rowID, header: header, attributes: attributes, secretCommitment: secretCommitment, secret: nil)
    }
}

/// A secret on its way from a record into the journal.
private final class JournalSecret {
    let bytes: SecretBytes

    init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
}

extension RecordReading {
    /// What the undo journal holds; records that do not open are passed over.
    func journal() throws -> [StoredItem<JournalItem>] {
        var items: [StoredItem<JournalItem>] = []
        try forEachRecord(kind: .journal) { result in
            guard let record = try? result.get(), let item = try? record.decode(keys, JournalBody.decode) else {
                return
            }
            items.append(StoredItem(record: record, value: item))
        }
        return items
    }
}

extension VaultReading {
    /// What the undo journal of a group holds, in the order in which it was written.
    ///
    /// - Throws: `incomplete` when there are not as many records as there should be.
    package func journal(in keys: GroupKeys) throws -> SearchResult<JournalItem> {
        try all(.journal, in: keys, JournalBody.decode)
    }
}
