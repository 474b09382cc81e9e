internal import ArgumentParser
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobModel

struct ProgramCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "program", abstract: "Which programs may have which tokens from 'keyfob agent'.",
        discussion: """
            Programs that ask the agent get tokens of the accounts that they were allowed, and of no others. PROGRAM is the path of \
            an executable or a script, the name of a program in PATH, or one of service:NAME.service, flatpak:ID, snap:NAME, \
            script:PATH and executable:PATH. What keyfob itself is allowed, every program gets that can start it: 'keyfob token' and the \
            helpers ask the agent while the vault is locked. Between programs that run as you this is policy and no wall: they can also run \
            'keyfob token' while the vault is unlocked.

            Example:
              keyfob program allow ~/bin/report.py --account ada@contoso.example
              keyfob program list
            """,
        subcommands: [
            ProgramListCommand.self, ProgramAllowCommand.self, ProgramDenyCommand.self, ProgramForgetCommand.self,
        ])
}

struct ProgramAllowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "allow", abstract: "Let a program have tokens of an account.",
        discussion: """
            An executable or a script is known by its file: when that changes, by an update or otherwise, nothing is allowed \
            until you say so again. With --any-version it is known by its path alone. What 'keyfob program deny' forbids stays \
            forbidden. It counts on this machine alone.

            Example:
              keyfob program allow ~/bin/report.py --account ada@contoso.example
              keyfob program allow service:backup.service --account work \\
                --scope https://graph.microsoft.com/.default
            """)

    @Argument(help: "The program.", completion: .file()) var program: String
    @Option(name: [.short, .long], help: ArgumentHelp("The account: id, user name or label.", valueName: "name"))
    var account: String?
    @Flag(name: .long, help: "Every account of the group.") var allAccounts = false
    @Option(name: [.short, .long], help: ArgumentHelp("Only tokens with this scope; repeatable.", valueName: "scope"))
    var scope: [String] = []
    @Option(name: .long, help: ArgumentHelp("Only tokens of this OAuth client.", valueName: "id")) var client: String?
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
    }

    func run() throws {
        let named = try NamedProgram(program)
        let keyring = try global.unlockedKeyring(reaching: .files())
        let (whose, group) = try target(in: keyring)
        let digest = anyVersion ? nil : try named.digest()
        let permission = ProgramPermission(
            of: named.program, account: whose?.id, clientID: client, scopes: ScopeSet(scope), digest: digest, in: group)
        let former = try keyring.programs.permissions(in: [group]).first {
            $0.program == named.program && $0.isAllowed && $0.account == whose?.id && $0.clientID == client
        }
        try keyring.programs.permit(permission)
        global.tellWarnings(of: keyring)
        let denial = try keyring.programs.permissions(in: [group]).first {
            $0.program == named.program && !$0.isAllowed && $0.account.map { $0 == whose?.id } ?? true
        }
        let name = whose.map { keyring.accounts.shownName(of: $0) }
        var words = "\(named.program) may have \(permission.words(name))"
        if digest != nil { words += ", as its file is now" }
        if let former, former.scopes != permission.scopes {
            words += ", in the place of \(former.scopes.isEmpty ? "all scopes" : "\(former.scopes)")"
        }
        if denial != nil {
            words +=
                "; 'keyfob program deny' forbids it still: 'keyfob program forget \(ShellWord.inMessage(program))' takes both back"
        }
        try global.tell(.programAllowed, words) { $0.fill(permission) }
        if named.program.kind == .executable, Interpreter(executable: named.program.name) != nil {
            global.say(
                "keyfob: warning: \(named.program) is an interpreter: what it is given by an option such as -c or -m, or is typed, "
                    + "has the tokens too; a script is allowed by its own path")
        }
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

struct ProgramDenyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deny", abstract: "Never let a program have tokens.",
        discussion: """
            It goes before all that was allowed, and nobody is asked about the program any more. Without --account it is about every \
            account of the groups.

            Example:
              keyfob program deny /usr/bin/assistant
              keyfob program deny snap:player --account ada@contoso.example
            """)

    @Argument(help: "The program.", completion: .file()) var program: String
    @Option(name: [.short, .long], help: ArgumentHelp("The account: id, user name or label.", valueName: "name"))
    var account: String?
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let named = try NamedProgram(program)
        let keyring = try global.unlockedKeyring(reaching: .files())
        let (whose, groups) = try target(in: keyring)
        for group in groups {
            try keyring.programs.permit(
                ProgramPermission(of: named.program, account: whose?.id, isAllowed: false, in: group))
        }
        global.tellWarnings(of: keyring)
        let about = whose.map { "tokens of \(keyring.accounts.shownName(of: $0))" } ?? "any token"
        let places = groups.map { "'\($0)'" }.joined(separator: ", ")
        try global.tell(.programDenied, "\(named.program) never gets \(about) of group \(places)") {
            $0.subject = ChangeDocument.Subject(program: named.program)
            ($0.account, $0.group) = (whose?.id.description, groups.count == 1 ? groups[0].name : nil)
        }
    }

    /// The account, nil for each, and the groups that are meant.
    private func target(in keyring: Keyring) throws(KeyringError) -> (Account?, [AccessGroup]) {
        if let account {
            let candidate = try keyring.accounts.named(account, in: global.groups())
            return (candidate.account, [candidate.group])
        }
        let groups = if let named = try global.groups() { named } else { try keyring.groups.list().map(\.name) }
        return (nil, groups)
    }
}

struct ProgramForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Take back what was decided about a program.",
        discussion: """
            It is as if the program had never asked: the next time somebody is asked, or it gets nothing. An agent that runs takes \
            back too what you have let the program have until you log out.

            Example:
              keyfob program forget ~/bin/report.py
            """)

    @Argument(help: "The program; its file may be gone.", completion: .file()) var program: String
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let named = try NamedProgram(program, mustExist: false)
        let place = try AgentPlace(global.location())
        // With keys at hand no connection is made any more.
        let agent: AgentClient? =
            if let place, place.hasAgent { try AgentClient(place.socket) } else { nil }
        let keyring = try global.unlockedKeyring(reaching: .files())
        let groups = try global.groups()
        var (count, nothing) = (0, nil as KeyringError?)
        do throws(KeyringError) {
            count = try keyring.programs.forgetPermissions(of: named.possible, in: groups)
        } catch {
            guard error.code == .noSuchBinding else { throw error }
            nothing = error
        }
        // After the vault: nothing that still stands there is given for the session anew.
        if let agent { count += try forget(named.possible, groups, by: agent) }
        if count == 0, let nothing { throw nothing }
        global.tellWarnings(of: keyring)
        try global.tell(.programForgotten, "took back \(Quantity.of(count, "permission")) of \(named.program)") {
            ($0.subject, $0.count) = (ChangeDocument.Subject(program: named.program), count)
        }
    }

    /// Has an agent take back what it has let programs have until it ends; how many permissions there were.
    private func forget(
        _ programs: [Program], _ groups: [AccessGroup]?, by agent: borrowing AgentClient
    ) throws(KeyringError) -> Int {
        do throws(KeyringError) {
            return try agent.forget(programs, in: groups)
        } catch {
            throw error.saying(
                "what the vault had of it is taken back, but not what the agent may have let it have until it ends: \(error.message)",
                advice: error.advice)
        }
    }
}

struct ProgramListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List what programs may have.",
        discussion: """
            'changed' stands where the program's file is another one than was allowed: it gets nothing then.

            Example:
              keyfob program list
              keyfob program list --group work --json
            """)

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring(reaching: .files())
        let groups = try global.groups()
        let accounts = try keyring.accounts.list(in: groups)
        let (names, digests) = (AccountNaming(among: accounts), FileDigests())
        let listed = try keyring.programs.permissions(in: groups).map { permission in
            ListedPermission(permission, accounts, names, digests)
        }
        global.tellWarnings(of: keyring)
        if global.json {
            return try JSONOutput.print(ProgramListDocument(permissions: listed.map(\.document)))
        }
        var table = Table(
            header: ["PROGRAM", "MAY", "ACCOUNT", "GROUP", "FOR", "FILE"], yielding: ["FILE", "FOR", "GROUP", "MAY"])
        for item in listed { table.add(item.row) }
        try StandardOutput.write(lines: table.text)
    }
}

extension ProgramPermission {
    /// What it is about.
    fileprivate func words(_ account: String?) -> String {
        let tokens = scopes.isEmpty ? "tokens" : "tokens for \(scopes)"
        let client = clientID.map { " at client \($0)" } ?? ""
        return "\(tokens) of \(account ?? "each account") of group '\(group)'\(client)"
    }
}

extension ChangeDocument {
    fileprivate mutating func fill(_ permission: ProgramPermission) {
        subject = Subject(program: permission.program)
        (account, group, client) = (permission.account?.description, permission.group.name, permission.clientID)
    }
}

/// A permission with what there is to be said of it.
private struct ListedPermission {
    let permission: ProgramPermission
    let account: Account?
    let name: String
    let hasChanged: Bool

    init(_ permission: ProgramPermission, _ candidates: [Candidate], _ names: AccountNaming, _ digests: FileDigests) {
        self.permission = permission
        account = candidates.first { $0.account.id == permission.account && $0.group == permission.group }?.account
        name = account.map(names.brief) ?? permission.account?.description ?? "all"
        hasChanged = permission.digest.map { $0 != digests.digest(of: permission.program.name) } ?? false
    }

    var row: [String] {
        let what = [permission.scopes.isEmpty ? nil : permission.scopes.spaceSeparated, permission.clientID]
        let text = what.compactMap(\.self).joined(separator: " ")
        let file =
            permission.digest == nil
            ? (permission.isAllowed && permission.program.kind.isPath ? "any" : "-")
            : hasChanged ? "changed" : "as allowed"
        return [
            permission.program.description, permission.isAllowed ? "yes" : "never",
            name,
            permission.group.name + (permission.writer == .group ? ", by a key of the group" : ""),
            text.isEmpty ? "-" : text, file,
        ]
    }

    var document: ProgramListDocument.Permission {
        ProgramListDocument.Permission(
            program: permission.program.description, decision: permission.isAllowed ? "always" : "never",
            account: permission.account?.description, username: account?.username, group: permission.group.name,
            scopes: permission.scopes.scopes, clientID: permission.clientID, sha256: permission.digest,
            hasChanged: permission.digest == nil ? nil : hasChanged, writer: permission.writer.rawValue)
    }
}

/// `Schemas/program-list.schema.json`.
private struct ProgramListDocument: JSONDocument {
    let formatVersion = 1
    let permissions: [Permission]

    struct Permission: Encodable {
        let program: String
        let decision: String
        let account: String?
        let username: String?
        let group: String
        let scopes: [String]
        let clientID: String?
        let sha256: String?
        let hasChanged: Bool?
        let writer: String
    }
}
