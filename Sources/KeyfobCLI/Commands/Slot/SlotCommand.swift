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
