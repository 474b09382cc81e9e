internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

/// The options that every command has.
struct GlobalOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("The vault's folder (KEYFOB_VAULT).", valueName: "dir"))
    var vault: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "An access group to work with (KEYFOB_GROUP); repeatable, new items go to the first.", valueName: "name"))
    var group: [String] = []

    @Flag(name: .long, help: "Print a JSON document.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print no messages but errors.")
    var quiet = false

    @Flag(name: .long, help: "Never ask anything; fail instead.")
    var noInput = false

    @Option(name: .long, help: ArgumentHelp("Unlock with the passphrase on this descriptor.", valueName: "n"))
    var passphraseFd: Int32?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Unlock with this key file (KEYFOB_KEY_FILE); also the name of a systemd credential.", valueName: "file"))
    var keyFile: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Unlock with an age identity, such as the recovery key, in this file or pipe.", valueName: "file"))
    var identity: String?

    @Option(name: .long, help: "When to use colour.")
    var color: ColorChoice = .auto

    @Flag(name: .long, help: "Show long lists without a pager (KEYFOB_PAGER).")
    var noPager = false

    enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
        case auto, always, never
    }

    /// The descriptors by which the caller has given what unlocks the vault.
    var descriptorsOfSecrets: [CInt] {
        let paths = [keyFile, identity, Environment.current["KEYFOB_KEY_FILE"]].compactMap { $0 }
        let named = paths.compactMap { path in
            ["/dev/fd/", "/proc/self/fd/"].first(where: path.hasPrefix).flatMap { CInt(path.dropFirst($0.count)) }
        }
        return (passphraseFd.map { [$0] } ?? []) + named + (paths.contains("/dev/stdin") ? [0] : [])
    }

    func validate() throws {
        let ways = [passphraseFd != nil, keyFile != nil, identity != nil].count { $0 }
        if ways > 1 { throw ValidationError("--passphrase-fd, --key-file and --identity exclude one another") }
        if let passphraseFd, passphraseFd < 0 {
            throw ValidationError("--passphrase-fd is the number of an open descriptor")
        }
    }

    /// The groups asked for; nil when none is.
    func groups(_ environment: Environment = .current) throws(KeyringError) -> [AccessGroup]? {
        try [AccessGroup].named(group, usual: environment["KEYFOB_GROUP"])
    }

    /// Where the vault is.
    func location(_ environment: Environment = .current) throws(KeyringError) -> KeyringLocation {
        try KeyringLocation.standard(environment: environment.variables, vault: vault)
    }

    /// A command of Keyfob's as it can be typed for the same vault, with the same key.
    ///
    /// - Parameter quotes: How a word is quoted.
    func typed(_ words: String..., quotedBy quotes: (String) -> String = ShellWord.quoted) -> String {
        var words = ["keyfob"] + words
        for (name, value) in [("--vault", vault), ("--key-file", keyFile), ("--identity", identity)] {
            if let value { words += [name, value] }
        }
        return words.map(quotes).joined(separator: " ")
    }

    /// Notes what this command did outside the vault, so that no undo takes an older change for it.
    ///
    /// - Parameter isOfVault: Whether it is about the vault alone.
    func note(_ change: LastingChange, isOfVault: Bool = true) {
        let words = CommandPath(of: Array(CommandLine.arguments.dropFirst())).text.dropFirst("keyfob ".count)
        guard let location = try? location(),
            Keyring.Undo.note(change, by: String(words), at: location, isOfVault: isOfVault)
        else {
            return say("keyfob: warning: this could not be noted: 'keyfob undo' takes back what was done before it")
        }
    }

    /// Writes a line that is to be copied as it is, unless none is wanted.
    func show(_ line: String) {
        if !quiet { StandardError.write(verbatim: line) }
    }

    /// Writes a message, unless none is wanted; the commands that it names are of the vault that this one is about.
    func say(_ message: String) {
        if !quiet { StandardError.write(line: NamedVault.completing(message)) }
    }

    /// Writes a message about commands on another machine, unless none is wanted.
    func say(elsewhere message: String) {
        if !quiet { StandardError.write(line: message) }
    }
}
