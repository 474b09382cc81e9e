internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct WhoamiCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami", abstract: "Say which account counts here, and why.",
        discussion: """
            The one that 'keyfob token' would take in this directory. 'keyfob which' says the same of every account. Ends \
            with 11 when several fit, and with 13 when none does.

            Example:
              keyfob whoami
              keyfob whoami --url https://github.com/contoso/app
            """)

    @OptionGroup var options: RequestOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring(reaching: .files())
        let (request, groups) = (try options.request(), try global.groups())
        let selection = try keyring.accounts.select(request, in: groups)
        global.tellWarnings(of: keyring)
        for line in selection.blockingLines { global.say(line) }
        guard case .chosen(let candidate) = selection.outcome else {
            throw keyring.accounts.error(of: selection, for: request, in: groups)
                ?? KeyringError(.noSuchAccount, "there is no account", hint: nil)
        }
        if global.json { return try JSONOutput.print(SelectionDocument(selection)) }
        let account = candidate.account
        let isLabelled = account.label != nil && !account.username.isEmpty
        var table = Table(header: [])
        let name = AccountNaming(among: selection.verdicts.map(\.candidate)).brief(account)
        table.add(["account", name + (isLabelled ? " (\(account.username))" : "")])
        table.add(["provider", ProviderNames(keyring, [candidate.group]).name(of: account.id.environment)])
        table.add(["group", candidate.group.name])
        table.add(["state", candidate.stateWords(WallClock.system.now)])
        for judged in selection.verdicts {
            if case .chosen(let reason) = judged.verdict { table.add(["why", "\(reason)"]) }
        }
        try StandardOutput.write(lines: table.text)
    }
}
