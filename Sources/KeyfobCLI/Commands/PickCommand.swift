internal import ArgumentParser
internal import Keyfob
internal import KeyfobModel
internal import KeyfobTerminal

struct PickCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pick", abstract: "Choose an account on the terminal.",
        discussion: """
            Shows the accounts on the terminal, the likeliest first, and prints the id of the one chosen, so \
            that standard output can be captured. The choice is remembered for the directory, or for --url. With \
            --filter nothing is shown: the ids of the accounts that match are printed, the best first. With --broker the \
            reason says which accounts another program that is the session's identity broker has too.

            Example:
              keyfob token --account "$(keyfob pick)" \\
                --scope https://graph.microsoft.com/.default
              keyfob pick --filter contoso
            """)

    @Option(
        name: .long, help: ArgumentHelp("Print the accounts that match, without a terminal.", valueName: "query"))
    var filter: String?

    @OptionGroup var options: RequestOptions
    @OptionGroup var broker: BrokerEvidenceOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let evidence = broker.evidence(for: options.client)
        let keyring = try global.unlockedKeyring(reaching: .files())
        var request = try options.request()
        // Whoever names an account that several answer to chooses for this place as well.
        if request.isNamed { request.context = try options.context() }
        let groups = try global.groups()
        let selection = try keyring.accounts.select(request, in: groups)
        let candidates = selection.choices
        global.tellWarnings(of: keyring)
        guard !candidates.isEmpty else {
            throw keyring.accounts.error(of: selection, for: request, in: groups)
                ?? KeyringError(.noSuchAccount, "there are no accounts to choose from")
        }
        if let filter {
            let items = PickerItem.items(candidates, beside: evidence)
            let matches = PickerFilter(items).matches(filter).map { candidates[$0].candidate }
            guard !matches.isEmpty else { throw KeyringError(.noSuchAccount, "no account matches '\(filter)'") }
            return try print(matches)
        }
        let chosen = try global.pick(among: candidates, for: request, beside: evidence)
        try print([chosen])
        keyring.accounts.remember(chosen.account.id, in: chosen.group, for: request, by: .person)
        try tellLearned(chosen, request, keyring, groups)
        global.tellWarnings(of: keyring)
    }

    /// Says for where the choice was remembered, and what will be chosen there from now on.
    private func tellLearned(
        _ chosen: Candidate, _ asked: TokenRequest, _ keyring: Keyring, _ groups: [AccessGroup]?
    ) throws(KeyringError) {
        guard let place = asked.context.address?.description ?? asked.context.directory else { return }
        var request = asked
        (request.account, request.login) = (nil, nil)
        let selection = try keyring.accounts.select(request, in: groups)
        let name = keyring.accounts.shownName(of: chosen.account)
        let which = "'\(SelectionQuestion(request).asked(in: groups).command)'"
        guard case .chosen(let next) = selection.outcome else {
            let typed = ShellWord.inMessage(keyring.accounts.naming(for: chosen.account).briefTyped(chosen.account))
            let subject = asked.context.address.map { "--url \(ShellWord.inMessage("https://\($0)"))" } ?? "--here"
            global.say(
                "remembered \(name) for \(place), where several accounts still fit; 'keyfob bind \(subject) \(typed)' settles it"
            )
            return
        }
        global.say(
            next.account.id == chosen.account.id
                ? "remembered for \(place): \(name) is taken there from now on; \(which) says why"
                : "remembered \(name) for \(place), but another account goes before it there; \(which) says why")
    }

    private func print(_ candidates: [Candidate]) throws {
        guard global.json else {
            return try StandardOutput.write(lines: candidates.map { $0.account.id.description + "\n" }.joined())
        }
        try JSONOutput.print(PickedDocument(accounts: candidates.map(PickedDocument.Account.init)))
    }
}

/// `Schemas/picked.schema.json`.
struct PickedDocument: JSONDocument {
    let formatVersion = 1
    let accounts: [Account]

    struct Account: Encodable {
        let account: String
        let username: String
        let label: String?
        let group: String

        init(_ candidate: Candidate) {
            account = candidate.account.id.description
            username = candidate.account.username
            label = candidate.account.label
            group = candidate.group.name
        }
    }
}
