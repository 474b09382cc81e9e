internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct PromptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prompt", abstract: "Print who counts here, for a shell's prompt.",
        discussion: """
            One line with the label or user name of the account whose token 'keyfob token' would take in this directory, \
            with '(sign in)' behind it if its sign-in has ended. Prints '?' if several fit, or if a group has more than \
            \(AccountGlance.limit) accounts and no single one is meant; nothing if none fits, or the vault is locked. What a shell \
            would obey in a prompt is shown as '_'. Asks nothing, tells no errors and ends with 0: 'keyfob whoami' says why.

            Example:
              PS1='$(keyfob prompt) \\$ '
            """)

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        if global.json { throw ValidationError("what is printed is for a prompt; --json has no meaning") }
    }

    func run() throws {
        do throws(KeyringError) {
            let groups = try global.groups()
            guard let keyring = global.openedSilently(reaching: .files()) else { return }
            let glance = try keyring.accounts.glance(try AccountsHere.request(usualTool: nil), in: groups)
            // It is told once: a damaged history is begun anew.
            for warning in keyring.takeWarnings() where warning.code == .history {
                StandardError.write(line: "keyfob: warning: \(warning.text)")
            }
            let text = glance.promptText
            if !text.isEmpty { try StandardOutput.write(lines: text + "\n") }
        } catch {
            // Every other command tells it.
        }
    }
}
