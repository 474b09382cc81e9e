internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobTerminal

struct EnvCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "env", abstract: "Print what makes a shell work with an account.",
        discussion: """
            Lines for a shell to evaluate, which set KEYFOB_ACCOUNT, and with --group and --vault KEYFOB_GROUP and \
            KEYFOB_VAULT. Never a token: what needs one asks keyfob, or is run by 'keyfob exec'. Without a name it is the \
            account that 'keyfob which' shows as chosen here. A name is looked up where nothing has to be asked for that, \
            and else taken as it is. --unset takes the variables back.

            For direnv, run 'keyfob setup direnv' once. Then 'use keyfob ada' in an .envrc sets the account for that \
            folder. In mise's \
            configuration KEYFOB_ACCOUNT = "ada" below [env] does.

            Example:
              eval "$(keyfob env ada@contoso.example)"
              keyfob env --shell fish ada | source
            """)

    enum Shell: String, ExpressibleByArgument, CaseIterable { case sh, fish }

    @Argument(help: "The account: id, user name, label, or the beginning of one.") var account: String?
    @Option(name: .long, help: "The shell that evaluates it.") var shell = Shell.sh
    @Flag(name: .long, help: "Print what takes the variables back.") var unset = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    private static let names = ["KEYFOB_ACCOUNT", "KEYFOB_GROUP", "KEYFOB_VAULT"]

    func validate() throws {
        if unset, account != nil { throw ValidationError("--unset takes no account") }
        if let account, !Identifier.isAcceptable(account) {
            throw ValidationError("the account is blank or holds control characters")
        }
        if global.group.count > 1 { throw ValidationError("KEYFOB_GROUP names one group; give --group once") }
        if global.json { throw ValidationError("what is printed is for a shell; --json has no meaning") }
    }

    func run() throws {
        guard !unset else {
            for name in Self.names {
                try StandardOutput.write(data: shell == .fish ? "set -e \(name)\n" : "unset \(name)\n")
            }
            return
        }
        let values: [String?] = [try chosen(), global.group.first, global.vault.map(Self.absolute)]
        for case (let name, let value?) in zip(Self.names, values) {
            try StandardOutput.write(
                data: shell == .fish
                    ? "set -gx \(name) \(Self.fishWord(value))\n" : "export \(name)=\(ShellWord.quoted(value))\n")
        }
    }

    /// What names the account.
    private func chosen() throws(KeyringError) -> String {
        let keyring: Keyring
        switch try global.opening(reaching: .files()) {
        case .opened(let opened): keyring = opened
        case .shut(let problem):
            guard let account else { throw problem }
            global.say("keyfob: warning: '\(account)' was not looked up: \(problem.message)")
            return account
        }
        defer { global.tellWarnings(of: keyring) }
        let groups = try global.groups()
        if let account { return try keyring.accounts.named(account, in: groups).account.id.description }
        let request = TokenRequest(
            account: Environment.current["KEYFOB_ACCOUNT"],
            context: RequestContext(workingDirectory: ".", tool: nil, person: Environment.current.person))
        let selection = try keyring.accounts.select(request, in: groups)
        guard case .chosen(let candidate) = selection.outcome else {
            throw keyring.accounts.error(of: selection, for: request, in: groups)
                ?? KeyringError(.noSuchAccount, "there is no account")
        }
        return candidate.account.id.description
    }

    /// One word for fish, in whose quotes a backslash is more than itself.
    private static func fishWord(_ text: String) -> String {
        "'" + text.replacing(#"\"#, with: #"\\"#).replacing("'", with: #"\'"#) + "'"
    }

    /// A path that means the same in every folder.
    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : (FileAccess.realPath(".") ?? ".") + "/" + path
    }
}
