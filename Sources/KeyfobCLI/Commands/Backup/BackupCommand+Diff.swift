internal import Keyfob
internal import KeyfobTerminal

extension BackupCommand {
    /// Says what is different between two backups, or a backup and the vault.
    func showDifference() throws(KeyringError) {
        // What opens without asking shows whose a backup is, too.
        let keyring = files.count == 1 ? try global.unlockedKeyring(reaching: .files()) : nil
        let old = try contents(of: files[0], keyring)
        let new =
            if let keyring { try keyring.bundles.contents() } else { try contents(of: files[1], nil) }
        if let keyring { global.tellWarnings(of: keyring) }
        let changes = old.changes(to: new)
        if global.json {
            return try JSONOutput.print(
                BackupDifferenceDocument(
                    from: old.source.map(BundleDocument.init), to: new.source.map(BundleDocument.init),
                    changes: changes.map(BackupDifferenceDocument.Change.init)))
        }
        for contents in [old, new] {
            guard let source = contents.source, source.purpose == "backup", !source.isOwners else { continue }
            global.say("note: nothing shows who made the backup that was written \(TimeText.moment(source.created))")
        }
        try StandardOutput.write(lines: changes.map { TerminalText.line($0.description) + "\n" }.joined())
        let later = files.count == 1 ? "the vault" : files[1]
        let count = changes.isEmpty ? "nothing" : Quantity.of(changes.count, "thing")
        global.say("\(count) changed from \(files[0]) to \(later)")
    }

    private func contents(of path: String, _ keyring: Keyring?) throws(KeyringError) -> BackupContents {
        let file = try BundleInput.open(path, spoolingIn: global.location().vault)
        do throws(KeyringError) {
            return try Keyring.Bundles.contents(of: file, with: opening.opener(for: file, global), of: keyring)
        } catch {
            throw error.naming(bundle: file.name)
        }
    }
}

/// `Schemas/backup-difference.schema.json`.
struct BackupDifferenceDocument: JSONDocument {
    struct Change: Encodable {
        let outcome: String
        let kind: String
        let group: String
        let text: String

        init(_ change: BackupContents.Change) {
            outcome = change.outcome.rawValue
            kind = change.kind.rawValue
            group = change.group.name
            text = change.text
        }
    }

    let formatVersion = 1
    let from: BundleDocument?
    /// Nil for the vault.
    let to: BundleDocument?
    let changes: [Change]
}
