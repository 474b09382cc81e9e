internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct AccountListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the accounts, group by group.",
        discussion: """
            Without --group, of all groups that the key opens, and without a name all of them; '*' marks a group's default. If the provider says how long a sign-in lasts, the \
            list warns in the last fifth of that time, at most a week before the end. --format prints one line for each account, \
            in which {id}, {username}, {label}, {name}, {group}, {provider}, {state}, {environment}, {tenant} and \\t are \
            replaced. --expiring \
            lists only sign-ins that are known to end within that time, and those that have ended.

            Example:
              keyfob account list --group work
              keyfob account list ada
              keyfob account list --expiring 7d
              keyfob account list --format '{id}\\t{name}' | fzf
            """)

    @Argument(help: "Only the accounts that this names: an id, user name or label, or the beginning of one.")
    var account: String?
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
        let groups = try global.groups()
        let found =
            if let account { try keyring.accounts.answering(to: account, in: groups) } else {
                try keyring.accounts.list(in: groups)
            }
        var candidates = Self.sorted(found)
        if let seconds = expiring.flatMap(TimeText.seconds) {
            let limit = WallClock.system.now.advanced(by: Int64(seconds))
            candidates.removeAll { candidate in candidate.end.map { $0.endsOn > limit } ?? true }
        }
        let damage = keyring.takeWarnings()
        if global.json {
            try JSONOutput.print(AccountListDocument(accounts: candidates.map { Record($0) }))
        } else if let format {
            let providers = ProviderNames(keyring, try global.groups())
            let lines = candidates.map { Self.fill(format, $0, providers) + "\n" }
            try StandardOutput.write(filled: lines.joined())
        } else if candidates.isEmpty, let expiring {
            global.say("no sign-in is known to end within \(expiring)")
        } else {
            let providers = ProviderNames(keyring, groups)
            try global.show(
                Self.table(candidates, providers, isWide: wide, tellsEnd: expiring != nil),
                orSay: "no accounts; \(Advice.importAccounts.text)")
            if let account { try tellOthers(than: found, beginningWith: account, keyring, groups) }
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

    /// Says which accounts a name begins too, where it is the whole name of those that are listed.
    private func tellOthers(
        than found: [Candidate], beginningWith text: String, _ keyring: Keyring, _ groups: [AccessGroup]?
    ) throws(KeyringError) {
        let (ids, folded) = (Set(found.map(\.account.id)), Identifier.foldedName(text))
        let all = try keyring.accounts.list(in: groups)
        let others = all.filter { candidate in
            !ids.contains(candidate.account.id) && candidate.account.names.contains { $0.hasPrefix(folded) }
        }
        guard !others.isEmpty else { return }
        let names = AccountNaming(among: all)
        global.say(
            "not listed: \(Quantity.list(others.map { names.brief($0.account) })), whose name only begins so; "
                + "'keyfob account list' lists all")
    }

    /// Accounts as people read them.
    static func table(
        _ candidates: [Candidate], _ providers: ProviderNames, isWide wide: Bool = false, tellsEnd: Bool = false
    ) -> Table {
        let now = WallClock.system.now
        var table = Table(
            header: ["GROUP", "ACCOUNT", "LABEL", "PROVIDER", "STATE"] + (wide ? ["TENANTS", "ID"] : []),
            yielding: ["PROVIDER", "GROUP", "LABEL"], wrapping: ["LABEL", "STATE"],
            usual: ["GROUP": AccessGroup.default.name], columns: wide ? nil : StandardOutput.columns)
        let nameless = candidates.map(\.account).filter(\.username.isEmpty)
        for candidate in candidates {
            let account = candidate.account
            table.add(
                [
                    candidate.group.name,
                    (account.username.isEmpty ? account.shortSubject(among: nameless) : account.username)
                        + (candidate.isDefault ? " *" : ""),
                    account.label ?? "-", providers.name(of: account.id.environment),
                    candidate.stateWords(now, tellsEnd: tellsEnd)
                        + (candidate.hasTokenMadeByHand ? ", by hand" : ""),
                ] + (wide ? ["\(account.tenantProfiles.count)", account.id.description] : []))
        }
        return table
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
