internal import KeyfobAge
internal import KeyfobAgeHybrid
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
    ///   - recipients: Who can open it, `age1…` or `age1pq1…`; nil for the owners of the vault's recovery keys.
    /// - Throws: `configuration` where the vault has no recovery key, `needsVaultKey`, `alreadyExists`,
    ///   `noSuchFile` where the folder is missing, `usage`, `limitExceeded`, and what writing can throw.
    public func backup(
        to path: String? = nil, for recipients: [String]? = nil
    ) throws(KeyringError) -> BackupReport {
        let named: [AgeRecipient]?
        if let recipients { named = try AgeRecipient.parsing(recipients) } else { named = nil }
        return try withState { state in try makeBackup(&state, .asked, to: path, for: named) }
    }

    /// The backups in the vault's folder, newest first.
    public func backups() throws(KeyringError) -> [String] {
        try BackupFile.all(at: location).map(\.path)
    }

    /// Reads a backup, or an export, to its end and checks everything in it, and for a backup who made it.
    ///
    /// - Parameter keyring: The keyring that it may be of; its key shows that, too.
    /// - Throws: `wrongKey`, `damaged`, `limitExceeded`, `newerVersion`, `inputOutput`.
    public static func verifyBackup(
        _ file: borrowing BundleFile, with opener: borrowing BundleOpener, of keyring: Keyring? = nil
    ) throws(KeyringError) -> BundleSummary {
        let verified = try file.verify(opener, for: [.backup, .export]).bundle
        return BundleSummary(verified.manifest, isOwners: verified.isOwners(by: opener, keyring))
    }

    /// The backup that is made by itself before a group gets a new key; where nobody could open it, a warning.
    ///
    /// - Throws: Why none can be made, and that it can be done without one.
    func backUpBeforehand(_ state: inout State, _ reason: BackupClaim.Reason) throws {
        guard !Self.recoveryRecipients(of: state.vault).isEmpty else {
            return state.warn(
                Warning(.noBackup, "no backup was made: the vault has no recovery key that could open it"))
        }
        do {
            _ = try makeBackup(&state, reason)
        } catch  where !Self.mayBeStale(error) {
            let known = KeyringError(error).asNotDone
            throw KeyringError(
                known.code, "nothing was changed, because no backup could be made before: \(known.message)",
                advice: .goOnWithoutBackup)
        }
    }

    private static func recoveryRecipients(of vault: borrowing UnlockedVault) -> [AgeRecipient] {
        vault.header.slots.compactMap { slot in
            if case .recipient(let publicKey, _, _) = slot.lock { AgeRecipient(publicKey: publicKey) } else { nil }
        }
    }

    /// - Parameter rotates: Whether older ones give way; never to one that is incomplete.
    func makeBackup(
        _ state: inout State, _ reason: BackupClaim.Reason, to path: String? = nil, for named: [AgeRecipient]? = nil,
        rotates: Bool = true
    ) throws -> BackupReport {
        guard state.vault.opensWholeVault else { throw VaultError.needsVaultKey }
        let recipients = named ?? Self.recoveryRecipients(of: state.vault)
        guard !recipients.isEmpty else {
            throw KeyringError(
                .configuration, "the vault has no recovery key that could open a backup",
                advice: .nameRecipient)
        }
        // To read it back without the recovery key, it is for somebody as well who lives as long as this call.
        let witness = AgeIdentity.generateHybrid()
        try database.refresh(&state.vault)
        let writing = BundleWriting(
            database: database, vault: state.vault.header.vault, header: try state.vault.headerForBackup(),
            groups: state.vault.groups, content: BundleContent(), purpose: .backup, isArmored: false,
            milliseconds: clock.milliseconds())
        var file = try NewFile.begin(try backupPlace(path))
        let written = try writing.run(
            sealing: { report in
                let remark = try BackupClaim.remark(on: report, made: reason, by: state.vault)
                do throws(AgeError) {
                    return try AgeEncryptor(recipients: recipients + [witness.recipient], remark: remark)
                } catch {
                    throw BundleError(written: error)
                }
            }, authenticating: { try state.vault.authentication(ofBackup: $0) }
        ) { try file.write($0) }
        try file.synchronize()
        var offset = 0
        let found = try BundleReader.verify(.identity(witness), for: [.backup]) {
            let piece = try file.piece(at: offset)
            offset += piece.count
            return piece
        }
        guard found.digest == written.digest, found.isOwners(by: state.vault) else {
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
        // Each has a name of its own, so that whoever writes the next would not find what was left of one.
        TemporaryFile.removeAbandoned(in: folder) { BackupName(String($0)) != nil }
        let first = BackupName(clock.now)
        let names = try POSIXFile.names(in: folder).compactMap(BackupName.init(_:))
        // Behind all of this second: a number that a rotation made free again would be taken for an older one's.
        return "\(folder)/\((names.filter { $0.time == first.time }.max()?.next ?? first).text)"
    }

    /// Removes all but the newest and those in `kept`; what cannot be removed stays.
    @discardableResult
    func removeOldBackups(except kept: [String]) -> [String] {
        let kept = Set(kept.map { FileAccess.realPath($0) ?? $0 })
        let files = ((try? BackupFile.all(at: location)) ?? []).filter { $0.name != nil }.map(\.path)
        let others = files.filter { !kept.contains(FileAccess.realPath($0) ?? $0) }
        return others.dropFirst(Self.backupsKept - 1).filter { path in
            (try? POSIXFile.remove(path)) != nil
        }
    }
}
