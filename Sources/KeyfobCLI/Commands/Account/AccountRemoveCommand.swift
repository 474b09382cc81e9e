internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct AccountRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an account with its tokens from the keyring.",
        discussion: """
            The provider is not told: tokens that others hold stay valid. Needs --force, or an answer on \
            the terminal. Tokens that 'keyfob verify' names are removed by the id it tells. A binding, a .keyfob.toml, \
            the default and a name still mean the account afterwards: they give an error, and nobody else's token. \
            --unbind takes them back, also where the account was removed before.

            The account stays in the vault for 30 days, with tokens and bindings, and the 'keyfob undo' command that \
            is printed brings it back. --forever keeps nothing, and removes what earlier commands kept of the account; 'keyfob undo' does not undo this then. \
            Backups that were made before may have the tokens: 'keyfob backup --list' names those in the vault's folder.

            'keyfob logout --forget' signs out at the provider and removes too.

            Example:
              keyfob account remove ada@contoso.example --force
              keyfob account remove ada@contoso.example --unbind --force
            """)

    @OptionGroup var target: AccountArgument
    @OptionGroup var consent: ConsentOptions
    @Flag(name: .long, help: "Take back what means the account: others can be taken instead.") var unbind = false
    @Flag(name: .long, help: "Keep nothing for 'keyfob undo': the tokens leave the vault for good.") var forever = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let (account, name, group, remains) = try found(in: keyring)
        // Tokens without their account have none to come back with.
        let keepsNothing = forever || remains == .tokens
        if !consent.isGiven {
            let forGood = forever ? " for good" : ""
            if Terminal.isThere, !global.noInput {
                StandardError.write(line: NamedVault.completing(keepsNothing ? Self.gone : Self.kept))
            }
            let what = "\(name) (group \(group))\(forGood)"
            try Confirmation.ask(
                "Type 'remove' to remove \(what): ", "remove", global, to: "this removes \(what), with its tokens")
        }
        let policy: UndoPolicy =
            forever ? .erase : keepsNothing ? .none : .keep(keyring.undo.command("account remove"))
        let meanings = try keyring.accounts.meanings(of: account, in: [group])
        let report = try keyring.accounts.remove(account, from: group, unbinds: unbind, undo: policy)
        global.tellWarnings(of: keyring)
        let words =
            remains == .meanings
            ? "removed what meant \(name) in group '\(group)'"
            : "removed \(name) with \(Quantity.of(report.records, "record")) from group '\(group)'"
                + (unbind && !meanings.isEmpty ? ", and what meant it" : "")
        try global.tell(.accountRemoved, words) {
            ($0.account, $0.group, $0.count) = (account.description, group.name, report.records)
            $0.undo = report.undo.map(SignOutDocument.Undo.init)
        }
        if !unbind { tell(meanings, of: account, in: group) }
        guard !global.json else { return }
        guard let undo = report.undo else {
            if forever { global.say(Self.gone) }
            return
        }
        UndoText.offer(undo.id, undo.until, global)
        UndoText.tellDisplaced(undo.displaced, global)
    }

    private static let kept = "'keyfob undo' can bring it back for 30 days; the provider is not told"
    private static let gone =
        "nothing is kept here for an undo; earlier backups may have it: 'keyfob backup --list'"

    /// Says where nobody is taken in the place of the account, and how that is lifted.
    private func tell(_ meanings: [GroupDecision], of account: AccountID, in group: AccessGroup) {
        guard !meanings.isEmpty else { return }
        let id =
            ShellWord.quoted(account.description)
            + (group == .default ? "" : " --group \(ShellWord.quoted(group.name))")
        global.say(
            "\(Quantity.list(meanings.map(\.text))): nobody else is taken there; 'keyfob account remove --unbind \(id)' "
                + "removes that too")
    }

    /// What there is to remove.
    private enum Remains {
        /// The account with all that it holds.
        case account
        /// What means an account that is gone already.
        case meanings
        /// Tokens whose account is gone.
        case tokens
    }

    private typealias Found = (AccountID, name: String, AccessGroup, remains: Remains)

    /// An account that is gone already, and that something means.
    private func gone(in keyring: Keyring) throws(KeyringError) -> Found? {
        let groups = try global.groups()
        let wanted = Identifier.foldedName(target.account)
        let (former, named) = (try keyring.accounts.former(in: groups), AccountID(target.account))
        if let found = former.first(where: { $0.account.names.contains(wanted) })
            ?? former.first(where: { $0.account.wasCalled(wanted, named) })
        {
            return (found.account.id, found.account.id.description, found.group, .meanings)
        }
        guard let id = named else { return nil }
        return try keyring.accounts.meanings(of: id, in: groups).first
            .map { (id, id.description, $0.group, .meanings) }
    }

    /// The account; where nothing but tokens is left of it, its id alone names it.
    private func found(in keyring: Keyring) throws(KeyringError) -> Found {
        let groups = try global.groups()
        do throws(KeyringError) {
            let candidate = try keyring.accounts.named(target.account, in: groups, suggestsNear: false)
            return (candidate.account.id, keyring.accounts.shownName(of: candidate.account), candidate.group, .account)
        } catch  where error.code == .noSuchAccount {
            if unbind, let gone = try gone(in: keyring) { return gone }
            guard let id = AccountID(target.account),
                let left = try keyring.health.orphans().first(where: {
                    $0.account == id && groups?.contains($0.group) ?? true
                })
            else { throw error }
            return (id, id.description, left.group, .tokens)
        }
    }
}
