internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSecretService
internal import KeyfobSodium
internal import KeyfobVault

// What is written down of a change before it is made, and how it is completed.

extension SecretServiceStorage {
    private static let logLimit = 1 << 30

    /// Writes a change down; durable when it returns.
    func write(_ log: ChangeLog, _ vault: borrowing UnlockedVault) throws {
        try POSIXFile.replace(directory.changeLog, with: try log.encoded(vault))
    }

    /// The same behind what is written down already and could not be made yet.
    func append(_ log: ChangeLog, _ vault: borrowing UnlockedVault) throws {
        guard let bytes = try POSIXFile.read(directory.changeLog, limit: Self.logLimit) else {
            return try write(log, vault)
        }
        guard var whole = try? ChangeLog(bytes, vault) else {
            try putLogAside()
            return try write(log, vault)
        }
        whole.steps += log.steps
        try write(whole, vault)
    }

    /// Forgets what was written down; durable when it returns, since it is not to be made again.
    func removeLog() throws {
        try POSIXFile.remove(directory.changeLog)
        try POSIXFile.synchronizeFolder(of: directory.changeLog)
    }

    /// Keeps what was written down and can't be made, for the owner to look at.
    private func putLogAside() throws {
        try POSIXFile.putAside(directory.changeLog, as: directory.unreadableChangeLog)
        try POSIXFile.synchronizeFolder(of: directory.changeLog)
    }

    /// Completes a change that was stopped before something is read, unless somebody is making it just now.
    ///
    /// What keeps it from being completed is noted, and keeps nobody from reading; it is tried once, and again before the
    /// next change.
    func completeStoppedChange() {
        do {
            guard obstacle == nil, try POSIXFile.status(directory.changeLog) != nil else { return }
            let turn = try StorageTurn(at: self, orBusyAfter: .zero)
            try requireHere()
            try completeChange()
            _ = consume turn
        } catch StoreError.busy {
        } catch {
            note(obstacle: error)
        }
    }

    /// Completes a change that was stopped; for whoever has the lock.
    ///
    /// - Throws: `pending` where the service does not take it.
    func completeChange() throws {
        guard let bytes = try POSIXFile.read(directory.changeLog, limit: Self.logLimit) else { return }
        let stored = try openHeader()
        var vault = try stored.unlocked()
        guard let log = try? ChangeLog(bytes, vault) else { return try putLogAside() }
        let isCurrent = stored.mark == log.before || stored.mark == log.after
        if isCurrent, !log.header.isEmpty, try LockedVault(headerBytes: log.header).sequence > vault.sequence {
            try vault.refresh(headerBytes: log.header)
        }
        forgetDoubles()
        let change = DelegatedChange(self, stored)
        do {
            let isWhole = try change.resume(log, vault, isCurrent: isCurrent)
            let isMarked = !isCurrent || stored.mark == log.after
            try change.make(
                vault.groupNames,
                isMarked ? nil : KnownHeader(try OpenHeader(vault, device: stored.device, mark: log.after)))
            if isWhole { try removeLog() } else { try putLogAside() }
            note(obstacle: nil)
        } catch DesktopError.service(let reason, _) {
            throw DesktopError.pending(reason)
        } catch is VaultError {
            try putLogAside()
        }
    }

    /// Completes a change that was stopped, and keeps it for the owner to look at where the service refuses it.
    func giveUpRefusedChange() throws {
        let turn = try StorageTurn(at: self)
        try requireHere()
        do {
            try completeChange()
        } catch DesktopError.pending(let reason) where reason.isRefusal {
            try putLogAside()
            note(obstacle: nil)
        }
        _ = consume turn
    }

    /// What is wrong with what is written down, one line each.
    func logProblems() throws -> [String] {
        let left = try POSIXFile.status(directory.changeLog) == nil ? [] : [directory.changeLog]
        return left.map { "a change that was stopped is not complete yet (\($0))" }
            + (try directory.unreadableChangeLogs).map {
                "what is written down of a change that was stopped is damaged, or of an earlier state of the vault, and "
                    + "was not made (\($0)); see whether your accounts are as they should be"
            }
    }

    /// Puts what was written down and can't be made where nobody looks for it any more; for whoever has the lock.
    ///
    /// - Returns: Where it is.
    func quarantineLogs(now: Timestamp) throws -> [String] {
        let logs = try directory.unreadableChangeLogs
        guard !logs.isEmpty else { return [] }
        try POSIXFile.createDirectories(directory.quarantine)
        let names = try logs.map { try POSIXFile.putAside($0, as: "\(directory.quarantine)/\(now.seconds)-changes") }
        try POSIXFile.synchronizeFolder(of: names[0])
        return names
    }
}

/// A header that this process has read or written.
final class KnownHeader: Sendable {
    let header: OpenHeader

    init(_ header: consuming OpenHeader) { self.header = header }
}

/// The records of one group that this process has read, for a change that has to be known while nobody can read them.
struct RememberedRecords: Sendable {
    /// By the numbers that stand for their items.
    let records: [StoredRecord]
}

extension RememberedRecords {
    /// A reader of one group's.
    func reader(_ keys: GroupKeys) -> any RecordReading { Reader(keys: keys, records: records) }

    private struct Reader: RecordReading {
        let keys: GroupKeys
        let records: [StoredRecord]

        private func all(_ isMeant: (RecordHeader) -> Bool) -> [StoredRecord] {
            records.filter { $0.header.group == keys.group && isMeant($0.header) }
        }

        func manifest() -> GroupManifest? { nil }

        func records(_ field: LookupField, _ lookup: Lookup) -> [StoredRecord] {
            all { field.finds($0, by: lookup) }
        }

        func accounts(_ names: AccountLookup) -> [StoredRecord] { all(names.matches) }

        func records(of account: Lookup, kind: RecordHeader.Kind) -> [StoredRecord] {
            all { $0.index.account == account.value && $0.kind == kind }
        }

        func record(row rowID: Int64) throws -> StoredRecord {
            guard let record = records.first(where: { $0.rowID == rowID }) else {
                throw StoreError.damaged(what: "row \(rowID)")
            }
            return record
        }

        func rowIDs() -> [Int64] { all { _ in true }.map(\.rowID) }

        func forEachRecord(
            kind: RecordHeader.Kind, _ body: (Result<StoredRecord, any Error>) throws -> Void
        ) throws {
            for record in all({ $0.kind == kind }) { try body(.success(record)) }
        }

        func forEachRow(_ body: (Int64, Result<StoredRecord, any Error>) throws -> Void) throws {
            for record in all({ _ in true }) { try body(record.rowID, .success(record)) }
        }

        func sealedSecret(_ record: StoredRecord) throws -> CommittingAEAD.Box {
            guard let box = record.secret else {
                throw StoreError.damaged(what: "the secret of record \(record.header.record.short)")
            }
            return box
        }

        // What was not read cannot be asked for now: what comes then takes its place, as another secret would.
        func holds(_ secret: borrowing SecretBytes, _ record: StoredRecord) throws -> Bool {
            guard let box = record.secret else { return false }
            return try record.open(secret: box, keys).isEqual(to: secret)
        }
    }
}
