internal import Keyfob
internal import KeyfobFiles
internal import KeyfobTerminal

extension BackupCommand {
    /// Lists backups, of which nothing is opened unless an identity is given.
    func showList() throws(KeyringError) {
        let backups = try listed()
        let origins = opening.isGiven ? try backups.map(origin) : nil
        if global.json {
            return try JSONOutput.print(
                BackupListDocument(
                    backups: backups.enumerated().map { index, backup in
                        BackupListDocument.Backup(backup, origins?[index])
                    }))
        }
        guard !backups.isEmpty else {
            let place = if let folder { folder } else { try global.location().vault }
            let way = ShellWord.inMessage(folder ?? "FOLDER")
            return global.say("there is no backup in \(place); 'keyfob backup --to \(way)' makes one")
        }
        var header = ["MADE", "AGE", "RECORDS", "GROUPS", "WHY", "BYTES"]
        if folder != nil { header.append("VAULT") }
        if origins != nil { header.append("BY") }
        var table = Table(
            header: header + ["FILE"], yielding: ["BYTES", "VAULT", "BY", "GROUPS", "RECORDS", "WHY", "AGE"],
            usual: ["GROUPS": "1"])
        for (index, backup) in backups.enumerated() {
            var row = [LocalTime.text(backup.time), TimeText.distance(to: backup.time, from: WallClock.system.now)]
            row += backup.claim?.columns ?? ["-", "-", "-"]
            row.append("\(backup.size)")
            if folder != nil { row.append(backup.claim.map { String($0.vault.prefix(8)) } ?? "-") }
            if let origins { row.append(origins[index].text) }
            table.add(row + [backup.path])
        }
        try StandardOutput.write(lines: table.text)
    }

    /// The backups of the folder that is named, or of the vault, which need not open, nor be there any more.
    private func listed() throws(KeyringError) -> [BackupFile] {
        if let folder, FileAccess.status(folder, following: true)?.isRegularFile == true {
            throw KeyringError(
                .usage, "\(folder) is a file, and --list lists the backups in a folder",
                hint: "'keyfob restore --list \(ShellWord.inMessage(folder))' lists the accounts in a backup")
        }
        if let folder { return try BackupFile.all(in: folder) }
        let location = try global.location()
        let backups = try BackupFile.all(at: location)
        guard backups.isEmpty else { return backups }
        do throws(KeyringError) {
            _ = try LockedKeyring(at: location)
        } catch  where error.code == .noVault {
            throw error
        } catch {}
        return []
    }

    /// Who made a backup of the list, as far as the identity given shows it.
    private func origin(of backup: BackupFile) throws(KeyringError) -> BackupOrigin {
        let file = try BundleFile(path: backup.path)
        return try BackupOrigin(file, opening.opener(for: file, global))
    }
}

extension BackupClaim {
    /// How many records, how many groups, and why it was made.
    fileprivate var columns: [String] {
        ["\(records)" + (isComplete ? "" : ", incomplete"), "\(groups)", reason?.words ?? "-"]
    }
}

extension BackupClaim.Reason {
    /// The reason as people read it.
    var words: String {
        switch self {
        case .asked: "asked for"
        case .changed: "there were changes"
        case .beforeRemoval: "before a removal"
        case .beforeReplacement: "before an import"
        case .beforeRestore: "before a restore"
        case .beforeNewKey: "before a new key"
        case .afterRekey: "after new keys"
        }
    }
}

/// `Schemas/backup-list.schema.json`.
struct BackupListDocument: JSONDocument {
    struct Backup: Encodable {
        let path: String
        let created: String
        let size: Int64
        let claim: Claim?
        let madeBy: BackupOrigin?

        init(_ backup: BackupFile, _ origin: BackupOrigin?) {
            path = backup.path
            created = backup.time.rfc3339
            size = backup.size
            claim = backup.claim.map(Claim.init)
            madeBy = origin
        }
    }

    /// What a backup says of itself.
    struct Claim: Encodable {
        let vault: String
        let records: Int
        let groups: Int
        let isComplete: Bool
        let reason: String?

        init(_ claim: BackupClaim) {
            vault = claim.vault
            records = claim.records
            groups = claim.groups
            isComplete = claim.isComplete
            reason = claim.reason?.rawValue
        }
    }

    let formatVersion = 1
    let backups: [Backup]
}
