internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobTerminal

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Back up the whole vault, list its backups, check or compare them.",
        discussion: """
            Writes an age file for the owners of the vault's recovery keys, or for --recipient, reads it back, \
            and prints its path. It holds everything except access tokens that expire. --to names a folder that is there, or a new file, whose \
            name has a dot: without one it is taken for a folder, and is an error where that is missing. Without --to it goes to the folder \
            'backups' of the vault; one is also made there before a group is removed or gets a new key, and \
            before an import replaces something and a restore. That folder keeps the newest five, and the first of each of the last \
            seven days and four weeks that have one; incomplete ones count for nothing. A backup in the vault's folder does \
            not survive the disk: have one elsewhere too. 'keyfob status' and 'keyfob doctor' warn where none is younger than \
            30 days.
            --diff says in words what changed from a backup to another one, or to the vault: groups, accounts, labels, \
            sign-ins, tokens that do not expire, and what decides. What each refresh makes anew is left out.
            --if-changed makes one only if the vault holds something else than the newest complete one there. --keep removes \
            older ones of this vault from the folder of --to. Both are for a timer: 'make install' has one, \
            'systemctl --user enable --now keyfob-backup@$(systemd-escape -p /media/stick).timer' starts it for that folder, \
            once a day. It needs a key that it can use without asking: 'keyfob unlock --user', or KEYFOB_KEY_FILE in \
            ~/.config/environment.d.
            --list opens nothing, neither the vault nor a backup, and works where the vault is damaged or gone. What it shows \
            is what each backup says of itself, and whoever can write the file could have written that: --bundle-identity shows \
            who made it, and --verify what is in it. With a folder, such as that of --to, it lists that one.
            --verify reads a backup or an export to its end and changes nothing; '-' is standard input. Of a backup it \
            says whether the owner of its vault made it, which the recovery key shows, or the vault where it opens \
            without asking: anybody can write one for a public key. --list says so too with --bundle-identity.

            Example:
              keyfob backup
              keyfob backup --to /media/stick
              keyfob backup --to - | ssh host 'cat > keyfob.age'
              keyfob backup --list /media/stick
              keyfob backup --diff /media/stick/keyfob-20261121T101500Z.age \\
                --bundle-identity recovery.txt
              keyfob backup --verify /media/stick/keyfob-20261121T101500Z.age \\
                --bundle-identity recovery.txt

            Exit status: 0 done, 65 damaged, incomplete because records do not open, or nothing shows who made it, 73 exists already, 74 \
            not written, 77 wrong identity, or a key that does not open the whole vault, 78 no recovery key.
            """)

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A folder, a new file such as x.age, or '-' for standard output, instead of the vault's folder.",
            valueName: "file"))
    var to: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Encrypt for this age recipient instead of the recovery key; repeatable.", valueName: "age1…"))
    var recipient: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("Of this vault's complete ones, keep this many in the folder of --to.", valueName: "n"))
    var keep: Int?

    @Flag(name: .long, help: "Only if something has changed since the newest one there.") var ifChanged = false

    @Flag(name: .long, help: "List the backups in the vault's folder, or in another one, newest first.") var list =
        false

    @Flag(name: .long, help: "Say what changed from a backup to a second one, or to the vault.") var diff = false

    @Argument(help: "With --list, the folder; with --diff, one backup or two.") var files: [String] = []

    /// The folder to list; nil for the vault's.
    var folder: String? { files.first }

    @Option(name: .long, help: ArgumentHelp("Check this backup.", valueName: "file")) var verify: String?

    @OptionGroup var opening: BundleOpenerOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        let makes = to != nil || !recipient.isEmpty || keep != nil || ifChanged
        if let keep, to == nil || keep < 1 {
            throw ValidationError("--keep takes a number from 1 on, and goes with --to and a folder")
        }
        if to == "-", keep != nil || ifChanged || global.json {
            throw ValidationError(
                "--to - writes the backup itself: --keep, --if-changed and --json go with a file or folder")
        }
        if list, verify != nil || makes { throw ValidationError("--list goes with no other option of backups") }
        if diff, list || verify != nil || makes { throw ValidationError("--diff goes with no other option of backups") }
        if diff, !(1...2).contains(files.count) {
            throw ValidationError("--diff compares a backup with a second one, or with the vault")
        }
        if let verify, !files.isEmpty {
            throw ValidationError(
                "--verify reads one backup, and \(files.count + 1) are named, as by a pattern that several fit: "
                    + "\(ShellWord.inMessage(verify)) is the first; 'keyfob backup --list FOLDER' lists them")
        }
        if list, files.count > 1 { throw ValidationError("--list lists one folder") }
        if !diff, !list, let place = files.first {
            throw ValidationError(
                "the place of a backup is named with --to: 'keyfob backup --to \(ShellWord.inMessage(place))'")
        }
        if verify != nil, makes { throw ValidationError("--verify goes with no option that makes a backup") }
        if verify == nil, !diff, list ? opening.bundlePassphraseFd != nil : opening.isGiven {
            throw ValidationError(
                "--bundle-identity goes with --verify, --diff and --list, --bundle-passphrase-fd with --verify and --diff"
            )
        }
        if !global.group.isEmpty { throw ValidationError("a backup is of all groups; 'keyfob export' writes some") }
    }

    func run() throws {
        if list { return try showList() }
        if let verify { return try check(verify) }
        if diff { return try showDifference() }
        if to == "-" { return try writeOut() }
        let keyring = try global.unlockedKeyring(reaching: .files(writing: to))
        if ifChanged, let current = try keyring.bundles.currentBackup(in: to) {
            global.tellWarnings(of: keyring)
            if global.json { return try JSONOutput.print(UnchangedBackupDocument(path: current.path)) }
            return global.say("nothing has changed since \(current.path), made \(TimeText.moment(current.time))")
        }
        let report = try keyring.bundles.backUp(
            to: to, for: recipient.isEmpty ? nil : recipient, because: ifChanged ? .changed : .asked, keeping: keep)
        global.tellWarnings(of: keyring)
        for line in report.skipped { StandardError.write(line: "skipped: \(line)") }
        if global.json {
            try JSONOutput.print(BackupDocument(report))
        } else {
            try StandardOutput.write(path: report.path)
            global.say("backed up \(report.summary.content), and read it back")
            if to == nil {
                global.say("it lies in the vault's folder and is lost with it; --to FOLDER writes elsewhere")
            }
            if !report.removed.isEmpty { global.say("removed \(Quantity.of(report.removed.count, "older backup"))") }
        }
        if report.isIncomplete { throw ReportedFailure(status: .malformed) }
    }

    /// Writes the backup to standard output.
    private func writeOut() throws {
        guard !StandardOutput.isTerminal else {
            throw KeyringError(.usage, "a backup is not written to a terminal", hint: "name a file, or pipe the output")
        }
        let keyring = try global.unlockedKeyring(reaching: .files(writing: nil))
        let report = try keyring.bundles.backUp(for: recipient.isEmpty ? nil : recipient) { piece in
            try StandardOutput.write(bytes: piece)
        }
        global.tellWarnings(of: keyring)
        for line in report.skipped { StandardError.write(line: "skipped: \(line)") }
        if report.isIncomplete { throw ReportedFailure(status: .malformed) }
        global.say("backed up \(report.summary.content); 'keyfob backup --verify FILE' reads it back")
    }

    private func check(_ path: String) throws {
        if FileAccess.status(path, following: true)?.isDirectory == true {
            throw KeyringError(
                .configuration, "\(path) is a folder, and --verify reads one backup",
                hint: "'keyfob backup --list \(ShellWord.inMessage(path))' lists those in it")
        }
        let file = try BundleInput.open(path, spoolingIn: global.location().vault)
        let summary: BundleSummary
        do throws(KeyringError) {
            summary = try verified(file, opening.opener(for: file, global))
        } catch {
            throw error.naming(bundle: file.name)
        }
        if global.json {
            try JSONOutput.print(BackupVerificationDocument(file: path, bundle: BundleDocument(summary)))
        } else {
            try StandardOutput.write(
                line: (summary.isOfUnknownOrigin ? "" : "all is well: ")
                    + "\(file.name) is \(summary.kindText) with \(summary.text)")
        }
        if summary.isOfUnknownOrigin { throw ReportedFailure(status: .malformed) }
    }

    /// Reads a bundle to its end.
    private func verified(
        _ file: borrowing BundleFile, _ opener: borrowing BundleOpener
    ) throws(KeyringError) -> BundleSummary {
        let summary = try Keyring.Bundles.verifyBackup(file, with: opener)
        guard let keyring = global.keyringToJudge(summary) else { return summary }
        return try Keyring.Bundles.verifyBackup(file, with: opener, of: keyring)
    }
}

/// `Schemas/backup.schema.json`.
struct BackupDocument: JSONDocument {
    let formatVersion = 1
    let path: String
    let bundle: BundleDocument
    let skipped: [String]
    let isIncomplete: Bool
    let removed: [String]

    init(_ report: Keyring.BackupReport) {
        path = report.path
        bundle = BundleDocument(report.summary)
        skipped = report.skipped
        isIncomplete = report.isIncomplete
        removed = report.removed
    }
}

/// `Schemas/backup.schema.json`, where no backup was needed.
struct UnchangedBackupDocument: JSONDocument {
    let formatVersion = 1
    let isUnchanged = true
    let path: String
}

/// `Schemas/backup-verification.schema.json`.
struct BackupVerificationDocument: JSONDocument {
    let formatVersion = 1
    let file: String
    let bundle: BundleDocument
}
