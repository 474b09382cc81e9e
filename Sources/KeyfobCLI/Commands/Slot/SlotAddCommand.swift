internal import ArgumentParser
internal import Keyfob

struct SlotAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a way to unlock the vault.",
        discussion: """
            With secret-service the keyring of your desktop keeps a key that opens the vault, so that nothing is asked \
            in your session; every program of the session can open the vault then.
            With recovery-key a recovery key that you have opens the vault and its backups again, for example where the \
            desktop's keyring has lost the item that named it.

            'keyfob undo' does not undo this. 'keyfob slot remove' does.

            Example:
              keyfob slot add passphrase
              keyfob slot add key-file --new ~/.config/keyfob.key
              keyfob slot add recipient age1…
              keyfob slot add recovery-key ~/keyfob-recovery.txt
              keyfob slot add secret-service
            """)

    @OptionGroup var new: NewSlotInput
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring(reaching: .everything)
        let id = try keyring.slots.add(try new.slot(global))
        global.tellWarnings(of: keyring)
        try SlotAddedDocument.tell(id, keyring, global)
    }
}

/// `Schemas/slot-added.schema.json`.
struct SlotAddedDocument: JSONDocument {
    let formatVersion = 1
    let slot: String

    static func tell(_ id: String, _ keyring: Keyring, _ global: GlobalOptions) throws(KeyringError) {
        if global.json { return try JSONOutput.print(SlotAddedDocument(slot: id)) }
        let slot = try keyring.slots.list().first { $0.id == id }
        let words = slot.map { ": \(SlotText.kind(of: $0)), opens \(SlotText.opened(by: $0, keyring.storage))" }
        global.say("added slot \(id)\(words ?? "")")
    }
}
