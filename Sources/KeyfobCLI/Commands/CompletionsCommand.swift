internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Print a completion script for a shell.",
        discussion: """
            Completes commands, options and what they take: files, accounts, groups, providers, clients, slots, tenants, and \
            the scopes of stored tokens. The names are read from the vault while a line is typed, without asking for a \
            passphrase: of a locked vault there are none.

            Example:
              keyfob completions bash > ~/.local/share/bash-completion/completions/keyfob
            """)

    enum Shell: String, ExpressibleByArgument, CaseIterable { case bash, zsh, fish }

    @Argument(help: "bash, zsh or fish.") var shell: Shell

    func run() throws {
        let script =
            switch shell {
            case .bash: CompletionScript.bash
            case .zsh: CompletionScript.zsh
            case .fish: CompletionScript.fish
            }
        try StandardOutput.write(data: script + "\n")
    }
}
