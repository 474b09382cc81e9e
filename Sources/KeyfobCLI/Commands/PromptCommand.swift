internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct PromptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prompt", abstract: "Print who counts here, for a shell's prompt.",
        discussion: """
            One line with the label or user name of the account whose token 'keyfob token' would take in this directory; \
            with '(sign in)' behind it where that is needed first, and '?' where several fit, or where the accounts are many \
            and none of them is named, bound or the default. Prints nothing where none fits, or nothing that is at \
            hand opens the vault. Asks nothing, tells no errors and ends with 0: 'keyfob whoami' says why.

            Example:
              PS1='$(keyfob prompt) \\$ '
            """)

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        if global.json { throw ValidationError("what is printed is for a prompt; --json has no meaning") }
    }

    func run() throws {
        let groups = try global.groups()
        guard let keyring = global.openedSilently(), let request = try? AccountsHere.request(usualTool: nil),
            let text = try? keyring.accounts.glance(request, in: groups).promptText, !text.isEmpty
        else { return }
        try StandardOutput.write(lines: TerminalText.line(text) + "\n")
    }
}
