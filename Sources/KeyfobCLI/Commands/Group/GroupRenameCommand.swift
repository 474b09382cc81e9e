internal import ArgumentParser
internal import Keyfob

struct GroupRenameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Give a group another name.",
        discussion: """
            Example:
              keyfob group rename work com.contoso.tools
            """)

    @Argument(help: "The group's name.") var name: String
    @Argument(help: "The new name.") var newName: String
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let (group, new) = (try AccessGroup(named: name), try AccessGroup(named: newName))
        let keyring = try global.unlockedKeyring()
        try keyring.groups.rename(group, to: new)
        global.tellWarnings(of: keyring)
        try global.tell(.groupRenamed, "group '\(group)' is called '\(new)' now") {
            ($0.group, $0.to) = (group.name, new.name)
        }
    }
}
