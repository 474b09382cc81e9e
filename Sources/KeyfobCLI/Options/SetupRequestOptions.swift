internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

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

    /// Warns where no account answers to the name, as far as that can be told without asking for a key.
    func tellMissingAccount(to tool: String, _ global: GlobalOptions) {
        guard let account, let keyring = (try? global.opening(reaching: .vault))?.keyring else { return }
        do throws(KeyringError) {
            _ = try keyring.accounts.named(account, in: try global.groups())
        } catch  where error.code == .noSuchAccount || error.code == .ambiguous {
            StandardError.write(
                line: "keyfob: warning: \(error.message): \(tool) gets no token until --account names one that is there"
            )
        } catch {}
    }

    /// The options that say the same in what the tool calls.
    func words(_ global: GlobalOptions) -> [String] {
        scope.map { "--scope=\($0)" } + (account.map { ["--account=\($0)"] } ?? [])
            + (global.vault.map { ["--vault=\($0)"] } ?? []) + global.group.map { "--group=\($0)" }
    }
}
