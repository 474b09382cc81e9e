internal import ArgumentParser
internal import Keyfob

struct GroupGrantCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant", abstract: "Make a way to unlock one group alone.",
        discussion: """
            Whoever unlocks with it opens that group and no other, with the whole vault in hand.

            Example:
              head -c 32 /dev/urandom > ci.key && chmod 600 ci.key
              keyfob group grant work key-file ci.key
            """)

    @Argument(help: "The group's name.") var name: String
    @OptionGroup var new: NewSlotInput
    @OptionGroup var global: GlobalOptions

    func run() throws {
        let group = try AccessGroup(named: name)
        let keyring = try global.unlockedKeyring(reaching: .everything)
        let id = try keyring.grantGroup(group, to: try new.slot(global))
        try SlotAddedDocument.tell(id, global)
    }
}

struct GroupRevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Remove a way to unlock one group, and give the group a new key.",
        discussion: """
            With --keep-key the group's key stays; whoever has kept it can still read the group.

            Example:
              keyfob group revoke work 3fa9c1d2
            """)

    @Argument(help: "The group's name.") var name: String
    @Argument(help: "The slot's id, or the beginning of it.") var slot: String
    @Flag(name: .long, help: "Do not give the group a new key.") var keepKey = false
    @OptionGroup var global: GlobalOptions

    func run() throws {
        let group = try AccessGroup(named: name)
        let keyring = try global.unlockedKeyring()
        if keepKey {
            let slots = try keyring.slots().filter { $0.group == group && $0.id.hasPrefix(slot.lowercased()) }
            guard !slots.isEmpty else {
                throw KeyringError(
                    .noSuchSlot, "group '\(group)' has no slot '\(slot)'",
                    advice: .listSlots)
            }
            try keyring.removeSlot(slot)
            return global.say("removed slot \(slot); the group keeps its key")
        }
        let progress = Progress("sealing", isQuiet: global.quiet)
        defer { progress.finish() }
        let (removed, count) = try keyring.revokeSlot(slot, of: group, progress: progress.update)
        let records = Quantity.of(count, "record was", "records were")
        global.say("removed slot \(removed); group '\(group)' has a new key, \(records) sealed again")
    }
}
