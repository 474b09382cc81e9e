internal import ArgumentParser
internal import Keyfob

struct AccountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "The accounts in the keyring.",
        discussion: """
            Example:
              keyfob account list --group work
              keyfob account show ada@contoso.example
            """,
        subcommands: [
            AccountListCommand.self, AccountShowCommand.self, AccountLabelCommand.self, AccountMoveCommand.self,
            AccountRemoveCommand.self, AccountDefaultCommand.self, AccountRefreshCommand.self,
        ])
}

/// An account as it is typed.
struct AccountArgument: ParsableArguments {
    @Argument(help: "The account: its id, user name or label, or the beginning of one.")
    var account: String
}

struct AccountListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the accounts, group by group.",
        discussion: """
            Without --group, of all groups that the key opens; '*' marks a group's default. Where the provider has told how long a sign-in lasts, its \
            last days are told with its state: the last fifth, and a week at most. --format prints one line for each account, \
            in which {id}, {username}, {label}, {name}, {group}, {provider}, {state}, {environment}, {tenant} and \\t are \
            replaced. --expiring \
            lists only sign-ins that are known to end within that time, and those that have ended.

            Example:
              keyfob account list --group work
              keyfob account list --expiring 7d
              keyfob account list --format '{id}\\t{name}' | fzf
            """)

    @Option(name: .long, help: ArgumentHelp("A line for each account.", valueName: "template")) var format: String?
    @Flag(name: .long, help: "Show ids and the number of tenants too.") var wide = false
    @Option(
        name: .long, help: ArgumentHelp("Only sign-ins that end so soon: 12h, 7d.", valueName: "duration"))
    var expiring: String?
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        if let expiring, TimeText.seconds(expiring) == nil {
            throw ValidationError("--expiring takes a duration such as 12h or 7d")
        }
        for field in (format ?? "").matches(of: /\{[a-z]+\}/).map({ String($0.output) })
        where !Self.fields.contains(field) {
            throw ValidationError("--format knows no \(field); it knows \(Self.fields.joined(separator: ", "))")
        }
    }

    func run() throws {
        let keyring = try global.unlockedKeyring()
        var candidates = Self.sorted(try keyring.accounts.list(in: global.groups()))
        if let seconds = expiring.flatMap(TimeText.seconds) {
            let limit = WallClock.system.now.advanced(by: Int64(seconds))
            candidates.removeAll { candidate in candidate.end.map { $0.endsOn > limit } ?? true }
        }
        let damage = keyring.takeWarnings()
        if global.json {
            try JSONOutput.print(AccountListDocument(accounts: candidates.map { AccountDocument($0) }))
        } else if let format {
            let providers = ProviderNames(keyring, try global.groups())
            let lines = candidates.map { Self.fill(format, $0, providers) + "\n" }
            try StandardOutput.write(filled: lines.joined())
        } else if candidates.isEmpty, let expiring {
            global.say("no sign-in is known to end within \(expiring)")
        } else if candidates.isEmpty, StandardOutput.columns != nil {
            global.say("no accounts; \(Advice.importAccounts.text)")
        } else {
            let byHand = try keyring.tokens.madeByHand().tokens
            try StandardOutput.write(lines: table(candidates, ProviderNames(keyring, try global.groups()), byHand))
        }
        guard damage.isEmpty else {
            for warning in damage { StandardError.write(line: "keyfob: \(warning.text)") }
            throw ReportedFailure(status: .malformed)
        }
    }

    /// Group by group as they come, in each by name.
    static func sorted(_ candidates: [Candidate]) -> [Candidate] {
        var places: [AccessGroup: Int] = [:]
        for candidate in candidates where places[candidate.group] == nil { places[candidate.group] = places.count }
        func key(_ candidate: Candidate) -> (Int, String, String) {
            (places[candidate.group] ?? 0, candidate.account.name, candidate.account.id.canonical)
        }
        let keys = candidates.map(key)
        return candidates.indices.sorted { keys[$0] < keys[$1] }.map { candidates[$0] }
    }

    private func table(
        _ candidates: [Candidate], _ providers: ProviderNames, _ byHand: [Keyring.TokensMadeByHand.Token]
    ) -> String {
        let now = WallClock.system.now
        var table = Table(
            header: ["GROUP", "ACCOUNT", "LABEL", "PROVIDER", "STATE"] + (wide ? ["TENANTS", "ID"] : []),
            yielding: ["PROVIDER", "GROUP", "LABEL"], columns: wide ? nil : StandardOutput.columns)
        for candidate in candidates {
            let account = candidate.account
            let hasOneByHand = byHand.contains { $0.account == account.id && $0.group == candidate.group }
            table.add(
                [
                    candidate.group.name,
                    (account.username.isEmpty ? "-" : account.username) + (candidate.isDefault ? " *" : ""),
                    account.label ?? "-", providers.name(of: account.id.environment),
                    candidate.stateWords(now, tellsEnd: expiring != nil) + (hasOneByHand ? ", by hand" : ""),
                ] + (wide ? ["\(account.tenantProfiles.count)", account.id.description] : []))
        }
        return table.text
    }

    /// What --format replaces.
    private static let fields = [
        "{id}", "{username}", "{label}", "{name}", "{group}", "{provider}", "{state}", "{environment}", "{tenant}",
    ]

    private static func fill(_ template: String, _ candidate: Candidate, _ providers: ProviderNames) -> String {
        let account = candidate.account
        let fields = [
            account.id.description, account.username, account.label ?? "", account.name, candidate.group.name,
            providers.name(of: account.id.environment), candidate.state.name, account.id.environment,
            account.homeRealm ?? "",
        ]
        let values = zip(Self.fields, fields) + [("\\t", "\t")]
        var line = ""
        var rest = Substring(template)
        while let character = rest.first {
            if let (key, value) = values.first(where: { rest.hasPrefix($0.0) }) {
                line += key == "\\t" ? value : TerminalText.line(value)
                rest = rest.dropFirst(key.count)
            } else {
                line.append(character)
                rest = rest.dropFirst()
            }
        }
        return line
    }
}

extension Candidate {
    /// How its sign-in stands, as people read it, and when it ends where that is soon.
    ///
    /// - Parameter tellsEnd: Whether the end is told also where it is far away.
    func stateWords(_ now: Timestamp, tellsEnd: Bool = false) -> String {
        guard state == .signedIn, let end, tellsEnd || end.isNear(now) else { return state.words }
        return state.words + (end.endsOn < now ? ", ended " : ", ends ") + TimeText.distance(to: end.endsOn, from: now)
    }
}

extension Candidate.SignInState {
    /// The state as people read it.
    var words: String {
        switch self {
        case .signedIn: "signed in"
        case .tokensOnly: "tokens only"
        case .signedOut: "signed out"
        case .needsSignIn(let reason): "sign-in needed: \(reason)"
        case .noCredentials: "no tokens"
        }
    }
}

/// An account in a document.
struct AccountDocument: Encodable {
    let id: String
    let homeAccountID: String
    let environment: String
    let username: String
    let displayName: String?
    let label: String?
    let group: String
    let state: String
    let stateReason: String?
    /// When the sign-in ends, where that is known.
    let signInEndsOn: String?
    /// Whether that is soon.
    let isSignInEnding: Bool
    let isDefault: Bool
    let homeTenant: String?
    let tenants: [Tenant]
    let clients: [String]

    struct Tenant: Encodable {
        let id: String
        let localAccountID: String
        let username: String
    }

    init(_ candidate: Candidate, now: Timestamp = WallClock.system.now) {
        let account = candidate.account
        signInEndsOn = candidate.end.map(\.endsOn.rfc3339)
        isSignInEnding = candidate.end?.isNear(now) ?? false
        id = account.id.description
        homeAccountID = account.id.homeAccountID
        environment = account.id.environment
        username = account.username
        displayName = account.displayName
        label = account.label
        group = candidate.group.name
        state = candidate.state.name
        stateReason = if case .needsSignIn(let reason) = candidate.state { reason } else { nil }
        isDefault = candidate.isDefault
        homeTenant = account.homeRealm
        tenants = account.tenantProfiles.map {
            Tenant(id: $0.realm, localAccountID: $0.localAccountID, username: $0.username)
        }
        clients = candidate.clientIDs.sorted()
    }
}

/// `Schemas/account-list.schema.json`.
struct AccountListDocument: LongJSONDocument {
    let formatVersion = 1
    let accounts: [AccountDocument]

    func writeMembers(to json: inout JSONWriter) {
        json.member("accounts", each: accounts) { $0.writeMembers(to: &$1) }
        json.member("formatVersion", formatVersion)
    }
}

extension AccountDocument {
    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.member("clients", clients)
        json.member("displayName", displayName)
        json.member("environment", environment)
        json.member("group", group)
        json.member("homeAccountID", homeAccountID)
        json.member("homeTenant", homeTenant)
        json.member("id", id)
        json.member("isDefault", isDefault)
        json.member("isSignInEnding", isSignInEnding)
        json.member("label", label)
        json.member("signInEndsOn", signInEndsOn)
        json.member("state", state)
        json.member("stateReason", stateReason)
        json.member("tenants", each: tenants) { tenant, json in
            json.member("id", tenant.id)
            json.member("localAccountID", tenant.localAccountID)
            json.member("username", tenant.username)
        }
        json.member("username", username)
    }
}
