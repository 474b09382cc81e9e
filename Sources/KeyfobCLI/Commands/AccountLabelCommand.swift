internal import ArgumentParser
internal import Keyfob

struct AccountLabelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "label", abstract: "Give an account a label, or take it away.",
        discussion: """
            Example:
              keyfob account label ada@contoso.example work
              keyfob account label work --none
            """)

    @OptionGroup var target: AccountArgument
    @Argument(help: "The label.") var label: String?
    @Flag(name: .long, help: "Take the label away.") var none = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        if (label == nil) != none { throw ValidationError("give a label, or --none to take it away") }
    }

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let candidate = try keyring.accounts.named(target.account, in: global.groups())
        try keyring.accounts.setLabel(label, of: candidate.account.id, in: candidate.group)
        global.tellWarnings(of: keyring)
        let (id, name) = (candidate.account.id, candidate.account.username)
        let who = name.isEmpty ? id.description : name
        try global.tell(.accountLabelled, label.map { "\(who) is labelled '\($0)'" } ?? "\(who) has no label now") {
            ($0.account, $0.group, $0.to) = (id.description, candidate.group.name, label)
        }
    }
}

struct AccountMoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move an account with its tokens into another group.",
        discussion: """
            The tokens are sealed again under the other group's key, in one transaction.

            Example:
              keyfob account move ada@contoso.example --to work
            """)

    @OptionGroup var target: AccountArgument
    @Option(name: .long, help: ArgumentHelp("The group to move it to.", valueName: "group")) var to: String
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let group = try AccessGroup(named: to)
        let keyring = try global.unlockedKeyring()
        let candidate = try keyring.accounts.named(target.account, in: global.groups())
        let name = keyring.accounts.shownName(of: candidate.account)
        let count = try keyring.accounts.move(candidate.account.id, from: candidate.group, to: group)
        global.tellWarnings(of: keyring)
        let words = "\(name) with \(Quantity.of(count, "record"))"
        try global.tell(.accountMoved, "moved \(words) from group '\(candidate.group)' to '\(group)'") {
            ($0.account, $0.group) = (candidate.account.id.description, candidate.group.name)
            ($0.to, $0.count) = (group.name, count)
        }
    }
}

struct AccountRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an account with its tokens from the keyring.",
        discussion: """
            The provider is not told: tokens that others hold stay valid. Needs --force, or an answer on \
            the terminal. Tokens that 'keyfob verify' names are removed by the id it tells.
            \(UndoOptions.discussion)
            'keyfob logout --forget' signs out at the provider and removes too, without a backup.

            Example:
              keyfob account remove ada@contoso.example --force
            """)

    @OptionGroup var target: AccountArgument
    @Flag(name: .long, help: "Do not ask.") var force = false
    @OptionGroup var undo: UndoOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let (account, name, group, isLeftover) = try found(in: keyring)
        if !force {
            try Confirmation.ask("Type 'remove' to remove \(name) (group \(group)): ", "remove", global)
        }
        // What is left of an account that was removed has none to come back with.
        let backup = isLeftover ? nil : try undo.backUp(keyring)
        let count = try keyring.accounts.remove(account, from: group)
        global.tellWarnings(of: keyring)
        try global.tell(
            .accountRemoved, "removed \(name) with \(Quantity.of(count, "record")) from group '\(group)'"
        ) {
            ($0.account, $0.group, $0.count, $0.backup) = (account.description, group.name, count, backup)
        }
        undo.tell(backup, ["--account", account.description, "--group", group.name], global)
    }

    /// The account; where nothing but tokens is left of it, its id alone names it.
    private func found(in keyring: Keyring) throws(KeyringError) -> (
        AccountID, name: String, AccessGroup, isLeftover: Bool
    ) {
        let groups = try global.groups()
        do throws(KeyringError) {
            let candidate = try keyring.accounts.named(target.account, in: groups)
            return (candidate.account.id, keyring.accounts.shownName(of: candidate.account), candidate.group, false)
        } catch  where error.code == .noSuchAccount {
            guard let id = AccountID(target.account),
                let left = try keyring.health.orphans().first(where: {
                    $0.account == id && groups?.contains($0.group) ?? true
                })
            else { throw error }
            return (id, id.description, left.group, true)
        }
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
        if (account == nil) != none { throw ValidationError("name an account, or use --none") }
    }

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let groups = try global.groups()
        guard let account else {
            let group = groups?.first ?? .default
            try keyring.accounts.setDefault(nil, in: group)
            return try global.tell(.defaultSet, "group '\(group)' has no default account now") {
                $0.group = group.name
            }
        }
        let candidate = try keyring.accounts.named(account, in: groups)
        try keyring.accounts.setDefault(candidate.account.id, in: candidate.group)
        let name = keyring.accounts.shownName(of: candidate.account)
        global.tellWarnings(of: keyring)
        try candidate.tellDefault(as: name, global)
    }
}
