internal import ArgumentParser
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobModel

struct ProgramAllowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "allow", abstract: "Let a program do something with an account.",
        discussion: """
            Without --action it may get tokens of the account and see it (token and list). --action sign-in lets it \
            take you through a sign-in, with --all-accounts to any account; --action sign-out lets it sign the account \
            out. Its rights to other actions stay as they are.

            An executable or a script is known by its file: when that changes, by an update or otherwise, nothing is \
            allowed until you say so again. With --any-version it is known by its path alone. What 'keyfob program \
            deny' forbids stays forbidden. It counts on this machine alone.

            Example:
              keyfob program allow ~/bin/report.py --account ada@contoso.example
              keyfob program allow service:backup.service --account work \\
                --scope https://graph.microsoft.com/.default
              keyfob program allow ~/bin/report.py --all-accounts --action sign-in
            """)

    @Argument(help: "The program.", completion: .file()) var program: String
    @Option(name: [.short, .long], help: ArgumentHelp("The account: id, user name or label.", valueName: "name"))
    var account: String?
    @Flag(name: .long, help: "Every account of the group.") var allAccounts = false
    @Option(
        name: [.short, .long],
        help: ArgumentHelp("Only tokens and sign-ins with this scope; repeatable.", valueName: "scope"))
    var scope: [String] = []
    @Option(name: .long, help: ArgumentHelp("Only for this OAuth client.", valueName: "id")) var client: String?
    @OptionGroup var actions: ProgramActionOptions
    @Flag(name: .long, help: "Whatever its file holds.") var anyVersion = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        guard (account != nil) != allAccounts else {
            throw ValidationError("say which account with --account, or --all-accounts")
        }
        for (name, values) in [("--scope", scope), ("--client", client.map { [$0] } ?? [])]
        where values.contains(where: { !Identifier.isAcceptable($0) }) {
            throw ValidationError("\(name) is blank or holds control characters")
        }
        let named = actions.named ?? .usual
        if !scope.isEmpty, !named.contains(where: \.hasScopes) {
            throw ValidationError("--scope is for tokens and sign-ins: --action token or sign-in")
        }
        if client != nil, !named.contains(where: \.hasClient) {
            throw ValidationError("--client is for tokens, sign-ins and sign-outs, and not for a list")
        }
    }

    func run() throws {
        let named = try NamedProgram(program)
        let keyring = try global.unlockedKeyring(reaching: .files())
        let (whose, group) = try target(in: keyring)
        let digest = anyVersion ? nil : try named.digest()
        let permission = ProgramPermission(
            of: named.program, to: actions.named, account: whose?.id, clientID: client, scopes: ScopeSet(scope),
            digest: digest, in: group)
        let limited = permission.actions.filter(\.hasScopes)
        let former = try keyring.programs.permissions(in: [group]).first {
            $0.program == named.program && $0.isAllowed && $0.account == whose?.id && $0.clientID == client
                && !$0.actions.isDisjoint(with: limited)
        }
        try keyring.programs.permit(permission)
        global.tellWarnings(of: keyring)
        let denial = try keyring.programs.permissions(in: [group]).first {
            $0.program == named.program && !$0.isAllowed && $0.account.map { $0 == whose?.id } ?? true
                && !$0.actions.isDisjoint(with: permission.actions)
        }
        let name = whose.map { keyring.accounts.shownName(of: $0) }
        var words = "\(named.program) may \(permission.words(name))"
        if digest != nil { words += ", as its file is now" }
        if let former, former.scopes != permission.scopes {
            words += ", in the place of \(former.scopes.isEmpty ? "all scopes" : "\(former.scopes)")"
        }
        if denial != nil {
            words +=
                "; 'keyfob program deny' forbids it still: 'keyfob program forget \(ShellWord.inMessage(program))' takes both back"
        }
        named.tell(global)
        try global.tell(.programAllowed, words) { $0.fill(permission) }
        named.warn(global)
    }

    /// The account, nil for each, and the group that is meant.
    private func target(in keyring: Keyring) throws(KeyringError) -> (Account?, AccessGroup) {
        if let account {
            let candidate = try keyring.accounts.named(account, in: global.groups())
            return (candidate.account, candidate.group)
        }
        let groups = if let named = try global.groups() { named } else { try keyring.groups.list().map(\.name) }
        guard groups.count == 1, let only = groups.first else {
            throw KeyringError(
                .usage, "say which group is meant",
                hint: "--group NAME; there are \(groups.map(\.name).joined(separator: ", "))")
        }
        return (nil, only)
    }
}
