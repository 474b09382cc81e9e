internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

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
                slot.id, SlotText.kind(of: slot) + cost, SlotText.opened(by: slot, storage),
                LocalTime.text(slot.created),
            ])
        }
        return table.text
    }
}

/// `Schemas/slot-list.schema.json`.
struct SlotListDocument: JSONDocument {
    let formatVersion = 1
    let slots: [SlotDocument]
}
