internal import ArgumentParser
internal import Keyfob

struct GroupCreateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make a group.",
        discussion: """
            A name has 1 to 255 bytes; case matters.

            Example:
              keyfob group create work
            """)

    @Argument(help: "The group's name.") var name: String
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let group = try AccessGroup(named: name)
        let keyring = try global.unlockedKeyring()
        try keyring.groups.create(group)
        global.tellWarnings(of: keyring)
        try global.tell(.groupCreated, "made group '\(group)'") { $0.group = group.name }
    }
}
