internal import ArgumentParser
internal import Keyfob

struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make a new vault.",
        discussion: """
            The vault gets one way to unlock it, a recovery key, and the group 'default'. The recovery key \
            is shown once, or written to --recovery-file; it is an age identity, and nothing else can open \
            the vault when the passphrase or the key file is lost.

            Example:
              head -c 32 /dev/urandom > ~/.config/keyfob.key && chmod 600 ~/.config/keyfob.key
              keyfob init --key-file ~/.config/keyfob.key --recovery-file ~/keyfob-recovery.txt
            """)

    @OptionGroup var new: NewVaultInput
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if global.identity != nil { throw ValidationError("a new vault is made with a passphrase or a key file") }
    }

    func run() throws {
        let location = try global.location()
        let output = try new.recoveryOutput()
        let created = try Keyring.create(at: location, slot: new.slot(location, global))
        try output.write(created.recoveryKey, of: location)
        try tell(created, location)
    }

    private func tell(_ created: borrowing Keyring.Created, _ location: KeyringLocation) throws(KeyringError) {
        guard !global.json else {
            let document = VaultCreatedDocument(
                vault: location.vault, id: created.keyring.vaultID, recoveryFile: new.recoveryFile,
                recoveryKey: new.shownKey(created.recoveryKey))
            return try new.print(document, of: location)
        }
        global.say("made the vault \(location.vault)")
        if let recoveryFile = new.recoveryFile {
            global.say("wrote the recovery key to \(recoveryFile); move it to where the vault is not")
        } else {
            try RecoveryOutput.show(created.recoveryKey, of: location, global)
        }
    }
}

/// `Schemas/vault-created.schema.json`.
struct VaultCreatedDocument: JSONDocument {
    let formatVersion = 1
    let vault: String
    let id: String
    let recoveryFile: String?
    let recoveryKey: String?
}
