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
}

extension Keyring.Bundles {
    /// Writes everything but access tokens into an encrypted backup, and reads it back.
    ///
    /// - Parameters:
    ///   - path: A file that is not there yet, or a folder; nil for the vault's own folder of backups, in which the
    ///     newest five are kept, of the last seven days that have one the first, and of the last four weeks.
    ///   - recipients: Who can open it, `age1…` or `age1pq1…`; nil for the owners of the vault's recovery keys.
    ///   - reason: Why it is made.
    ///   - count: How many complete ones of this vault to keep in the folder `path`, the newest; nil for all.
    /// - Throws: `configuration` where the vault has no recovery key, `needsVaultKey`, `alreadyExists`,
    ///   `noSuchFile` where the folder is missing, `usage`, `limitExceeded`, and what writing can throw.
    public func backUp(
        to path: String? = nil, for recipients: [String]? = nil, because reason: BackupClaim.Reason = .asked,
        keeping count: Int? = nil
    ) throws(KeyringError) -> Keyring.BackupReport {
        let named: [AgeRecipient]?
        if let recipients { named = try AgeRecipient.parsing(recipients) } else { named = nil }
        if let count {
            guard let path, FileAccess.status(path, following: true)?.isDirectory == true, count > 0 else {
                throw KeyringError(.usage, "older backups are removed from a folder alone, and one at least is kept")
            }
        }
        let retention = path == nil ? BackupRetention.automatic : count.map(BackupRetention.newest)
        return try withState { state in
            try makeBackup(&state, reason, to: path, for: named, keeping: retention)
        }
    }

    /// Writes everything but access tokens, encrypted, to where it can be read back by nobody here, such as a pipe.
    ///
    /// It goes out in pieces of up to 64 KiB, which the closure must not keep; what came before an error is no backup.
    ///
    /// - Throws: as ``backUp(to:for:because:keeping:)``, and what `output` throws.
    public func backUp(
        for recipients: [String]? = nil, to output: (RawSpan) throws -> Void
    ) throws(KeyringError) -> Keyring.BundleReport {
        let named: [AgeRecipient]?
        if let recipients { named = try AgeRecipient.parsing(recipients) } else { named = nil }
        return try withState { state in
            try write(&state, .asked, for: try recipientsOfBackup(of: state.vault, named), output).report
        }
    }

    /// The newest complete backup of this vault in a folder (nil: the vault's own) where it holds what the vault holds now.
    ///
    /// It is told by what it says of itself, which the vault's key proves; whether the file is whole, a recovery key shows.
    ///
    /// - Throws: `needsVaultKey`, `noSuchFile`, and what reading can throw.
    public func currentBackup(in folder: String? = nil) throws(KeyringError) -> BackupFile? {
        let files: [BackupFile]
        if let folder { files = try BackupFile.all(in: folder) } else { files = try BackupFile.all(at: location) }
        return try withState { state in
            guard state.vault.opensWholeVault else { throw VaultError.needsVaultKey }
            try database.refresh(&state.vault)
            let newest = files.first { file in
                file.claim.map { $0.isComplete && $0.isOwners(by: state.vault) } ?? false
            }
            guard let newest, newest.claim?.content == (try content(of: state.vault)) else { return nil }
            remember(newest.path, newest.claim?.vault)
            return newest
        }
    }

    /// The last complete backup of a vault that was made on this machine, as far as that was noted, wherever it went: when
    /// it was made, or last seen to hold what the vault held, and where.
    public static func lastBackup(
        of vault: String, at location: KeyringLocation
    ) -> (time: Timestamp, path: String)? {
        LastBackup(state: location.state, vault: vault).map { ($0.time, $0.path) }
    }

    private func remember(_ path: String, _ vault: String?) {
        guard let vault else { return }
        // To be told once too often that a backup is old is better than none.
        try? LastBackup(time: clock.now, path: FileAccess.realPath(path) ?? path).keep(
            state: location.state, vault: vault)
    }

    private func content(of vault: borrowing UnlockedVault) throws -> String {
        try BackupClaim.content(
            try vault.groups.map { ($0.name, try database.fingerprint(of: $0.keys)) }, of: vault)
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

    /// Makes a backup before something is removed, from which it can come back; a warning where none can be made, because
    /// the key held does not open the whole vault.
    ///
    /// - Throws: `configuration` where the vault has no recovery key, and what writing can throw; nothing should be
    ///   removed then.
    public func backUpBeforeRemoval() throws(KeyringError) -> Keyring.BackupReport? {
        try withState { state in
            guard state.vault.opensWholeVault else {
                state.warn(Warning(.noBackup, "no backup was made: that takes a key of the whole vault"))
                return nil
            }
            guard !Self.recoveryRecipients(of: state.vault).isEmpty else {
                throw KeyringError(
                    .configuration,
                    "nothing was changed, because no backup can be made before: the vault has no recovery key",
                    advice: .goOnWithoutBackup)
            }
            return try backUpBeforehand(&state, .beforeRemoval)
        }
    }

    /// The backup that is made by itself; where nobody could open it, a warning.
    ///
    /// - Throws: Why none can be made, and that it can be done without one.
    @discardableResult
    func backUpBeforehand(_ state: inout State, _ reason: BackupClaim.Reason) throws -> Keyring.BackupReport? {
        guard !Self.recoveryRecipients(of: state.vault).isEmpty else {
            state.warn(Warning(.noBackup, "no backup was made: the vault has no recovery key that could open it"))
            return nil
        }
        do {
            return try makeBackup(&state, reason)
        } catch  where !Keyring.mayBeStale(error) {
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

    /// - Parameter retention: Which older ones of its folder stay; nil for all. None gives way to one that is incomplete.
    func makeBackup(
        _ state: inout State, _ reason: BackupClaim.Reason, to path: String? = nil, for wanted: [AgeRecipient]? = nil,
        keeping retention: BackupRetention? = .automatic
    ) throws -> Keyring.BackupReport {
        let recipients = try recipientsOfBackup(of: state.vault, wanted)
        // To read it back without the recovery key, it is for somebody as well who lives as long as this call.
        let witness = AgeIdentity.generateHybrid()
        var file = try beginBackup(path)
        let named = path ?? database.directory.backups
        let target = FileAccess.status(named, following: true)?.isDirectory == true ? named + "/" : named
        let written = try write(&state, reason, for: recipients + [witness.recipient]) { piece in
            try Self.writing(to: target) { try file.write(piece) }
        }
        try Self.writing(to: target) { try file.synchronize() }
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
        var lock: FileLock?
        do {
            lock = try FileLock(database.directory.backupLock)
        } catch StoreError.notWritable where path != nil {
            // Beside a vault that cannot be written nobody makes one.
        }
        defer { extendLifetime(lock) }
        let place = try backupPlace(path)
        try Self.writing(to: place) { try file.putInPlace(as: place) }
        let report = written.report
        if !report.isIncomplete { remember(place, report.summary.vault) }
        let folder = place.lastIndex(of: "/").map { String(place[..<$0]) } ?? "."
        let removed =
            report.isIncomplete
            ? [] : removeOldBackups(in: folder, keeping: retention, except: [place], state.vault)
        return Keyring.BackupReport(
            path: place, summary: report.summary, skipped: report.skipped, isIncomplete: report.isIncomplete,
            removed: removed)
    }

    /// Does something with the file of a backup; what fails there is no flaw of the vault.
    ///
    /// - Parameter path: The file, or its folder with a slash.
    private static func writing(to path: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch StoreError.diskFull {
            throw KeyringError.diskFull(writing: path, "no backup was made")
        } catch StoreError.inputOutput(let number) where number != 0 {
            throw KeyringError(
                .inputOutput,
                "the backup could not be written, and none was made: \(KeyringError.text(ofErrno: number))")
        }
    }

    private func recipientsOfBackup(
        of vault: borrowing UnlockedVault, _ named: [AgeRecipient]?
    ) throws -> [AgeRecipient] {
        guard vault.opensWholeVault else { throw VaultError.needsVaultKey }
        let recipients = named ?? Self.recoveryRecipients(of: vault)
        guard !recipients.isEmpty else {
            throw KeyringError(
                .configuration, "the vault has no recovery key that could open a backup",
                advice: .nameRecipient(canRekey: database.place == .embedded))
        }
        return recipients
    }

    private func write(
        _ state: inout State, _ reason: BackupClaim.Reason, for recipients: [AgeRecipient],
        _ output: (RawSpan) throws -> Void
    ) throws -> BundleWriting.Written {
        try database.refresh(&state.vault)
        let writing = BundleWriting(
            database: database, vault: state.vault.header.vault, header: try state.vault.headerForBackup(),
            groups: state.vault.groups, content: BundleContent(), purpose: .backup, isArmored: false,
            milliseconds: clock.milliseconds())
        return try writing.run(
            sealing: { report in
                let remark = try BackupClaim.remark(
                    on: report, of: try content(of: state.vault), made: reason, by: state.vault)
                do throws(AgeError) {
                    return try AgeEncryptor(recipients: recipients, remark: remark)
                } catch {
                    throw BundleError(written: error)
                }
            }, authenticating: { try state.vault.authentication(ofBackup: $0) }, output)
    }

    /// Begins the file; what keeps a place that somebody named from being written is no flaw of the vault.
    private func beginBackup(_ path: String?) throws -> NewFile {
        guard path != nil else {
            do {
                return try NewFile.begin(try backupPlace(nil))
            } catch StoreError.notWritable {
                throw KeyringError(
                    .inputOutput, "\(database.directory.path) cannot be written, and no backup was made",
                    advice: .backUpElsewhere)
            }
        }
        if let path, FileAccess.status(path, following: true)?.isDirectory == true,
            let closed = KeyringError.closed(path, toWrite: true)
        {
            throw closed
        }
        let place = try backupPlace(path)
        let folder = place.lastIndex(of: "/").map { String(place[...$0]) } ?? "."
        guard FileAccess.status(folder, following: true)?.isDirectory == true else {
            throw KeyringError(
                .noSuchFile, "there is no folder \(folder), and no backup was made", advice: .makeFolder(folder))
        }
        do {
            return try NewFile.begin(place)
        } catch StoreError.diskFull {
            throw KeyringError.diskFull(writing: place, "no backup was made")
        } catch StoreError.notWritable {
            throw KeyringError(.inputOutput, "\(place) cannot be written, and no backup was made")
        } catch StoreError.inputOutput(let number) {
            throw KeyringError(
                .inputOutput, "\(place) cannot be made: \(KeyringError.text(ofErrno: number)); no backup was made")
        }
    }

    private func backupPlace(_ path: String?) throws -> String {
        let folder: String
        if let path {
            guard let status = try POSIXFile.status(path) else {
                // A name without a dot is a folder's that is not there, such as that of a disk which is not mounted.
                guard !BackupName.isFile(path), !path.hasSuffix("/") else { return path }
                throw KeyringError(
                    .noSuchFile, "there is no folder \(path), and no backup was made", advice: .makeFolder(path))
            }
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

    /// Removes what `retention` does not keep, but for those in `kept`; what cannot be removed stays.
    @discardableResult
    func removeOldBackups(
        in folder: String, keeping retention: BackupRetention?, except kept: [String], _ vault: borrowing UnlockedVault
    ) -> [String] {
        guard let retention, let files = try? BackupFile.all(in: folder) else { return [] }
        let kept = Set(kept.map { FileAccess.realPath($0) ?? $0 })
        var claims: Set<BackupClaim> = []
        for case let claim? in files.map(\.claim) where claim.isOwners(by: vault) { claims.insert(claim) }
        return retention.superfluous(among: files, isOurs: claims.contains).map(\.path).filter { path in
            !kept.contains(FileAccess.realPath(path) ?? path) && (try? POSIXFile.remove(path)) != nil
        }
    }
}
