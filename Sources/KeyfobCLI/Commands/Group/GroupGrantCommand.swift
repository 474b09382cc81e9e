internal import ArgumentParser
internal import Keyfob

struct GroupGrantCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant", abstract: "Make a way to unlock one group alone.",
        discussion: """
            Whoever unlocks with it opens that group and no other, with the whole vault in hand.

            'keyfob undo' does not undo this. 'keyfob group revoke' does, as far as nothing was copied.

            Example:
              keyfob group grant work key-file --new ci.key
            """)

    @Argument(help: "The group's name.") var name: String
    @OptionGroup var new: NewSlotInput
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let group = try AccessGroup(named: name)
        let keyring = try global.unlockedKeyring(reaching: .everything)
        let id = try keyring.slots.grant(group, to: try new.slot(global))
        global.tellWarnings(of: keyring)
        try SlotAddedDocument.tell(id, keyring, global)
    }
}
