internal import ArgumentParser
internal import Keyfob

struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make a new vault.",
        discussion: """
            The vault gets one way to unlock it, a recovery key, and the group 'default'. The recovery key \
            opens the vault when the passphrase or the key file is lost. It is shown once, or written to \
            --recovery-file. Stopped half-way it leaves no vault, or a whole one: \
            where there is none, the same command works again.
            With --new-key-file it is unlocked by a file that is made, and nobody is ever asked: for servers, and where \
            the disk is encrypted anyway.
            With --secret-service the keyring of your desktop (GNOME Keyring, KWallet, KeePassXC) keeps a key that \
            opens the vault, alone or beside a passphrase or key file: in your session nothing is asked then, and \
            every program of the session can open the vault too. On a terminal of a desktop 'init' offers it.
            With --storage secret-service the desktop's keyring keeps the accounts and tokens themselves, one item \
            each, which Seahorse and 'secret-tool' show; nothing else unlocks such a vault. 'keyfob status' tells what \
            it cannot do, and 'keyfob migrate' moves a vault from one place to the other.

            'keyfob undo' does not undo this.

            Example:
              keyfob init --recovery-file ~/keyfob-recovery.txt
              keyfob init --new-key-file ~/.config/keyfob.key \\
                --recovery-file ~/keyfob-recovery.txt
              keyfob init --secret-service --recovery-file ~/keyfob-recovery.txt
              keyfob init --storage secret-service --recovery-file ~/keyfob-recovery.txt
            """)

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Where records are kept: embedded (an encrypted file of Keyfob's own, the default) or secret-service.",
            valueName: "place"))
    var storage = StorageName.embedded

    @OptionGroup var new: NewVaultInput
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        if global.identity != nil {
            throw ValidationError("a new vault is made with a passphrase, a key file or --secret-service")
        }
        if new.newKeyFile != nil, global.keyFile != nil || global.passphraseFd != nil {
            throw ValidationError(
                "--new-key-file makes the key that unlocks the vault; --key-file and --passphrase-fd name another")
        }
        if storage == .secretService,
            new.secretService || global.passphraseFd != nil || global.keyFile != nil || new.newKeyFile != nil
        {
            throw ValidationError("with --storage secret-service nothing else unlocks the vault: no slot is made")
        }
    }

    func run() throws {
        let location = try global.location()
        try Keyring.requireAbsent(at: location)
        try new.requireSomebody(location, global)
        let handOver = try new.handOver(location, global)
        do throws(KeyringError) {
            try create(at: location) { (vault) throws(KeyringError) in
                try handOver.take(vault.recoveryKey, isNew: true)
                if global.json {
                    try JSONOutput.print(
                        VaultCreatedDocument(
                            vault: location.vault, id: vault.id, recoveryFile: new.recoveryFile,
                            recoveryKey: handOver.keyForDocument))
                }
            }
        } catch {
            throw handOver.failing(error, at: location)
        }
        global.note(LastingChange(.vaultMade))
        guard !global.json else { return }
        global.say("made the vault \(location.vault)")
        handOver.tellPlace(of: "the recovery key")
        new.tellNextStep(global)
        global.say("next: 'keyfob import --discover' finds what other tools keep, and 'keyfob login PROVIDER' signs in")
    }

    private func create(
        at location: KeyringLocation, handingOver: (borrowing Keyring.NewVault) throws(KeyringError) -> Void
    ) throws(KeyringError) {
        guard storage == .embedded else {
            _ = try Keyring.createDelegated(
                at: location, secretService: global.secretService(), handingOver: handingOver)
            return
        }
        let slots = try new.slots(location, global)
        let (service, madeKeyFile) = (slots.secretService, slots.madeKeyFile)
        do throws(KeyringError) {
            let created = try Keyring.create(
                at: location, slot: slots.first, secretService: service, handingOver: handingOver)
            global.tellWarnings(of: created.keyring)
        } catch {
            // A key that was made for a vault that was not opens nothing.
            if let madeKeyFile, (try? Keyring.requireAbsent(at: location)) != nil { OutputFile.remove(madeKeyFile) }
            throw error
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

/// Where records lie, as people type it.
enum StorageName: String, ExpressibleByArgument, CaseIterable {
    case embedded
    case secretService = "secret-service"
}
