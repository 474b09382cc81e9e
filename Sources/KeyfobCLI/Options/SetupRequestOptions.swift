internal import ArgumentParser
internal import Keyfob

/// Which token a tool is to ask for by what setup writes.
struct SetupRequestOptions: ParsableArguments {
    @Option(name: [.short, .long], help: ArgumentHelp("A scope the token must have; repeatable.", valueName: "scope"))
    var scope: [String] = []

    @Option(
        name: [.short, .long], help: ArgumentHelp("The account, where none is bound to the server.", valueName: "name"))
    var account: String?

    func validate() throws {
        for (name, value) in [("--account", account)] + scope.map({ ("--scope", $0) }) {
            if let value, !Identifier.isAcceptable(value) {
                throw ValidationError("\(name) is blank or holds control characters")
            }
        }
    }

    /// The options that say the same in what the tool calls.
    func words(_ global: GlobalOptions) -> [String] {
        scope.map { "--scope=\($0)" } + (account.map { ["--account=\($0)"] } ?? [])
            + (global.vault.map { ["--vault=\($0)"] } ?? []) + global.group.map { "--group=\($0)" }
    }
}
