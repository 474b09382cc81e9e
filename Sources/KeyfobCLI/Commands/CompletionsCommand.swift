internal import ArgumentParser
internal import Keyfob

struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Print a completion script for a shell.",
        discussion: """
            Example:
              keyfob completions bash > ~/.local/share/bash-completion/completions/keyfob
            """)

    enum Shell: String, ExpressibleByArgument, CaseIterable { case bash, zsh, fish }

    @Argument(help: "bash, zsh or fish.") var shell: Shell

    func run() throws {
        let target: CompletionShell =
            switch shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        try StandardOutput.write(data: KeyfobCommand.completionScript(for: target) + "\n")
    }
}
