internal import ArgumentParser
internal import Keyfob

struct AccountDefaultCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "default", abstract: "Make an account the default of its group.",
        discussion: """
            The default is taken where a request fits several accounts of the group.

            Example:
              keyfob account default ada@contoso.example
              keyfob account default --none --group work
            """)

    @Argument(help: "The account: its id, user name or label, or the beginning of one.") var account: String?
    @Flag(name: .long, help: "Let the group have no default.") var none = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        if account == nil, !none { throw ValidationError("name an account, or use --none") }
        if let account, none {
            throw ValidationError(
                "--none goes without an account: 'keyfob account default --none', or 'keyfob account default "
                    + "\(ShellWord.inMessage(account))'")
        }
    }

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let groups = try global.groups()
        guard let account else {
            let group = groups?.first ?? .default
            let former = try keyring.accounts.setDefault(nil, in: group)
            defer {
                if !global.json, let words = ReplacedText.text(former, in: group, keyring) { global.say(words) }
            }
            return try global.tell(.defaultSet, "group '\(group)' has no default account now") {
                $0.group = group.name
            }
        }
        let candidate = try keyring.accounts.named(account, in: groups)
        let former = try keyring.accounts.setDefault(candidate.account.id, in: candidate.group)
        let name = keyring.accounts.shownName(of: candidate.account)
        global.tellWarnings(of: keyring)
        try candidate.tellDefault(as: name, global)
        if !global.json, let words = ReplacedText.text(former, in: candidate.group, keyring) { global.say(words) }
    }
}

extension Candidate {
    /// Tells that it is the default of its group now.
    func tellDefault(as name: String, _ global: GlobalOptions) throws(KeyringError) {
        try global.tell(.defaultSet, "\(name) is the default account of group '\(group)'") {
            ($0.account, $0.group) = (account.id.description, group.name)
        }
    }
}
