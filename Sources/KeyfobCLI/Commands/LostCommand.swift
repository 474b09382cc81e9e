internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct LostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lost", abstract: "Say what a lost machine could reach, and take it out of the sync.",
        discussion: """
            Shows which groups the machine shares, and which of their accounts it can use. Then it asks, and revokes the machine \
            as 'keyfob sync revoke' does. At the end it prints what is left for you to do, as commands and pages. A sign-in that all \
            machines share ends by 'keyfob logout' here. A sign-in that the machine made itself, and a token added there by hand, \
            end at the provider alone. What the machine had decided, such as bindings, is listed before the question, and removed. \
            Machines that only it had approved are revoked too; --keep names one that stays. Run again, it changes nothing and prints \
            the list again. 'keyfob undo' does not undo this.

            Example:
              keyfob lost laptop
              keyfob lost laptop --force

            Exit status: 0 done, 11 several machines of that name, 15 cancelled, 64 no such machine or nobody to ask, \
            78 no sync.
            """)

    @Argument(help: "What it is called, or its words, or the first of them.") var machine: String
    @Option(
        name: .long, help: ArgumentHelp("A machine that stays, although this one alone let it in.", valueName: "device")
    )
    var keep: [String] = []
    @OptionGroup var consent: ConsentOptions
    @OptionGroup var options: SyncOptions

    func run() throws {
        let global = options.global
        let keyring = try opened()
        let lost = try keyring.sync.reach(of: machine)
        let text = LostText(lost, keyring, global)
        if !global.json { try text.write() }
        var change: SyncChange?
        if !lost.isRevoked {
            if !consent.isGiven {
                try Confirmation.requireConsent(
                    "Revoke \(text.title)? It then gets nothing new. [y/N] ",
                    to: [], "this revokes \(text.title)", otherwise: "--force does it without asking", global)
            }
            let words = lost.device.words
            change = try NetworkTask.run { [keep, access = options.access] () async throws(KeyringError) in
                try await keyring.sync.revoke(words, keeping: keep, access).change
            }
            keyring.undo.note(.machineRevoked, text.title, as: "lost")
        }
        global.tellWarnings(of: keyring)
        if global.json { return try JSONOutput.print(LostDocument(lost, change, text)) }
        global.say(
            change == nil
                ? "\(text.title) was revoked already: it gets nothing new"
                : "revoked \(text.title): it gets nothing new from now on")
        for line in change.map(SyncText.results) ?? [] { global.say(line) }
        if !text.steps.isEmpty { global.say("left to do:") }
        for step in text.steps {
            try StandardOutput.write(entry: "  \(step.reason):", nil, hanging: 2)
            // Whole, to be copied.
            try StandardOutput.write(line: "    \(step.way)")
        }
        global.say("this vault knows of nothing else that \(text.title) can use")
    }

    /// The keyring; where it is in no sync, that says what helps instead.
    private func opened() throws(KeyringError) -> Keyring {
        let keyring = try options.global.unlockedKeyring(reaching: .everything)
        guard keyring.sync.isSetUp else {
            throw KeyringError(
                .configuration, "the vault is in no sync, so it does not know what '\(machine)' had",
                hint: "the last backup of '\(machine)' does: \(Self.wayByBackup)\(Self.waysWithoutBackup(keyring))")
        }
        try SyncRemote(try keyring.sync.remote()).confine(keyring)
        return keyring
    }

    /// Where sign-ins and tokens are ended, if the machine had the accounts that are here.
    private static func waysWithoutBackup(_ keyring: Keyring) -> String {
        let accounts = (try? keyring.accounts.list()) ?? []
        let hosts = Set(accounts.map(\.account.id.environment)).sorted()
        guard !hosts.isEmpty else { return "" }
        let pages = hosts.map { TokenPage.of($0, isAddedByHand: false)?.url ?? $0 }
        return "; without one, end what it may have had of the accounts here, at \(Quantity.list(pages))"
    }

    private static let wayByBackup = """
        'keyfob restore BACKUP --vault ~/lost --bundle-identity RECOVERY-KEY-FILE --recovery-file ~/lost-recovery.txt \
        --new-key-file ~/lost.key', then 'keyfob logout --all --vault ~/lost --key-file ~/lost.key'
        """
}

/// What people read of a lost machine.
struct LostText {
    /// What ends something that the machine can use.
    struct Step: Encodable {
        /// What can be typed, or the page.
        let command: String?
        let page: String?
        let host: String
        let reason: String

        /// What is typed or opened.
        var way: String { command ?? page ?? "at \(host)" }
    }

    let title: String
    let steps: [Step]
    private let lost: LostMachine
    private let names: (Account) -> String

    init(_ lost: LostMachine, _ keyring: Keyring, _ global: GlobalOptions) {
        self.lost = lost
        title = TerminalText.line(lost.device.title)
        let naming = AccountNaming(among: (try? keyring.accounts.list()) ?? [])
        names = naming.brief
        var steps: [Step] = []
        for holding in lost.holdings {
            let (name, host) = (naming.brief(holding.account), holding.account.id.environment)
            let step: Step? =
                switch holding.kind {
                case .sharedSignIn:
                    Step(
                        command: Self.signOut(holding, naming.briefTyped(holding.account), global), page: nil,
                        host: host,
                        reason: "\(name): end the sign-in that all machines share, and log in again")
                case .ownSignIn:
                    Step(
                        command: nil, page: holding.page, host: host,
                        reason: "\(name): end the sign-in that was made on the machine, if there is one")
                case .tokenByHand:
                    Step(
                        command: nil, page: holding.page, host: host,
                        reason: "\(name): revoke the token, if you added it on the machine too")
                case .name:
                    Step(
                        command: nil, page: holding.page, host: host,
                        reason: "\(name): end what the machine has of it, if anything; this vault cannot know")
                }
            if let step, !steps.contains(where: { $0.way == step.way && $0.reason == step.reason }) {
                steps.append(step)
            }
        }
        // What can be typed comes first.
        self.steps = steps.filter { $0.command != nil } + steps.filter { $0.command == nil }
    }

    private static func signOut(_ holding: LostMachine.Holding, _ name: String, _ global: GlobalOptions) -> String {
        guard let client = holding.clientID else { return global.typed("logout", name, "--group", holding.group.name) }
        return global.typed("logout", name, "--group", holding.group.name, "--client", client)
    }

    /// Writes what the machine could reach.
    func write() throws(KeyringError) {
        let device = lost.device
        try StandardOutput.write(entry: "machine \(title)", nil)
        try StandardOutput.write(entry: "words   \(device.words)", nil)
        let groups = SyncText.groups(lost.groups)
        try StandardOutput.write(entry: "shares  \(device.sharesAll ? "all groups: \(groups)" : groups)", nil)
        let seen = device.seen.map { "last seen \(TimeText.moment($0))" } ?? "nothing has come from it yet"
        try StandardOutput.write(entry: "state   \(lost.isRevoked ? "revoked" : device.hasLeft ? "left" : seen)", nil)
        try writeHoldings()
        guard !lost.isRevoked, !lost.decisions.isEmpty else { return }
        try StandardOutput.write(entry: "what it decided, which is removed with it:", nil)
        for line in lost.decisions { try StandardOutput.write(entry: "  " + TerminalText.line(line), nil, hanging: 2) }
    }

    private func writeHoldings() throws(KeyringError) {
        guard !lost.holdings.isEmpty else {
            return try StandardOutput.write(entry: "has     no account", nil)
        }
        var table = Table(
            header: ["ACCOUNT", "GROUP", "IT CAN USE", "ENDED BY"], yielding: ["GROUP"],
            wrapping: ["IT CAN USE", "ENDED BY"], usual: ["GROUP": AccessGroup.default.name])
        for holding in lost.holdings {
            let (has, ended) = Self.words(holding)
            table.add([names(holding.account), holding.group.name, has, ended])
        }
        try StandardOutput.write(lines: "\n" + table.text)
    }

    private static func words(_ holding: LostMachine.Holding) -> (has: String, ended: String) {
        switch holding.kind {
        case .sharedSignIn: ("the sign-in that all machines share", "logout here")
        case .ownSignIn: ("a sign-in made on it, if there is one", "the provider")
        case .tokenByHand: ("the token, if you added it there too", "the provider")
        case .name: ("a token or sign-in of its own, if any", "the provider")
        }
    }
}

/// `Schemas/lost.schema.json`.
private struct LostDocument: JSONDocument {
    struct Holding: Encodable {
        let group: String
        let account: String
        let clientID: String?
        let kind: String
        let page: String?
    }

    let formatVersion = 1
    let device: SyncStatusDocument.Device
    let groups: [String]
    let holdings: [Holding]
    let decisions: [String]
    /// Whether this call has revoked it; false where it was revoked before.
    let isNew: Bool
    let alsoOut: [String]
    let steps: [LostText.Step]

    init(_ lost: LostMachine, _ change: SyncChange?, _ text: LostText) {
        device = SyncStatusDocument.Device(lost.device)
        groups = lost.groups.map(\.name)
        holdings = lost.holdings.map {
            Holding(
                group: $0.group.name, account: $0.account.id.description, clientID: $0.clientID, kind: $0.kind.rawValue,
                page: $0.page)
        }
        decisions = lost.decisions
        isNew = change != nil
        alsoOut = change?.alsoOut ?? []
        steps = text.steps
    }
}
