internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct PasswdCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passwd", abstract: "Change the passphrase of the vault, or set the first one.",
        discussion: """
            Makes a slot for the new passphrase, opens it, and exchanges it for the old one in one step: stopped at any \
            moment, the old passphrase opens the vault, or the new one. Where the vault has several passphrases, name the \
            slot of the one to change; a slot of one group's passphrase can be named too.
            Copies of the vault that were made before still open with the old passphrase; backups open with the recovery key, \
            as before. If somebody knows the old passphrase, 'keyfob rekey' gives the vault new keys. \
            'keyfob undo' does not undo this.

            Example:
              keyfob passwd
              keyfob passwd 3fa9c1d2
              keyfob passwd --passphrase-fd 3 --new-passphrase-fd 4 3<old 4<new

            Exit status: 0 done, 11 several passphrases and none named, 12 nobody to ask, 73 the passphrase opens another \
            slot already, 77 wrong key.
            """)

    @Argument(help: "The slot whose passphrase changes, or the beginning of its id.")
    var slot: String?

    @Option(name: .long, help: ArgumentHelp("Read the new passphrase from this descriptor.", valueName: "n"))
    var newPassphraseFd: Int32?

    @OptionGroup var derivation: DerivationOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        var key: LockedKeyring.Key?
        let keyring = try global.unlockedKeyring(reaching: .vault, keeping: &key)
        guard keyring.storage == .embedded else {
            throw KeyringError(
                .notOffered, "the desktop's keyring keeps this vault, and its passphrase is the one that counts",
                hint: "change that one with the keyring's own program, such as Seahorse or KeePassXC")
        }
        let old = try chosen(keyring)
        let former = try Self.former(of: old, key, keyring)
        let passphrase = try NewPassphraseInput.read(
            descriptor: newPassphraseFd, mayAsk: !global.noInput, what: old?.group.map { "group '\($0)'" },
            hint: "give it with --new-passphrase-fd: keyfob passwd --new-passphrase-fd 3 3< FILE")
        let change = try keyring.slots.changePassphrase(of: old?.id, to: passphrase, memory: derivation.memory)
        global.tellWarnings(of: keyring)
        var opensStill: String?
        if change.isNew, let former { opensStill = try keyring.slots.slotOpened(by: former) }
        guard !global.json else { return try JSONOutput.print(PassphraseChangedDocument(change, opensStill)) }
        tell(change, opensStill)
    }

    /// The passphrase that is to go, where it has opened the vault just now, and another slot may have the same.
    private static func former(
        of slot: Keyring.Slot?, _ key: consuming LockedKeyring.Key?, _ keyring: Keyring
    ) throws(KeyringError) -> SecretBytes? {
        guard let slot, let key,
            try keyring.slots.list().contains(where: { $0.kind == "passphrase" && $0.id != slot.id })
        else { return nil }
        switch consume key {
        case .passphrase(let passphrase):
            guard try keyring.slots.slotOpened(by: passphrase, among: slot.id) != nil else { return nil }
            return passphrase
        case .keyFile: return nil
        case .identity: return nil
        case .session: return nil
        case .secretService: return nil
        }
    }

    /// The passphrase that is to change; nil where there is none yet.
    private func chosen(_ keyring: Keyring) throws(KeyringError) -> Keyring.Slot? {
        if let slot { return try keyring.slots.withID(slot) }
        let known = try keyring.slots.passphrases()
        guard known.count > 1 else { return known.first }
        guard !global.noInput, newPassphraseFd == nil, let terminal = Terminal() else {
            let lines = known.map {
                "'\(global.typed("passwd", $0.id, quotedBy: ShellWord.inMessage))' (made \(LocalTime.text($0.created)))"
            }
            throw KeyringError(
                .ambiguous, "the vault has \(known.count) passphrases: say which one to change",
                hint: Quantity.list(lines))
        }
        for slot in known { StandardError.write(line: "\(slot.id)  made \(LocalTime.text(slot.created))") }
        let answer = try terminal.ask("The vault has \(known.count) passphrases. Which slot's is to change? ")
        guard !answer.isEmpty else { throw Confirmation.cancelled }
        return try keyring.slots.withID(answer)
    }

    private func tell(_ change: PassphraseChange, _ opensStill: String?) {
        let what = change.slot.group.map { "group '\($0)'" } ?? "the vault"
        guard change.isNew else {
            return global.say("that is the passphrase of slot \(change.slot.id) already; nothing was changed")
        }
        guard let replaced = change.replaced else {
            global.say("\(what) has a passphrase now: slot \(change.slot.id)")
            return global.say("it opens with: \(SlotText.list(change.left))")
        }
        global.say("\(what) has a new passphrase: slot \(change.slot.id) in place of \(replaced.id)")
        global.say("it opens with: \(SlotText.list(change.left))")
        if let opensStill {
            let command = global.typed("slot", "remove", opensStill, quotedBy: ShellWord.inMessage)
            global.say("the old passphrase opens slot \(opensStill) still: '\(command)' removes that")
        }
        global.say("copies of the vault that were made before still open with the old passphrase")
        guard let group = change.slot.group else {
            return global.say("if somebody knows the old one: 'keyfob rekey' gives the vault new keys")
        }
        let word = ShellWord.inMessage(group.name)
        global.say("if somebody knows the old one: 'keyfob group rotate \(word)' gives the group a new key")
    }
}

/// `Schemas/passphrase-changed.schema.json`.
private struct PassphraseChangedDocument: JSONDocument {
    let formatVersion = 1
    let slot: SlotDocument
    let isNew: Bool
    let replaced: SlotDocument?
    let left: [SlotDocument]
    let oldOpens: String?

    init(_ change: PassphraseChange, _ opensStill: String?) {
        oldOpens = opensStill
        slot = SlotDocument(change.slot)
        isNew = change.isNew
        replaced = change.replaced.map(SlotDocument.init)
        left = change.left.map(SlotDocument.init)
    }
}
