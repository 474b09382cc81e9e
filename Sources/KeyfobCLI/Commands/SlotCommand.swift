internal import ArgumentParser
internal import Keyfob

struct SlotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "slot", abstract: "Ways to unlock the vault.",
        discussion: """
            Example:
              keyfob slot list
              keyfob slot add passphrase
            """,
        subcommands: [SlotListCommand.self, SlotAddCommand.self, SlotRemoveCommand.self])
}

struct SlotListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the ways to unlock.",
        discussion: """
            Example:
              keyfob slot list
            """)

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let slots = try keyring.slots.list()
        if global.json {
            try JSONOutput.print(SlotListDocument(slots: slots.map(SlotDocument.init)))
        } else {
            try StandardOutput.write(lines: Self.table(slots, in: keyring.storage))
        }
    }

    static func table(_ slots: [Keyring.Slot], in storage: StoragePlace) -> String {
        var table = Table(header: ["SLOT", "KIND", "OPENS", "MADE"], yielding: ["MADE", "OPENS"])
        for slot in slots {
            let cost = slot.memory.map { " (\($0 >> 20) MiB)" } ?? ""
            table.add([
                slot.id, slot.kind + cost, slot.group.map { "group \($0)" } ?? whole(slot, storage),
                LocalTime.text(slot.created),
            ])
        }
        return table.text
    }

    /// What a slot of the vault's key opens: while the desktop's keyring keeps the records, that keyring is the key.
    private static func whole(_ slot: Keyring.Slot, _ storage: StoragePlace) -> String {
        switch storage {
        case .embedded: "the vault"
        case .secretService: slot.kind == "recipient" ? "backups" : "the vault, once it is moved back"
        }
    }
}

struct SlotAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a way to unlock the vault.",
        discussion: """
            With secret-service the keyring of your desktop keeps a key that opens the vault, so that nothing is asked \
            in your session; every program of the session can open the vault then.

            Example:
              keyfob slot add passphrase
              keyfob slot add key-file --new ~/.config/keyfob.key
              keyfob slot add recipient age1…
              keyfob slot add secret-service
            """)

    @OptionGroup var new: NewSlotInput
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring(reaching: .everything)
        let id = try keyring.slots.add(try new.slot(global))
        global.tellWarnings(of: keyring)
        try SlotAddedDocument.tell(id, global)
    }
}

struct SlotRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a way to unlock.",
        discussion: """
            Whoever used the slot may have kept what it opens: 'keyfob rekey' gives the vault another key. For a slot of \
            one group, 'keyfob group revoke' also gives the group a new key. With a slot of the desktop's keyring its \
            item there goes too. Before the recovery key goes, or nothing else is left, you are asked.

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

/// Slots in words.
enum SlotText {
    /// `key-file 3fa9c1d2`, with the group that it opens.
    static func of(_ slot: Keyring.Slot) -> String {
        slot.kind + " " + slot.id + (slot.isRecoveryKey ? " (recovery key)" : "")
            + (slot.group.map { " of group '\($0)'" } ?? "")
    }

    /// Several, one behind the other.
    static func list(_ slots: [Keyring.Slot]) -> String { slots.map(of).joined(separator: ", ") }
}

/// A slot in a document.
struct SlotDocument: Encodable {
    let id: String
    let kind: String
    let created: String
    let group: String?
    let kdfMemory: UInt64?
    let kdfOperations: UInt32?
    let recipient: String?
    let isRecoveryKey: Bool?

    init(_ slot: Keyring.Slot) {
        id = slot.id
        kind = slot.kind
        created = slot.created.rfc3339
        group = slot.group?.name
        kdfMemory = slot.memory
        kdfOperations = slot.operations
        recipient = slot.recipient
        isRecoveryKey = slot.isRecoveryKey ? true : nil
    }
}

/// `Schemas/slot-list.schema.json`.
struct SlotListDocument: JSONDocument {
    let formatVersion = 1
    let slots: [SlotDocument]
}

/// `Schemas/slot-removed.schema.json`.
struct SlotRemovedDocument: JSONDocument {
    let formatVersion = 1
    let slot: String
    let left: [SlotDocument]
}

/// `Schemas/slot-added.schema.json`.
struct SlotAddedDocument: JSONDocument {
    let formatVersion = 1
    let slot: String

    static func tell(_ id: String, _ global: GlobalOptions) throws(KeyringError) {
        if global.json {
            try JSONOutput.print(SlotAddedDocument(slot: id))
        } else {
            global.say("added slot \(id)")
        }
    }
}
