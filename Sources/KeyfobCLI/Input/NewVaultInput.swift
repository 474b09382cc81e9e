internal import ArgumentParser
internal import Keyfob
internal import KeyfobSodium

/// How a vault that is made is unlocked, and where its recovery key goes.
struct NewVaultInput: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("Write the recovery key to this new file instead of showing it.", valueName: "file"))
    var recoveryFile: String?

    @Option(name: .long, help: ArgumentHelp("Memory for a passphrase's derivation, 64 to 1024 MiB.", valueName: "mib"))
    var kdfMemory: UInt64 = 256

    @Flag(
        name: .long,
        help: "Let the desktop's keyring (Secret Service) unlock it: alone, or beside a passphrase or key file given.")
    var secretService = false

    func validate() throws {
        guard (64...1_024).contains(kdfMemory) else { throw ValidationError("--kdf-memory is between 64 and 1024 MiB") }
    }

    /// The ways to unlock it, as the options, the environment or the person says.
    func slots(_ location: KeyringLocation, _ global: GlobalOptions) throws(KeyringError) -> NewVaultSlots {
        let environment = Environment.current
        let service = global.secretService()
        let beside = secretService ? service : nil
        if let descriptor = global.passphraseFd {
            let text = try SecretInput.passphrase(descriptor: descriptor)
            return NewVaultSlots(first: .passphrase(text, memory: kdfMemory << 20), secretService: beside)
        }
        if let named = global.keyFile ?? environment["KEYFOB_KEY_FILE"] {
            let path = try KeyFile.path(of: named, vault: location.vault, environment)
            return NewVaultSlots(first: .keyFile(try SecretInput.keyFile(path)), secretService: beside)
        }
        let isKeptByService = secretService ? true : try global.wantsSecretService(service)
        if isKeptByService {
            return NewVaultSlots(first: .secretService(service))
        }
        let text = try NewPassphraseInput.read(descriptor: nil, mayAsk: !global.noInput)
        return NewVaultSlots(first: .passphrase(text, memory: kdfMemory << 20))
    }

    /// The place for the recovery key, made sure of before there is a vault: one whose recovery key could not be
    /// written would be a trap.
    func recoveryOutput() throws(KeyringError) -> RecoveryOutput {
        if let recoveryFile { return .file(try OutputFile(recoveryFile)) }
        try StandardOutput.requireWritable()
        return .standardOutput
    }
}

extension NewVaultInput {
    /// The recovery key for a document; nil where it is in a file.
    func shownKey(_ key: borrowing SecretBytes) -> String? {
        recoveryFile == nil ? key.withBytes { String(decoding: [UInt8]($0), as: UTF8.self) } : nil
    }

    /// Prints the document of a vault that was made, which may hold the recovery key.
    func print(_ document: some JSONDocument, of location: KeyringLocation) throws(KeyringError) {
        do throws(KeyringError) {
            try JSONOutput.print(document)
        } catch {
            throw recoveryFile == nil ? KeyringError(recoveryKeyOf: location, error, "shown") : error
        }
    }
}

/// The slots of a new vault, beside the recovery key's.
struct NewVaultSlots: ~Copyable {
    let first: Keyring.NewSlot
    /// The desktop's keyring, where it is to open the vault too.
    let secretService: SecretServiceOptions?

    init(first: consuming Keyring.NewSlot, secretService: SecretServiceOptions? = nil) {
        self.first = first
        self.secretService = secretService
    }
}

/// Where the recovery key of a new vault goes.
enum RecoveryOutput: ~Copyable {
    case file(OutputFile)
    case standardOutput

    /// Writes the key into the file; nothing where it is to be shown.
    consuming func write(_ key: borrowing SecretBytes, of location: KeyringLocation) throws(KeyringError) {
        switch consume self {
        case .standardOutput: return
        case .file(let file):
            do throws(KeyringError) {
                try file.complete(with: key)
            } catch {
                throw KeyringError(recoveryKeyOf: location, error, "written")
            }
        }
    }

    /// Shows the key on standard output, this once.
    static func show(
        _ key: borrowing SecretBytes, of location: KeyringLocation, _ global: GlobalOptions
    ) throws(KeyringError) {
        global.say("Recovery key, shown this once; keep it where the vault is not:")
        do throws(KeyringError) {
            try StandardOutput.write(line: key)
        } catch {
            throw KeyringError(recoveryKeyOf: location, error, "shown")
        }
    }
}

extension OutputFile {
    /// Makes a secret the file's only line, and puts it in place.
    consuming func complete(with line: borrowing SecretBytes) throws(KeyringError) {
        try line.withBytes { (bytes) throws(KeyringError) in try write(bytes) }
        try Array("\n".utf8).withBytes { (bytes) throws(KeyringError) in try write(bytes) }
        try commit()
    }
}

extension StandardOutput {
    /// Writes a secret as a line.
    static func write(line: borrowing SecretBytes) throws(KeyringError) {
        try line.withBytes { (bytes) throws(KeyringError) in try write(bytes: bytes) }
        try write(lines: "\n")
    }
}

extension KeyringError {
    /// The vault was made, but its recovery key is lost.
    init(recoveryKeyOf location: KeyringLocation, _ error: KeyringError, _ verb: String) {
        self.init(
            error.code,
            "the vault \(location.vault) was made, but its recovery key could not be \(verb): \(error.message)",
            hint: "remove that folder and start again, or have a key of your own with 'keyfob slot add recipient'")
    }
}
