internal import ArgumentParser
internal import Keyfob

struct SlotRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a way to unlock.",
        discussion: """
            Whoever used the slot may have kept what it opens: 'keyfob rekey' gives the vault another key. For a slot of \
            one group, 'keyfob group revoke' also gives the group a new key. With a slot of the desktop's keyring its \
            item there goes too. Before the recovery key goes, or nothing else is left, you are asked.

            'keyfob undo' does not undo this.

            Example:
              keyfob slot remove 3fa9c1d2
            """)

    @Argument(help: "The slot's id, or the beginning of it.")
    var id: String

    @Flag(name: .long, help: "Do not ask, although the recovery key goes or only that is left.") var force = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let slot = try keyring.slots.withID(id)
        let opensVault = slot.group == nil && keyring.storage == .embedded
        if opensVault, !force {
            let left = try keyring.slots.list().filter { $0.group == nil && $0.id != slot.id }
            if slot.isRecoveryKey, !left.isEmpty, !left.contains(where: \.isRecoveryKey) {
                try Confirmation.ask(
                    "It is the recovery key, without which no backup can be made. Type 'remove' to go on: ", "remove",
                    global)
            }
            if !slot.isRecoveryKey, !left.isEmpty, left.allSatisfy(\.isRecoveryKey) {
                try Confirmation.ask(
                    "After that the recovery key alone opens the vault. Type 'remove' to go on: ", "remove", global)
            }
        }
        try keyring.slots.remove(id, secretService: global.secretService())
        global.tellWarnings(of: keyring)
        let left = try keyring.slots.list().filter { $0.group == slot.group }
        guard !global.json else {
            return try JSONOutput.print(SlotRemovedDocument(slot: slot.id, left: left.map(SlotDocument.init)))
        }
        global.say("removed slot \(slot.id)")
        guard opensVault else { return }
        global.say("the vault still opens with: \(SlotText.list(left))")
        global.say("whoever had that slot may have kept the vault's key; 'keyfob rekey' gives it another")
    }
}

/// `Schemas/slot-removed.schema.json`.
struct SlotRemovedDocument: JSONDocument {
    let formatVersion = 1
    let slot: String
    let left: [SlotDocument]
}
