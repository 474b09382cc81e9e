internal import ArgumentParser
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobModel

struct ProgramDenyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deny", abstract: "Never let a program do something with an account.",
        discussion: """
            It counts before all that was allowed, and you are not asked about it any more. Without --account it is \
            about every account of the groups, and without --action about all actions. It is about what programs ask \
            the agent: while the vault is unlocked, a program that runs 'keyfob token' or asks a helper gets tokens.

            Example:
              keyfob program deny /usr/bin/assistant
              keyfob program deny snap:player --account ada@contoso.example
              keyfob program deny ~/bin/report.py --action sign-out
            """)

    @Argument(help: "The program.", completion: .file()) var program: String
    @Option(name: [.short, .long], help: ArgumentHelp("The account: id, user name or label.", valueName: "name"))
    var account: String?
    @OptionGroup var actions: ProgramActionOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let named = try NamedProgram(program)
        let keyring = try global.unlockedKeyring(reaching: .files())
        let (whose, groups) = try target(in: keyring)
        for group in groups {
            try keyring.programs.permit(
                ProgramPermission(
                    of: named.program, to: actions.named, account: whose?.id, isAllowed: false, in: group))
        }
        global.tellWarnings(of: keyring)
        named.tell(global)
        let name = whose.map { keyring.accounts.shownName(of: $0) } ?? "any account"
        let verbs = actions.named.map { $0.words(conjunction: "or") } ?? "use"
        let places = groups.map { "'\($0)'" }.joined(separator: ", ")
        try global.tell(.programDenied, "\(named.program) may never \(verbs) \(name) of group \(places)") {
            $0.actions = (actions.named ?? .all).inOrder.map(\.rawValue)
            $0.subject = ChangeDocument.Subject(program: named.program)
            ($0.account, $0.group) = (whose?.id.description, groups.count == 1 ? groups[0].name : nil)
        }
        guard !global.json else { return }
        global.say("that counts where it asks the agent; helpers of git, docker and others answer it as before")
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
