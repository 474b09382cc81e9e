internal import ArgumentParser
internal import Keyfob

struct HistoryClearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Forget the choices.",
        discussion: """
            Without --group, those of all groups that the key opens.

            'keyfob undo' does not undo this.

            Example:
              keyfob history clear --group work
            """)

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        try keyring.accounts.forgetChoices(in: global.groups())
        global.tellWarnings(of: keyring)
        try global.tell(.historyCleared, "forgot the choices")
    }
}
