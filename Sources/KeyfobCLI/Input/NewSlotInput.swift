internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

/// For whom a slot is to be made, as it is typed: `passphrase`, `key-file FILE`, `recipient AGE1…`,
/// `recovery-key FILE` or `secret-service`.
struct NewSlotInput: ParsableArguments {
    @Argument(help: "passphrase, key-file, recipient, recovery-key or secret-service.")
    var kind: Kind

    @Argument(help: "The path of the key file or of the recovery key's, or the age recipient (age1… or age1pq1…).")
    var value: String?

    @Flag(name: .long, help: "Make the key file, with a random key.")
    var new = false

    @Option(name: .long, help: ArgumentHelp("Read the new passphrase from this descriptor.", valueName: "n"))
    var newPassphraseFd: Int32?

    @OptionGroup var derivation: DerivationOptions

    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case passphrase
        case keyFile = "key-file"
        case recipient
        case recoveryKey = "recovery-key"
        case secretService = "secret-service"
    }

    func validate() throws {
        if new, kind != .keyFile { throw ValidationError("--new makes a key file: key-file --new FILE") }
        switch kind {
        case .passphrase where value != nil:
            throw ValidationError(
                "a passphrase is not given as an argument; it is asked for, or read from --new-passphrase-fd")
        case .keyFile where value == nil: throw ValidationError("say which file: key-file FILE")
        case .recipient where value == nil: throw ValidationError("say which recipient: recipient age1…")
        case .recoveryKey where value == nil: throw ValidationError("say which file: recovery-key FILE")
        case .secretService where value != nil: throw ValidationError("secret-service takes nothing more")
        default: break
        }
    }

    /// The slot to make.
    func slot(_ global: GlobalOptions) throws(KeyringError) -> Keyring.NewSlot {
        switch kind {
        case .passphrase:
            let text = try NewPassphraseInput.read(descriptor: newPassphraseFd, mayAsk: !global.noInput)
            return .passphrase(text, memory: derivation.memory)
        case .keyFile:
            return .keyFile(try keyFile(try global.location().vault))
        case .recipient: return .recipient(value ?? "")
        case .recoveryKey: return .recoveryKey(try IdentityInput.read(value ?? "", global))
        case .secretService: return .secretService(global.secretService())
        }
    }
}

extension NewSlotInput {
    /// What the key file holds, which is made where that is asked for.
    private func keyFile(_ vault: String) throws(KeyringError) -> SecretBytes {
        guard !new else {
            return try KeyFile.make(
                value ?? "", vault: vault, whenThere: "without --new the key that it holds is used")
        }
        return try KeyFile.read(
            value ?? "", vault: vault, credentials: Environment.current["CREDENTIALS_DIRECTORY"],
            ifMissing: .words("--new makes it"))
    }
}

/// A new passphrase: from a descriptor, or typed twice.
enum NewPassphraseInput {
    /// Reads it, and warns where it is weak.
    ///
    /// - Parameters:
    ///   - what: What it is for, which is said to whoever is asked.
    ///   - guarded: What lets somebody try passphrases who gets it.
    ///   - hint: What else one can do where nobody is there to ask.
    static func read(
        descriptor: Int32?, mayAsk: Bool, what: String? = nil, guarding guarded: String = "the vault's files",
        hint: String = "give it with --new-passphrase-fd, or use a key file"
    ) throws(KeyringError) -> SecretBytes {
        let text = try read(descriptor, mayAsk, what, hint)
        if PassphraseStrength.isWeak(text) {
            StandardError.write(
                line: "keyfob: warning: whoever gets \(guarded) may guess this passphrase; five random words are harder"
            )
        }
        return text
    }

    private static func read(
        _ descriptor: Int32?, _ mayAsk: Bool, _ what: String?, _ hint: String
    ) throws(KeyringError) -> SecretBytes {
        if let descriptor { return try SecretInput.passphrase(descriptor: descriptor) }
        guard mayAsk, let terminal = Terminal() else {
            throw KeyringError(
                .locked, "a passphrase is needed and there is nobody to ask",
                hint: hint)
        }
        let question = "New passphrase\(what.map { " for \($0)" } ?? ""): "
        for turn in 1...attempts {
            let first = try terminal.askSecret(question)
            let second = try terminal.askSecret("The same again: ")
            if first.isEqual(to: second) { return first }
            if turn < attempts { StandardError.write(line: "The two differ. Type both again.") }
        }
        throw KeyringError(.usage, "the two passphrases differ; nothing was changed")
    }

    /// How often two that differ are asked for again.
    private static let attempts = 3
}
