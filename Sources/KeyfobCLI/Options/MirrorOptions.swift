internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

/// What the commands that mirror a token cache have in common.
struct MirrorOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("Mirror only this account: id, user name or label; repeatable.", valueName: "name"))
    var account: [String] = []
    @Flag(name: .long, help: "Also take in accounts that are left out, or were removed from the group.")
    var bringBack = false
    @OptionGroup var consent: ConsentOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    /// What the commands say of it in their help.
    static let discussion = """
        Each run is one pass, to be repeated by a timer or before the program is used; several at once take turns, and the \
        program's own lock is respected. Of two tokens for the same, the later one wins. Who signs out here, or is removed \
        from the group, is taken out of the file. Who signs out in the program is left out from then on and stays signed in \
        here: a file in plain text ends no sign-in. What the file holds besides stays byte for byte.
        Before the first pass it asks, because the file holds refresh tokens in plain text; without a terminal say --force.
        """

    /// Makes sure that a file, or an item of the desktop's keyring, may be mirrored from now on.
    func confirm(_ path: String, isItem: Bool, _ program: String, _ group: AccessGroup) throws(KeyringError) {
        guard !consent.isGiven else { return }
        let words =
            (isItem
                ? "the desktop's keyring holds the tokens of \(program), refresh tokens among them: while it is open, whatever "
                    + "runs as you can read them. "
                : "\(path) holds tokens in plain text for \(program), refresh tokens among them: whatever runs as you can read "
                    + "them. ") + "Those of group '\(group)' that it can use will be there too"
        guard !global.noInput, let terminal = Terminal() else {
            let line = ["keyfob"] + CommandLine.arguments.dropFirst().filter { $0 != "--no-input" } + ["--force"]
            throw KeyringError(
                .usage, "nothing was done, because there is nobody to ask: \(words)",
                hint: "type \(line.map(ShellWord.quoted).joined(separator: " "))")
        }
        global.say("\(words).")
        let answer = try terminal.ask("Mirror \(path)? [y/N] ")
        guard ["y", "yes"].contains(answer.lowercased()) else {
            throw KeyringError(.cancelled, "cancelled; nothing was changed")
        }
    }
}
