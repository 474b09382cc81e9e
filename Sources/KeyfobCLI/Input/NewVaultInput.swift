internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobSodium
internal import KeyfobTerminal

/// How a vault that is made is unlocked, and where its recovery key goes.
struct NewVaultInput: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("Write the recovery key to this new file instead of showing it.", valueName: "file"))
    var recoveryFile: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Make this new file with a random key, which unlocks the vault.", valueName: "file"))
    var newKeyFile: String?

    @OptionGroup var derivation: DerivationOptions

    @Flag(
        name: .long,
        help: "Let the desktop's keyring (Secret Service) unlock it: alone, or beside a passphrase or key file given.")
    var secretService = false

    /// Whether any of the options was given, but for the memory.
    var isGiven: Bool { recoveryFile != nil || newKeyFile != nil || secretService }

    func validate() throws {
        if let newKeyFile, newKeyFile == recoveryFile {
            throw ValidationError("--new-key-file and --recovery-file name the same file")
        }
    }

    /// Says how the vault is opened from now on, where that is not plain.
    func tellNextStep(_ global: GlobalOptions) {
        guard let newKeyFile else { return }
        func whole(_ path: String) -> String { ShellWord.inMessage(FileAccess.realPath(path) ?? path) }
        let path = whole(newKeyFile)
        global.say("made the key file \(path); put this into your shell's profile, so that each command finds it:")
        if let vault = global.vault { global.show("  export KEYFOB_VAULT=\(whole(vault))") }
        global.show("  export KEYFOB_KEY_FILE=\(path)")
    }

    /// Whether a person is asked how it is to be unlocked.
    func asks(_ global: GlobalOptions) -> Bool {
        let given = newKeyFile ?? global.keyFile ?? Environment.current["KEYFOB_KEY_FILE"]
        return given == nil && global.passphraseFd == nil && !secretService && !global.noInput && Terminal.isThere
    }

    /// The ways to unlock it, as the options, the environment or the person says.
    ///
    /// - Parameter what: What a person is told that a new passphrase is for.
    func slots(
        _ location: KeyringLocation, _ global: GlobalOptions, for what: String? = nil
    ) throws(KeyringError) -> NewVaultSlots {
        let environment = Environment.current
        let service = global.secretService()
        let beside = secretService ? service : nil
        if let newKeyFile {
            let content = try KeyFile.make(
                newKeyFile, vault: location.vault,
                whenThere: "--key-file in place of --new-key-file uses the key that it holds")
            return NewVaultSlots(first: .keyFile(content), secretService: beside, madeKeyFile: newKeyFile)
        }
        if let descriptor = global.passphraseFd {
            let text = try NewPassphraseInput.read(descriptor: descriptor, mayAsk: false)
            return NewVaultSlots(first: .passphrase(text, memory: derivation.memory), secretService: beside)
        }
        if let named = global.keyFile ?? environment["KEYFOB_KEY_FILE"] {
            let content = try KeyFile.read(
                named, vault: location.vault, credentials: environment["CREDENTIALS_DIRECTORY"],
                ifMissing: .words("--new-key-file in place of --key-file makes it"))
            return NewVaultSlots(first: .keyFile(content), secretService: beside)
        }
        let isKeptByService = secretService ? true : try global.wantsSecretService(service)
        if isKeptByService {
            return NewVaultSlots(first: .secretService(service))
        }
        let text = try NewPassphraseInput.read(
            descriptor: nil, mayAsk: !global.noInput, what: what,
            hint: "give it with --passphrase-fd, or --new-key-file makes a key file")
        return NewVaultSlots(first: .passphrase(text, memory: derivation.memory))
    }

    /// Makes sure that a recovery key is not shown where nobody asked for a vault that opens like this.
    ///
    /// What the environment says is meant for the vault that is there: a script that names another one makes no second vault by
    /// it, with a recovery key in its log.
    func requireSomebody(_ location: KeyringLocation, _ global: GlobalOptions) throws(KeyringError) {
        guard recoveryFile == nil, !global.json, !global.quiet, !secretService, newKeyFile == nil,
            global.keyFile == nil,
            global.passphraseFd == nil, Environment.current["KEYFOB_KEY_FILE"] != nil, !StandardOutput.isTerminal
        else { return }
        throw KeyringError(
            .usage,
            "no vault was made at \(location.vault): KEYFOB_KEY_FILE alone says what would open it, and its recovery key "
                + "would be shown to nobody",
            hint: "--recovery-file FILE keeps that key")
    }

    /// Where the recovery key goes, made sure of before there is a vault: one whose recovery key could not be kept would
    /// be a trap.
    func handOver(_ location: KeyringLocation, _ global: GlobalOptions) throws(KeyringError) -> RecoveryHandOver {
        try RecoveryHandOver(recoveryFile, global, hint: "choose another name") { path in
            guard let text = try? SecretInput.keyFile(path) else { return false }
            return Keyring.isRecoveryKey(text, ofUnfinishedVaultAt: location)
        }
    }
}

/// The slots of a new vault, beside the recovery key's.
struct NewVaultSlots: ~Copyable {
    let first: Keyring.NewSlot
    /// The desktop's keyring, where it is to open the vault too.
    let secretService: SecretServiceOptions?
    /// The key file that was made for it.
    let madeKeyFile: String?

    init(
        first: consuming Keyring.NewSlot, secretService: SecretServiceOptions? = nil, madeKeyFile: String? = nil
    ) {
        self.first = first
        self.secretService = secretService
        self.madeKeyFile = madeKeyFile
    }
}

extension OutputFile {
    /// Writes a secret as the file's last line, and puts it in place.
    ///
    /// - Parameter comment: The lines before it, each with its end.
    consuming func complete(after comment: String, with line: borrowing SecretBytes) throws(KeyringError) {
        try Array(comment.utf8).withBytes { (bytes) throws(KeyringError) in try write(bytes) }
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
