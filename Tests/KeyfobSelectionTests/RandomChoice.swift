import KeyfobModel
import KeyfobSelection
import KeyfobTestSupport

/// Accounts, what was decided of them, and a request, made at random.
struct RandomChoice {
    var candidates: [Candidate] = []
    var groups: [AccessGroup] = [.default]
    var evidence = Evidence(now: Timestamp(seconds: 1_800_000_000))
    var request = TokenRequest()

    private static let environments = [
        "github.com", "github.com", "gitlab.com", "login.microsoftonline.com", "idp.example",
    ]
    private static let names = ["ada", "Ada", "ada-contoso", "adam", "bob", "contoso", "ada@contoso.example", "ąda"]
    private static let scopes: [ScopeSet] = [[], [], ["repo"], ["repo", "gist"], ["mail.read"]]
    private static let addresses = [
        "github.com/ada/notes", "github.com/Contoso/app", "api.github.com/user", "gitlab.com/ada/notes",
        "idp.example/ada/x",
        "graph.microsoft.com/v1.0/me", "github.com",
    ]
    private static let folders = ["/home/ada/work", "/home/ada/work/app", "/srv"]

    init(_ random: inout SeededGenerator) throws {
        let work = try AccessGroup("work")
        if Int.random(in: 0..<3, using: &random) == 0 { groups = [.default, work] }
        try makeAccounts(&random)
        makeDecisions(&random)
        makeRequest(&random)
    }

    private mutating func makeAccounts(_ random: inout SeededGenerator) throws {
        for number in 0..<Int.random(in: 1...6, using: &random) {
            guard let environment = Self.environments.randomElement(using: &random),
                let name = Self.names.randomElement(using: &random), let group = groups.randomElement(using: &random),
                let id = AccountID(
                    homeAccountID: Bool.random(using: &random) ? name : "\(number).tenant\(number % 2)",
                    environment: environment),
                !candidates.contains(where: { $0.account.id == id && $0.group == group })
            else { continue }
            let label = Int.random(in: 0..<4, using: &random) == 0 ? Self.names.randomElement(using: &random) : nil
            let hasGrant = Int.random(in: 0..<3, using: &random) > 0
            var candidate = Candidate(
                account: Account(id: id, username: name, label: label), group: group,
                state: hasGrant ? .signedIn : .tokensOnly,
                clientIDs: Int.random(in: 0..<3, using: &random) == 0 ? ["other"] : ["mailer"],
                hasFamilyGrant: hasGrant && Bool.random(using: &random),
                realms: Bool.random(using: &random) ? ["tenant1"] : [],
                tokenScopes: (0..<Int.random(in: hasGrant ? 0...2 : 1...2, using: &random)).map { _ in
                    Self.scopes.randomElement(using: &random) ?? []
                }, grantScopes: hasGrant ? Self.scopes.randomElement(using: &random) ?? [] : [],
                isDefault: !candidates.contains { $0.group == group && $0.isDefault }
                    && Int.random(in: 0..<4, using: &random) == 0)
            candidate.isOwnersDefault = candidate.isDefault && Bool.random(using: &random)
            if Int.random(in: 0..<6, using: &random) == 0 {
                Self.lose(&candidate, [.signOut, .expiry].randomElement(using: &random) ?? .signOut)
            }
            candidates.append(candidate)
        }
    }

    private mutating func makeDecisions(_ random: inout SeededGenerator) {
        let subjects: [Binding.Subject] =
            Self.folders.map { .directory($0) }
            + [
                .url(SelectionSample.address("github.com/contoso")), .url(SelectionSample.address("github.com/ada")),
                .host("github.com"), .host("idp.example"), .tool("git"),
            ]
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            guard let subject = subjects.randomElement(using: &random),
                let bound = candidates.randomElement(using: &random)
            else { continue }
            var origin = Binding.Origin.keyring(bound.group)
            if case .directory(let path) = subject, Bool.random(using: &random) {
                origin = .file(path + "/.keyfob.toml", bound.group)
            }
            evidence.bindings.append(
                Binding(
                    subject, to: Int.random(in: 0..<5, using: &random) == 0 ? .nobody : .account(bound.account.id),
                    from: origin, by: Int.random(in: 0..<4, using: &random) == 0 ? .group : .owner))
        }
        guard Bool.random(using: &random) else { return }
        let used = candidates.shuffled(using: &random).prefix(2)
        let events = (0..<Int.random(in: 1...25, using: &random)).compactMap { hour in
            used.randomElement(using: &random).map {
                UsageEvent(
                    time: Timestamp(seconds: evidence.now.seconds - Int64(hour) * 5_000), account: $0.tag,
                    context: SelectionSample.context(Self.addresses[0]))
            }
        }
        evidence.history = UsageHistory(events, context: SelectionSample.context(Self.addresses[0]))
    }

    private mutating func makeRequest(_ random: inout SeededGenerator) {
        func happens(_ chance: Int) -> Bool { Int.random(in: 0..<chance, using: &random) == 0 }
        let address = happens(3) ? nil : Self.addresses.randomElement(using: &random).map(SelectionSample.address)
        request = TokenRequest(
            environment: happens(6) ? Self.environments.randomElement(using: &random) : nil,
            realm: happens(8) ? "tenant1" : nil, clientID: happens(8) ? "mailer" : nil,
            scopes: Self.scopes.randomElement(using: &random) ?? [])
        let login = address != nil && happens(5) ? Self.names.randomElement(using: &random) : nil
        request.name(
            asked: happens(5) ? Self.names.randomElement(using: &random) : nil, login: login,
            usual: happens(6) ? Self.names.randomElement(using: &random) : nil)
        request.context.url = address
        guard !request.isNamed else { return }
        request.context.directory = happens(2) ? "/home/ada/work/app" : nil
        request.context.tool = happens(3) ? "git" : nil
        request.context.remote = happens(3) ? SelectionSample.address("github.com/ada/notes") : nil
        request.context.committer = happens(3) ? MailAddress("ada@contoso.example") : nil
    }

    /// What becomes of an account.
    enum Loss: CaseIterable {
        /// Its person signs out: its tokens go, and that it is signed out stays.
        case signOut
        /// Its provider wants the person to sign in, or its tokens have expired.
        case expiry
        /// It is removed, and remembered.
        case removal
    }

    /// Lets an account be lost, as a keyring then has it.
    static func lose(_ candidate: inout Candidate, _ loss: Loss) {
        switch loss {
        case .expiry:
            if candidate.state == .signedIn { candidate.state = .needsSignIn(reason: "it expired") }
        case .signOut, .removal:
            if candidate.state != .signedOut {
                candidate.formerReach =
                    candidate.state == .tokensOnly ? .tokens : candidate.grantScopes.isEmpty ? .any : .named
            }
            candidate.state = .signedOut
            candidate.grantScopes = ScopeSet(
                candidate.grantScopes.scopes + candidate.tokenScopes.flatMap(\.scopes))
            candidate.tokenScopes = []
            candidate.isRemoved = loss == .removal
        }
    }

    /// What comes out.
    func selection() -> Selection {
        AccountSelector().select(request, among: candidates, groups: groups, evidence: evidence)
    }

    /// The same of which an account was lost.
    func losing(_ lost: Candidate, _ loss: Loss) -> RandomChoice {
        var other = self
        for index in other.candidates.indices where other.candidates[index] == lost {
            Self.lose(&other.candidates[index], loss)
        }
        return other
    }

    /// The same while a group is not open: nothing in it is known.
    func closing(_ group: AccessGroup) -> RandomChoice {
        var other = self
        other.groups.removeAll { $0 == group }
        other.candidates.removeAll { $0.group == group }
        other.evidence.bindings.removeAll { $0.origin.group == group }
        other.evidence.hasClosedGroups = true
        return other
    }
}

extension RandomChoice: CustomStringConvertible {
    /// All of it, in lines.
    var description: String {
        let accounts = candidates.map { candidate in
            "\(candidate.account.id) '\(candidate.account.username)' \(candidate.account.label ?? "-") \(candidate.group) "
                + "\(candidate.state) tokens \(candidate.tokenScopes) grant \(candidate.grantScopes) "
                + "\(candidate.clientIDs)\(candidate.isDefault ? " default" : "")\(candidate.isOwnersDefault ? " of the owner" : "")"
                + (candidate.isRemoved ? " removed" : "")
        }
        let bindings = evidence.bindings.map { "\($0.subject) to \($0.target.text) \($0.origin) by \($0.writer)" }
        let asked = request
        let words =
            "account \(asked.account ?? "-") login \(asked.login ?? "-") environment \(asked.environment ?? "-") "
            + "realm \(asked.realm ?? "-") client \(asked.clientID ?? "-") scopes \(asked.scopes) \(asked.context)"
        return ([words, "\(groups)"] + accounts + bindings + ["\(evidence.history.events.count) events"])
            .joined(separator: "\n")
    }
}

extension Selection {
    /// Who was chosen, and by what.
    var choice: (candidate: Candidate, reason: Verdict.Reason)? {
        guard case .chosen(let candidate) = outcome, case .chosen(let reason)? = verdicts.first?.verdict else {
            return nil
        }
        return (candidate, reason)
    }
}
