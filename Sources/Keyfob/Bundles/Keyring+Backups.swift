internal import Foundation
internal import KeyfobAge
internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobRecords
internal import KeyfobSync
internal import KeyfobVault

extension Keyring {
    /// A backup that was written, read back and found right.
    public struct BackupReport: Hashable, Sendable {
        /// Where it is.
        public let path: String
        /// What is in it.
        public let summary: BundleSummary
        /// What was left out, one line each, with the reason.
        public let skipped: [String]
        /// Whether records that do not open had to be left out.
        public let isIncomplete: Bool
        /// The older backups that were removed for it.
        public let removed: [String]
    }

    /// How many backups the vault's folder keeps.
    public static let backupsKept = 5

    /// Writes everything but access tokens into an encrypted backup, and reads it back.
    ///
    /// - Parameters:
    ///   - path: A file that is not there yet, or a folder; nil for the vault's own folder of backups, in which the
    ///     newest five are kept.
    ///   - recipients: Who can open it, `age1…`; nil for the owners of the vault's recovery keys.
    /// - Throws: `configuration` where the vault has no recovery key, `needsVaultKey`, `alreadyExists`,
    ///   `noSuchFile` where the folder is missing, `usage`, `limitExceeded`, and what writing can throw.
    public func backup(
        to path: String? = nil, for recipients: [String]? = nil
    ) throws(KeyringError) -> BackupReport {
        let named: [AgeRecipient]?
        if let recipients { named = try AgeRecipient.parsing(recipients) } else { named = nil }
        return try withState { state in try makeBackup(&state, to: path, for: named) }
    }

    /// The backups in the vault's folder, newest first.
    public func backups() throws(KeyringError) -> [String] {
        let folder = database.directory.backups
        return try KeyringError.translating {
            try POSIXFile.names(in: folder).compactMap(BackupName.init(_:)).sorted(by: >).map { "\(folder)/\($0.text)" }
        }
    }

    /// Reads a backup, or an export, to its end and checks everything in it.
    ///
    /// - Throws: `wrongKey`, `damaged`, `limitExceeded`, `newerVersion`, `inputOutput`.
    public static func verifyBackup(
        _ file: borrowing BundleFile, with opener: borrowing BundleOpener
    ) throws(KeyringError) -> BundleSummary {
        let key = try opener.key()
        return BundleSummary(try file.verify(key, for: [.backup, .export]).manifest)
    }

    /// The backup that is made by itself before a group gets a new key; where nobody could open it, a warning.
    func backUpBeforehand(_ state: inout State) throws {
        guard !Self.recoveryRecipients(of: state.vault).isEmpty else {
            return state.warn("no backup was made: the vault has no recovery key that could open it")
        }
        _ = try makeBackup(&state, to: nil, for: nil)
    }

    private static func recoveryRecipients(of vault: borrowing UnlockedVault) -> [AgeRecipient] {
        vault.header.slots.compactMap { slot in
            if case .recipient(let publicKey, _) = slot.lock { AgeRecipient(publicKey: publicKey) } else { nil }
        }
    }

    /// - Parameter rotates: Whether older ones give way; never to one that is incomplete.
    func makeBackup(
        _ state: inout State, to path: String?, for named: [AgeRecipient]?, rotates: Bool = true
    ) throws -> BackupReport {
        guard state.vault.opensWholeVault else { throw VaultError.needsVaultKey }
        let recipients = named ?? Self.recoveryRecipients(of: state.vault)
        guard !recipients.isEmpty else {
            throw KeyringError(
                .configuration, "the vault has no recovery key that could open a backup",
                hint: "say for whom it is, or add one with 'keyfob slot add recipient'")
        }
        // To read it back without the recovery key, it is for somebody as well who lives as long as this call.
        let witness = AgeIdentity.generate()
        var encryptor: AgeEncryptor?
        do {
            encryptor = try AgeEncryptor(recipients: recipients + [witness.recipient])
        } catch {
            throw BundleError(written: error)
        }
        guard let encryptor = encryptor.take() else { throw BundleError.noRecipients }
        try database.refresh(&state.vault)
        let writing = BundleWriting(
            database: database, vault: state.vault.header.vault, groups: state.vault.groups,
            content: BundleContent(), purpose: .backup, isArmored: false, milliseconds: clock.milliseconds())
        var file = try NewFile.begin(try backupPlace(path))
        let written = try writing.run(encryptor) { try file.write($0) }
        try file.synchronize()
        var offset = 0
        let found = try BundleReader.verify(.identity(witness), for: [.backup]) {
            let piece = try file.piece(at: offset)
            offset += piece.count
            return piece
        }
        guard found.digest == written.digest else {
            throw KeyringError(.inputOutput, "the backup that was written could not be read back")
        }
        // Two that name theirs at once would take one name. A vault that cannot be backed up gets no lock file.
        let lock = try FileLock(database.directory.backupLock)
        defer { extendLifetime(lock) }
        let place = try backupPlace(path)
        try file.putInPlace(as: place)
        let report = written.report
        let removed = path == nil && rotates && !report.isIncomplete ? removeOldBackups(except: [place]) : []
        return BackupReport(
            path: place, summary: report.summary, skipped: report.skipped, isIncomplete: report.isIncomplete,
            removed: removed)
    }

    private func backupPlace(_ path: String?) throws -> String {
        let folder: String
        if let path {
            guard let status = try POSIXFile.status(path) else { return path }
            guard status.isDirectory else { throw StoreError.alreadyThere(path: path) }
            folder = path.hasSuffix("/") ? String(path.dropLast()) : path
        } else {
            folder = database.directory.backups
            try POSIXFile.createDirectories(folder)
        }
        let first = BackupName(clock.now)
        let names = try POSIXFile.names(in: folder).compactMap(BackupName.init(_:))
        // Behind all of this second: a number that a rotation made free again would be taken for an older one's.
        return "\(folder)/\((names.filter { $0.isOfSameSecond(as: first) }.max()?.next ?? first).text)"
    }

    /// Removes all but the newest and those in `kept`; what cannot be removed stays.
    @discardableResult
    func removeOldBackups(except kept: [String]) -> [String] {
        let kept = Set(kept.map { FileAccess.realPath($0) ?? $0 })
        let others = ((try? backups()) ?? []).filter { !kept.contains(FileAccess.realPath($0) ?? $0) }
        return others.dropFirst(Self.backupsKept - 1).filter { path in
            (try? POSIXFile.remove(path)) != nil
        }
    }
}

/// The name of a backup: `keyfob-20261120T101500Z.age`, with a number where one second made several.
struct BackupName: Comparable {
    private let time: String
    private let number: Int

    /// The first name of a second.
    init(_ time: Timestamp) {
        let seconds = min(max(time.seconds, 0), 253_402_300_799)
        self.time = Date(timeIntervalSince1970: Double(seconds)).formatted(
            Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
        number = 1
    }

    private init(time: String, number: Int) {
        self.time = time
        self.number = number
    }

    /// The name; nil for a file that is something else.
    init?(_ name: String) {
        guard name.hasPrefix("keyfob-"), name.hasSuffix(".age") else { return nil }
        let parts = name.dropFirst(7).dropLast(4).split(separator: "_", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts[0].utf8.count == 16, parts[0].hasSuffix("Z") else { return nil }
        guard let number = parts.count == 2 ? Int(parts[1]) : 1, (1..<1_000_000).contains(number) else { return nil }
        time = String(parts[0])
        self.number = number
        guard text == name else { return nil }
    }

    /// The next name of the same second.
    var next: BackupName { BackupName(time: time, number: number + 1) }

    func isOfSameSecond(as other: BackupName) -> Bool { time == other.time }

    var text: String { "keyfob-\(time)" + (number == 1 ? "" : "_\(number)") + ".age" }

    static func < (left: BackupName, right: BackupName) -> Bool {
        left.time == right.time ? left.number < right.number : left.time < right.time
    }
}
