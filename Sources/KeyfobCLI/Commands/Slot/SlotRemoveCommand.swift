internal import ArgumentParser
internal import Keyfob

struct SlotRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a way to unlock.",
        discussion: """
            Whoever used the slot may have kept what it opens: 'keyfob rekey' gives the vault another key. For a slot of \
            one group, 'keyfob group revoke' also gives the group a new key. With a slot of the desktop's keyring its \
            item there goes too. You are asked before the recovery key goes, the slot that has just opened the vault, or all \
            but the recovery key.

            'keyfob undo' does not undo this.

            Example:
              keyfob slot remove 3fa9c1d2
            """)

    @Argument(help: "The slot's id, or the beginning of it.")
    var id: String

    @Flag(name: .long, help: "Do not ask.") var force = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        var key: LockedKeyring.Key?
        let keyring = try global.unlockedKeyring(reaching: .vault, keeping: &key)
        let slot = try keyring.slots.withID(id)
        let used = try used(slot, key, keyring)
        let opensVault = slot.group == nil && keyring.storage == .embedded
        if opensVault, !force { try confirm(slot, used, keyring) }
        try keyring.slots.remove(id, secretService: global.secretService())
        global.tellWarnings(of: keyring)
        let left = try keyring.slots.list().filter { $0.group == slot.group }
        guard !global.json else {
            return try JSONOutput.print(SlotRemovedDocument(slot: slot.id, left: left.map(SlotDocument.init)))
        }
        global.say("removed slot \(slot.id)")
        guard opensVault else { return }
        global.say("the vault still opens with: \(SlotText.list(left))")
        if used?.isUsual == true {
            global.say("KEYFOB_KEY_FILE names a key file that opens it no more: 'unset KEYFOB_KEY_FILE'")
        }
        global.say("whoever had that slot may have kept the vault's key; 'keyfob rekey' gives it another")
    }

    /// By what the slot has opened the vault now; nil where something else did, or nobody can tell.
    private func used(
        _ slot: Keyring.Slot, _ key: borrowing LockedKeyring.Key?, _ keyring: Keyring
    ) throws(KeyringError) -> KeyUsedText? {
        let kept = try LockedKeyring(at: keyring.location).keptKeys()
        switch key {
        case .some(let key):
            guard try keyring.slots.opened(by: key)?.id == slot.id else { return nil }
            return KeyUsedText(global, kept, keyring.storage, isTyped: slot.kind == "passphrase")
        case nil:
            let text = KeyUsedText(global, kept, keyring.storage)
            return text.name == "desktopKeyring" && slot.kind == "secret-service" ? text : nil
        }
    }

    /// Asks where the slot is one that its owner may need.
    private func confirm(_ slot: Keyring.Slot, _ used: KeyUsedText?, _ keyring: Keyring) throws(KeyringError) {
        let left = try keyring.slots.list().filter { $0.group == nil && $0.id != slot.id }
        // Without another one the removal fails.
        guard !left.isEmpty else { return }
        var reasons: [String] = []
        if let used { reasons.append("slot \(slot.id) has opened the vault just now, \(used.words)") }
        if slot.isRecoveryKey, !left.contains(where: \.isRecoveryKey) {
            reasons.append("slot \(slot.id) is the recovery key's, without which no backup can be made")
        }
        let onlyRecovery = !slot.isRecoveryKey && left.allSatisfy(\.isRecoveryKey)
        guard !reasons.isEmpty || onlyRecovery else { return }
        reasons.append(
            onlyRecovery
                ? "after that the recovery key alone opens the vault: \(SlotText.ways(left))"
                : "after that the vault opens with \(SlotText.ways(left))")
        let reason = reasons.joined(separator: "; ")
        try Confirmation.ask(
            "\(reason.prefix(1).uppercased() + reason.dropFirst()). Type 'remove' to go on: ", "remove", global,
            to: reason)
    }
}

/// `Schemas/slot-removed.schema.json`.
struct SlotRemovedDocument: JSONDocument {
    let formatVersion = 1
    let slot: String
    let left: [SlotDocument]
}
