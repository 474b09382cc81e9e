internal import KeyfobAge
internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobSync
internal import KeyfobVault

/// Tells others of one group: of what was changed here since, in a segment, and now and then of everything in it, in a whole.
///
/// So a change costs what it is worth: eight segments of one weight become one of the next, and once they are half as long as
/// the whole, that is written anew. Both come at the position of what was told last, so that nobody reads them who has read
/// that.
struct GroupPublication {
    let sync: Keyring.Sync
    let group: UnlockedVault.Group
    let tag: SyncGroupTag
    let own: SyncDevice
    /// The other devices that share the group.
    let readers: [SyncDevice]
    let syncID: SyncID
    /// The sequence of the head that is to name what is written.
    let sequence: UInt64
    let travel: SyncTravel
    let folder: SyncFolder

    /// The files that tell of the group.
    struct Published {
        var files: [SyncHead.GroupFile]
        var told: SyncState.ToldGroup
        /// How many bytes were written.
        var bytes: UInt64 = 0
    }

    private var database: any VaultStorage { sync.database }

    /// Tells what is new.
    ///
    /// - Parameters:
    ///   - files: The files of the head before.
    ///   - known: What is known of what they tell; nil where that may be anything.
    func publish(_ files: [SyncHead.GroupFile], as known: SyncState.ToldGroup?) throws -> Published {
        var published = Published(files: files, told: known ?? SyncState.ToldGroup())
        // Who is gone tells nothing any more of what others may not have read, and guesses nothing of what they hold.
        let isGone = known?.readers.contains { !readerIDs.contains($0) } ?? false
        if isGone || published.told.digestKey.isEmpty { published.told.digestKey = Self.newDigestKey }
        let isThere = note(traitsOf: files, &published.told)
        let isSound = isThere && known?.readers == readerIDs && known?.isStale == false
        let state = try database.state(of: group.keys)
        let basis = basis(state)
        if isSound, let basis, known?.basis == basis { return published }
        guard state.milestone != nil,
            let changed = try database.rowIDs(in: group.keys, changedSince: published.told.change)
        else {
            try publishAll(&published, isSound: isSound)
            return published
        }
        let last = files.map(\.position).max() ?? 0
        let isRenamed = known?.name != group.name.name
        let hasNews = try isRenamed || hasNews(changed)
        // Of much, a whole is not longer.
        let isMuch = changed.count * 2 >= state.expected
        var whole = isSound ? nil : last
        if known == nil || last == 0 || isGone || hasNews && isMuch {
            whole = sequence
        } else if hasNews {
            try writeSegment(&published, after: last)
            if whole != nil || isLong(published, of: state.expected) { whole = sequence }
        }
        if let whole { try writeWhole(&published, at: whole, keepingSegments: isSound) }
        published.told.change = state.sequence
        note(basis, &published.told)
        return published
    }

    /// The same where the storage does not number changes: everything is told when anything is new.
    private func publishAll(_ published: inout Published, isSound: Bool) throws {
        var content = CanonicalBytes()
        content.append(try run(since: nil, digestKey: nil) { _ in })
        let digest = BLAKE2b.hash(content.bytes + Array(group.name.name.utf8), count: 32)
        if !isSound || published.told.content != digest {
            try writeWhole(&published, at: sequence, keepingSegments: false)
        }
        published.told.change = 0
        published.told.content = digest
        note(basis(try database.state(of: group.keys)), &published.told)
    }

    private func note(_ basis: [UInt8]?, _ told: inout SyncState.ToldGroup) {
        told.basis = basis ?? []
        (told.readers, told.name, told.isStale) = (readerIDs, group.name.name, false)
    }

    /// Takes note of what the system says of files.
    ///
    /// - Returns: Whether all are there as they were written.
    private func note(traitsOf files: [SyncHead.GroupFile], _ told: inout SyncState.ToldGroup) -> Bool {
        var found: [[UInt8]: [UInt8]] = [:]
        for file in files {
            let hash = Array(file.hash.prefix(SyncHead.hashCount))
            found[hash] = folder.traits(of: file, own.id, known: told.traits[hash])
        }
        told.traits = found
        return !files.isEmpty && found.count == files.count
    }

    /// Whether anything of some rows goes to others.
    private func hasNews(_ rows: [Int64]) throws -> Bool {
        var isNews = false
        try database.forEachItem(in: group, rows: rows) { found, _ in
            isNews = isNews || travel.leaving(found.item, hasSecret: false) != nil
        }
        return isNews
    }

    /// What a record takes in a whole at least, tokens and others that stay here among them.
    private static let leastSize: UInt64 = 128

    /// Whether the segments are half as long as a whole, which of a group that others have filled may be longer than the last.
    private func isLong(_ published: Published, of count: Int) -> Bool {
        let whole = published.files.first { !$0.isSegment }?.size ?? 0
        let length = max(whole, UInt64(clamping: count) * Self.leastSize)
        return published.told.segments.reduce(0) { $0 + $1.size } * 2 >= length
    }

    /// Writes what was changed here since the last file, or since the first of those that are folded with it.
    private func writeSegment(_ published: inout Published, after last: UInt64) throws {
        let folded = published.told.segments.suffix(published.told.foldedCount)
        let start = folded.first?.start ?? published.told.change
        let after = folded.first?.after ?? last
        // Those that tell of nothing beyond the whole are not needed any more.
        let whole = published.files.first { !$0.isSegment }?.position ?? 0
        published.files.removeAll { $0.isSegment && ($0.position <= whole || $0.after ?? 0 >= after) }
        let file = try write(&published, position: sequence, after: after, since: start)
        let weight = UInt8(clamping: folded.count / (SyncState.ToldGroup.fold - 1))
        published.told.segments.removeLast(folded.count)
        published.told.segments.append(.init(after: after, start: start, weight: weight, size: file.size))
    }

    /// Writes everything.
    ///
    /// - Parameter keepsSegments: Whether the segments stay once more, so that who has read all but the last reads that alone.
    private func writeWhole(_ published: inout Published, at position: UInt64, keepingSegments keepsSegments: Bool)
        throws
    {
        published.files.removeAll { !$0.isSegment || !keepsSegments && $0.sequence != sequence }
        _ = try write(&published, position: position, after: nil, since: nil)
        published.told.segments = []
    }

    private func write(
        _ published: inout Published, position: UInt64, after: UInt64?, since change: UInt64?
    ) throws -> SyncHead.GroupFile {
        var new = try folder.begin(own.id)
        var hash = SyncFileHash()
        _ = try run(since: change, digestKey: published.told.digestKey) { piece in
            try new.write(piece)
            hash.add([UInt8](piece))
        }
        try new.synchronize()
        let size = hash.size
        let file = SyncHead.GroupFile(
            group: tag, hash: hash.finish(), size: size, sequence: sequence, position: position, after: after)
        try new.putInPlace(as: folder.file(file.name, of: own.id))
        published.files.append(file)
        published.bytes += size
        let traits = folder.traits(of: file, own.id, known: nil)
        published.told.traits[Array(file.hash.prefix(SyncHead.hashCount))] = traits
        return file
    }

    /// Writes a bundle; its time is none, so that the same content is the same.
    ///
    /// It is for this device too: a vault that was put back has from there what it had told.
    private func run(
        since change: UInt64?, digestKey: [UInt8]?, _ output: (RawSpan) throws -> Void
    ) throws -> [UInt8] {
        guard let vault = VaultID(syncID.bytes) else { throw StoreError.unexpected(resultCode: 0) }
        return try sync.withVault { state in
            guard let group = state.vault.groups.first(where: { $0.keys.group == group.keys.group }) else {
                throw VaultError.noSuchGroup
            }
            let bundle = BundleWriting(
                database: database, vault: vault, header: nil, groups: [group], content: BundleContent(),
                purpose: .sync, isArmored: false, milliseconds: 0, travel: travel, changedSince: change,
                digestKey: digestKey)
            let written = try bundle.run(
                sealing: { _ in try AgeEncryptor(recipients: SyncEnvelope.recipients(readers + [own])) }, output)
            guard !written.report.isIncomplete else { throw StoreError.incomplete(group: group.keys.group) }
            return written.digest
        }
    }

    /// What stands for the state of the vault that is told, at a small price; nil where the storage does not tell.
    func basis(_ state: GroupCompleteness) -> [UInt8]? {
        guard let milestone = state.milestone, let digest = milestone.digest else { return nil }
        var bytes = CanonicalBytes()
        bytes.append(milestone.sequence)
        bytes.append(digest)
        bytes.append(group.name.name)
        return BLAKE2b.hash(bytes.bytes, count: 32)
    }

    private static var newDigestKey: [UInt8] {
        SecretBytes.random(count: GroupDigest.keyCount).withBytes { [UInt8]($0) }
    }

    private var readerIDs: [[UInt8]] { readers.map(\.id).sorted().map(\.bytes) }
}
