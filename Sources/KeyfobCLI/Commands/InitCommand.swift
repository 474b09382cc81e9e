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

    @OptionGroup var global: GlobalOptions

    @Option(
        name: .long,
        help: ArgumentHelp("Write the recovery key to this new file instead of showing it.", valueName: "file"))
    var recoveryFile: String?

    @Option(name: .long, help: ArgumentHelp("Memory for a passphrase's derivation, 64 to 1024 MiB.", valueName: "mib"))
    var kdfMemory: UInt64 = 256

    func validate() throws {
        guard (64...1_024).contains(kdfMemory) else { throw ValidationError("--kdf-memory is between 64 and 1024 MiB") }
        if global.identity != nil { throw ValidationError("a new vault is made with a passphrase or a key file") }
    }

    func run() throws {
        let location = try global.location()
        // The file first: a vault whose recovery key could not be written would be a trap.
        if let recoveryFile {
            let file = try OutputFile(recoveryFile)
            let created = try create(at: location)
            do throws(KeyringError) {
                try created.recoveryKey.withBytes { (bytes) throws(KeyringError) in try file.write(bytes) }
                try Array("\n".utf8).withBytes { (bytes) throws(KeyringError) in try file.write(bytes) }
                try file.commit()
            } catch {
                throw recoveryKeyLost(location, error, "written")
            }
            try tell(created.keyring, location)
        } else {
            try StandardOutput.requireWritable()
            let created = try create(at: location)
            do throws(KeyringError) {
                try show(created, location)
            } catch {
                throw recoveryKeyLost(location, error, "shown")
            }
        }
    }

    private func recoveryKeyLost(_ location: KeyringLocation, _ error: KeyringError, _ verb: String) -> KeyringError {
        KeyringError(
            error.code,
            "the vault \(location.vault) was made, but its recovery key could not be \(verb): \(error.message)",
            hint: "remove that folder and start again, or have a key of your own with 'keyfob slot add recipient'")
    }

    private func show(_ created: borrowing Keyring.Created, _ location: KeyringLocation) throws(KeyringError) {
        guard !global.json else {
            let key = created.recoveryKey.withBytes { String(decoding: [UInt8]($0), as: UTF8.self) }
            return try JSONOutput.print(
                VaultCreatedDocument(
                    vault: location.vault, id: created.keyring.vaultID, recoveryFile: nil, recoveryKey: key))
        }
        try tell(created.keyring, location)
        global.say("Recovery key, shown this once; keep it where the vault is not:")
        try created.recoveryKey.withBytes { (bytes) throws(KeyringError) in try StandardOutput.write(bytes: bytes) }
        try StandardOutput.write(text: "\n")
    }

    private func create(at location: KeyringLocation) throws(KeyringError) -> Keyring.Created {
        let environment = Environment.current
        let slot: Keyring.NewSlot
        if let descriptor = global.passphraseFd {
            slot = .passphrase(try SecretInput.passphrase(descriptor: descriptor), memory: kdfMemory << 20)
        } else if let named = global.keyFile ?? environment["KEYFOB_KEY_FILE"] {
            let path = try KeyFile.path(of: named, vault: location.vault, environment)
            slot = .keyFile(try SecretInput.keyFile(path))
        } else {
            let text = try NewPassphraseInput.read(descriptor: nil, mayAsk: !global.noInput)
            slot = .passphrase(text, memory: kdfMemory << 20)
        }
        return try Keyring.create(at: location, slot: slot)
    }

    private func tell(_ keyring: Keyring, _ location: KeyringLocation) throws(KeyringError) {
        if global.json {
            try JSONOutput.print(
                VaultCreatedDocument(
                    vault: location.vault, id: keyring.vaultID, recoveryFile: recoveryFile, recoveryKey: nil))
        } else {
            global.say("made the vault \(location.vault)")
            if let recoveryFile {
                global.say("wrote the recovery key to \(recoveryFile); move it to where the vault is not")
            }
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
