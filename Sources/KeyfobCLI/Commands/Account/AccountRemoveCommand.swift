internal import ArgumentParser
internal import Keyfob

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
