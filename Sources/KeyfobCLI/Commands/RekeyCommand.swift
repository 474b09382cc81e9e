internal import ArgumentParser
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobSodium
internal import KeyfobTerminal

struct RekeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey", abstract: "Give the vault and its groups new keys, and seal everything again.",
        discussion: """
            After it, whoever has kept the vault's key, a group's, the recovery key or a way to unlock that you removed \
            opens nothing of the vault any more. Tokens that they have read stay good until you sign out or they expire.
            There is a new recovery key, shown once or written to --recovery-file before anything else is. Recipients \
            stay ('keyfob slot remove' those of others first), and so does the desktop's keyring where it opens the vault, \
            and the key file or the passphrase that is given to open it now; another key file stays with --keep-key-file; \
            a passphrase is asked for otherwise, and may be another. Ways to unlock one group alone go, and are listed with the \
            command that grants them again. What would be lost is named first, and you are asked; without a terminal say \
            --force.
            All of it happens in one step: killed at any moment, it leaves the old keys or the new ones. Old backups, and \
            other files of the vault's folder that the old keys open, are named, to be removed.

            'keyfob undo' does not undo this.

            Example:
              keyfob rekey --recovery-file ~/new-recovery.txt
              keyfob rekey --keep-key-file ~/.config/keyfob.key \\
                --recovery-file ~/new-recovery.txt

            Exit status: 0 done, 15 cancelled, 64 a way to unlock would be lost, 65 damaged, 74 not written, 75 the vault \
            changed meanwhile, 77 a key file that opens no slot, or a key that does not open the whole vault.
            """)

    @Option(
        name: .long,
        help: ArgumentHelp("Let this key file go on opening the vault; repeatable.", valueName: "file"))
    var keepKeyFile: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("Read the passphrase that is to open it, the old one or another, from here.", valueName: "n")
    )
    var newPassphraseFd: Int32?

    @Option(
        name: .long,
        help: ArgumentHelp("Write the new recovery key to this new file instead of showing it.", valueName: "file"))
    var recoveryFile: String?

    @Flag(name: .long, help: "Let ways to unlock be lost without asking.") var force = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let location = try global.location()
        let path = ShellWord.quoted(recoveryFile ?? "")
        let handOver = try RecoveryHandOver(
            recoveryFile, global,
            hint:
                "after an interruption 'keyfob verify --identity \(path)' says whether the vault has that recovery key "
                + "already; else choose another name")
        let opened = try global.unlockedKeyringAndKey(reaching: .files(writing: recoveryFile))
        let keyring = opened.keyring
        AuditFiles(state: location.state).noteAsTheyStand(try keyring.groups.list().map(\.name), in: keyring)
        var rekeying = try keyring.slots.beginRekey(secretService: global.secretService())
        for file in keepKeyFile { try keep(file, location, &rekeying) }
        try keepWayIn(opened.key, &rekeying)
        let hasPassphrase = rekeying.lost.contains { $0.kind == "passphrase" }
        if newPassphraseFd != nil || hasPassphrase && mayAsk {
            let passphrase = try NewPassphraseInput.read(
                descriptor: newPassphraseFd, mayAsk: true, what: "the vault")
            try rekeying.keep(passphrase: passphrase)
        }
        if keyring.sync.isSetUp {
            // Whoever has the old keys has this device's too, so that it does not go on as the same one.
            global.say(
                "with new keys this vault is another device of its sync: 'keyfob sync join REMOTE WORDS' afterwards, and "
                    + "'keyfob sync revoke' of the old one on another machine")
        }
        try confirm(rekeying)
        let rekeyed = try commit(rekeying, handOver)
        global.tellWarnings(of: keyring)
        guard !global.json else {
            return try JSONOutput.print(
                RekeyedDocument(rekeyed, recoveryFile: recoveryFile, recoveryKey: handOver.keyForDocument))
        }
        tell(rekeyed)
    }

    private func keep(
        _ file: String, _ location: KeyringLocation, _ rekeying: inout Rekeying
    ) throws(KeyringError) {
        let content = try KeyFile.read(
            file, vault: location.vault, credentials: Environment.current["CREDENTIALS_DIRECTORY"], ifMissing: nil)
        do throws(KeyringError) {
            try rekeying.keep(keyFile: content)
        } catch  where error.code == .wrongKey {
            throw KeyringError(error.code, "\(file): \(error.message)", advice: error.advice)
        }
    }

    /// Keeps what has just opened the vault.
    private func keepWayIn(
        _ key: borrowing LockedKeyring.Key?, _ rekeying: inout Rekeying
    ) throws(KeyringError) {
        guard let key = key?.copy() else { return }
        switch consume key {
        case .keyFile(let content):
            // One that was named besides is kept already.
            do throws(KeyringError) { try rekeying.keep(keyFile: content) } catch  where error.code == .wrongKey {}
        case .passphrase(let text) where newPassphraseFd == nil: try rekeying.keep(passphrase: text)
        default: break
        }
    }

    private func commit(
        _ rekeying: consuming Rekeying, _ handOver: RecoveryHandOver
    ) throws(KeyringError) -> Rekeyed {
        let progress = Progress("sealing", isQuiet: global.quiet)
        defer { progress.finish() }
        do throws(KeyringError) {
            return try rekeying.commit(
                handingOver: { (key) throws(KeyringError) in
                    try handOver.take(key, isNew: false)
                    handOver.tellPlace(of: "the new recovery key")
                }, progress: progress.update)
        } catch {
            guard handOver.isDone else { throw error }
            let key = "the new recovery key" + (recoveryFile.map { " in \($0)" } ?? "")
            let note =
                error.code == .unconfirmed
                ? "keep \(key) and the old one" : "\(key) opens nothing\(recoveryFile == nil ? "" : ": remove it")"
            throw KeyringError(error.code, "\(error.message); \(note)", advice: error.advice)
        }
    }

    private var mayAsk: Bool { !global.noInput && Terminal.isThere }

    /// Asks before a way to unlock is lost.
    private func confirm(_ rekeying: borrowing Rekeying) throws(KeyringError) {
        let keepsAnother = rekeying.keepsAnother
        if global.json, recoveryFile == nil, !keepsAnother {
            throw KeyringError(
                .usage, "nothing but the new recovery key would open the vault, and an interruption could lose it",
                hint: "give --recovery-file, or keep another way to unlock")
        }
        let lost = (rekeying.lost + rekeying.grants).map { slot in
            SlotText.of(slot) + (Self.way(toKeep: slot).map { " (\($0))" } ?? "")
        }
        guard !force, !lost.isEmpty else { return }
        guard mayAsk else {
            throw KeyringError(
                .usage, "these would not open the vault any more: \(lost.joined(separator: ", "))",
                hint: "let them go with --force; nothing was changed")
        }
        for line in lost { StandardError.write(line: "would not open the vault any more: \(line)") }
        try Confirmation.ask(
            "Type 'rekey' to go on without: ", "rekey", global, to: "these would not open the vault any more")
    }

    /// What keeps a slot of the whole vault.
    private static func way(toKeep slot: Keyring.Slot) -> String? {
        guard slot.group == nil else { return nil }
        return switch slot.kind {
        case "key-file": "--keep-key-file FILE keeps it"
        case "passphrase": "--new-passphrase-fd keeps it"
        case "secret-service": "the desktop's keyring here does not open it now"
        default: nil
        }
    }

    private func tell(_ rekeyed: Rekeyed) {
        global.say(
            "the vault has new keys; \(Quantity.of(rekeyed.records, "record was", "records were")) sealed again")
        global.say("it opens with: \(SlotText.list(rekeyed.slots))")
        if !rekeyed.removed.isEmpty { global.say("gone: \(SlotText.list(rekeyed.removed))") }
        for grant in rekeyed.grants {
            global.say("gone: \(SlotText.of(grant)); to grant it again: \(RekeyedDocument.command(granting: grant))")
        }
        if let backup = rekeyed.backup { global.say("backed up for the new recovery key to \(backup)") }
        guard !rekeyed.oldFiles.isEmpty else {
            return global.say("backups elsewhere open with the old keys as before: remove them too")
        }
        global.say("the old keys still open what the vault held before; remove these files, and copies elsewhere:")
        for file in rekeyed.oldFiles { global.show("  rm \(ShellWord.quoted(file))") }
    }
}

/// `Schemas/rekeyed.schema.json`.
private struct RekeyedDocument: JSONDocument {
    struct Grant: Encodable {
        let slot: SlotDocument
        let command: String
    }

    let formatVersion = 1
    let resealed: Int
    let slots: [SlotDocument]
    let removed: [SlotDocument]
    let grants: [Grant]
    let oldFiles: [String]
    let backup: String?
    let recoveryFile: String?
    let recoveryKey: String?

    init(_ rekeyed: Rekeyed, recoveryFile: String?, recoveryKey: String?) {
        resealed = rekeyed.records
        slots = rekeyed.slots.map(SlotDocument.init)
        removed = rekeyed.removed.map(SlotDocument.init)
        grants = rekeyed.grants.map { Grant(slot: SlotDocument($0), command: Self.command(granting: $0)) }
        oldFiles = rekeyed.oldFiles
        backup = rekeyed.backup
        self.recoveryFile = recoveryFile
        self.recoveryKey = recoveryKey
    }

    /// The command that makes a slot like `grant` again.
    static func command(granting grant: Keyring.Slot) -> String {
        let value = grant.recipient ?? (grant.kind == "key-file" ? "FILE" : nil)
        let words = [grant.group?.name ?? "", grant.kind] + [value].compactMap(\.self)
        return "keyfob group grant " + words.map(ShellWord.quoted).joined(separator: " ")
    }
}
