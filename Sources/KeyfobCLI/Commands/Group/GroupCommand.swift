internal import ArgumentParser
internal import Keyfob

struct GroupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group", abstract: "Access groups, each under a key of its own.",
        discussion: """
            Example:
              keyfob group create work
              keyfob account move ada@contoso.example --to work
            """,
        subcommands: [
            GroupListCommand.self, GroupCurrentCommand.self, GroupCreateCommand.self, GroupRenameCommand.self,
            GroupRemoveCommand.self,
            GroupGrantCommand.self, GroupRevokeCommand.self, GroupRotateCommand.self,
        ])
}
