@testable import Keyfob
import KeyfobLookup
import KeyfobModel
import KeyfobRecords
import KeyfobTestSupport
import KeyfobVault
import Testing

/// The short way and the long one over vaults made at random: two groups, the second of which somebody else decides in too.
@Suite("A choice by index beside one that opens everything")
struct FewAccountsChoiceTests {
    private static let environments = ["login.microsoftonline.com", "accounts.google.com", "github.com", "idp.example"]
    private static let scopes: [ScopeSet] = [["mail.read"], ["mail.read", "mail.send"], ["repo"], []]
    private static let contexts = [
        RequestContext(), RequestContext(directory: "/srv/a/b"), RequestContext(tool: "gh", directory: "/srv"),
        RequestContext(directory: "/srv/a", remote: ResourceURL(host: "github.com", path: ["contoso", "app"])),
        RequestContext(url: ResourceURL(host: "api.github.com")),
        RequestContext(url: ResourceURL(host: "git.example", path: ["contoso"])),
        RequestContext(url: ResourceURL(host: "graph.microsoft.com"), directory: "/srv/a"),
        RequestContext(url: ResourceURL(host: "github.com", path: ["lab", "app"]), tool: "git"),
        RequestContext(url: ResourceURL(host: "github.com"), remote: ResourceURL(host: "github.com", path: ["lab"])),
        RequestContext(committer: MailAddress("person1@contoso.example")),
        RequestContext(committer: MailAddress("person3@fabrikam.example")),
        RequestContext(committer: MailAddress("nobody@contoso.example")),
        RequestContext(committer: MailAddress("nobody@fabrikam.example")),
        RequestContext(
            tool: "gh", remote: ResourceURL(host: "idp.example", path: ["lab"]),
            committer: MailAddress("person2@contoso.example")),
        RequestContext(
            url: ResourceURL(host: "idp.example", path: ["lab"]), committer: MailAddress("nobody@fabrikam.example")),
    ]
    private static let subjects: [Binding.Subject] = [
        .directory("/srv"), .directory("/srv/a"), .directory("/srv/a/b"), .tool("gh"), .host("github.com"),
        .host("git.example"), .url(ResourceURL(host: "git.example", path: ["contoso"])),
        .url(ResourceURL(host: "github.com", path: ["contoso"])),
    ]

    /// What a choice came to.
    private struct Answer: Equatable, CustomStringConvertible {
        var account: String?
        var group: AccessGroup?
        var reason: Verdict.Reason?
        var passedOver: [Warning] = []

        var description: String { "\(account ?? "nobody") \(group?.name ?? "-") \(reason.map { "\($0)" } ?? "-")" }
    }

    /// As it is without any index: all is opened.
    private func slowly(
        _ keyring: Keyring, _ request: TokenRequest, _ names: [AccessGroup]?
    ) throws -> (answer: Answer, selection: Selection) {
        try keyring.withState { state in
            let (search, groups) = (keyring.search, try state.groups(names))
            let roster = try search.roster(&state, groups, request, .everything)
            let (candidates, evidence) = search.evidence(&state, roster, request, groups, noon)
            let choice = AccountSelector().choose(
                request, among: candidates, groups: groups.map(\.name), evidence: evidence)
            let selection = AccountSelector().select(
                request, among: candidates, groups: groups.map(\.name), evidence: evidence)
            state.warnings = []
            if let choice { state.warn(ofPassedOver: choice.passedOver) }
            defer { state.warnings = [] }
            let answer = Answer(
                account: choice?.candidate.account.id.canonical, group: choice?.candidate.group, reason: choice?.reason,
                passedOver: state.warnings)
            return (answer, selection)
        }
    }

    private func quickly(
        _ keyring: Keyring, _ request: TokenRequest, _ names: [AccessGroup]?
    ) throws -> (answer: Answer, selection: Selection?, isShort: Bool) {
        try keyring.withState { state in
            let (search, groups) = (keyring.search, try state.groups(names))
            let bindings = try search.bindings(&state, groups, directory: request.context.directory).bindings
            let isShort = try search.chooseAmongFew(&state, request, groups, bindings, noon) != nil
            state.warnings = []
            defer { state.warnings = [] }
            do {
                let choice = try search.choose(&state, request, groups, noon)
                let answer = Answer(
                    account: choice.candidate.account.id.canonical, group: choice.candidate.group,
                    reason: choice.reason, passedOver: state.warnings)
                return (answer, nil, isShort)
            } catch LookupRefusal.unselected(let selection, _) {
                return (Answer(), selection, isShort)
            }
        }
    }

    /// What is told of a selection.
    private func told(_ selection: Selection) -> [String] {
        let outcome =
            switch selection.outcome {
            case .chosen(let candidate): "\(candidate.account.id) \(candidate.group)"
            case .ambiguous(let candidates): "\(candidates.map { "\($0.account.id) \($0.group)" })"
            case .nobodyNamed(let name): name
            case .boundToNobody(let binding): "\(binding)"
            case .boundInVain(let binding, let candidate, let rejection):
                "\(binding) \(candidate.account.id) \(rejection)"
            case .nobody: "nobody"
            }
        return [outcome, "\(selection.passedOver)"]
            + selection.verdicts.map {
                "\($0.candidate.account) \($0.candidate.group) \($0.candidate.state) \($0.candidate.isDefault) \($0.verdict)"
            }
    }

    /// A request for somebody, somewhere.
    private func request(_ random: inout SeededGenerator) -> TokenRequest {
        func happens(_ chance: Int) -> Bool { Int.random(in: 0..<chance, using: &random) == 0 }
        let names = ["person1", "person2@contoso.example", "lab", "per", "nobody"]
        return TokenRequest(
            account: happens(4) ? names.randomElement(using: &random) : nil,
            environment: happens(3) ? Self.environments.randomElement(using: &random) : nil,
            realm: happens(6) ? "contoso" : nil, clientID: happens(6) ? "mailer" : nil,
            scopes: Self.scopes.randomElement(using: &random) ?? [],
            context: Self.contexts.randomElement(using: &random) ?? RequestContext())
    }

    @Test("both come to the same, with the same reason", arguments: 1...TestLength.rounds(12, full: 120))
    func same(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let vault = try RandomVault(&random, Self.environments, Self.scopes, Self.subjects)
        var reasons: Set<String> = []
        for _ in 0..<60 {
            let request = request(&random)
            let groups = [nil, [AccessGroup.default], [vault.tools], [vault.tools, .default]]
            let names = groups.randomElement(using: &random) ?? nil
            let slow = try slowly(vault.owner, request, names)
            let quick = try quickly(vault.owner, request, names)
            #expect(quick.answer == slow.answer, "\(request)")
            if let selection = quick.selection { #expect(told(selection) == told(slow.selection), "\(request)") }
            #expect(told(try vault.owner.accounts.select(request, in: names)) == told(slow.selection), "\(request)")
            if quick.isShort, let reason = quick.answer.reason { reasons.insert(reason.name) }
        }
        // Of the first vaults it is known that the short way is not idle.
        if seed <= 12 { #expect(!reasons.isEmpty) }
    }

    @Test("a list says the same of each account, and a name means the same", arguments: 1...6)
    func lists(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let vault = try RandomVault(&random, Self.environments, Self.scopes, Self.subjects)
        let keyring = vault.owner
        let all = try keyring.withState { state in
            let groups = try state.groups(nil)
            return try keyring.search.roster(&state, groups, TokenRequest(), .everything).candidates
        }
        func told(_ candidate: Candidate) -> String {
            "\(candidate.account) \(candidate.group) \(candidate.state) \(String(describing: candidate.end)) "
                + "\(candidate.grantScopes) \(candidate.isDefault) \(candidate.isOwnersDefault)"
        }
        #expect(try keyring.accounts.list().map(told) == all.map(told))
        for name in all.flatMap({ [$0.account.id.canonical, $0.account.username, $0.account.label ?? "-"] }) + ["per"] {
            let named = AccountSelector().candidates(named: name, among: all)
            let found = Result { try keyring.accounts.named(name) }
            switch found {
            case .success(let candidate): #expect([candidate] == named)
            case .failure(let error as KeyringError):
                #expect(error.code == (named.isEmpty ? .noSuchAccount : .ambiguous))
            case .failure(let error): throw error
            }
        }
        for group in [AccessGroup.default, vault.tools] {
            let own = all.filter { $0.group == group && ![.signedOut, .noCredentials].contains($0.state) }
            let expected = own.count < 2 ? own.first : own.first(where: \.isDefault)
            let current = Result { try keyring.accounts.current(in: [group]).now }
            switch current {
            case .success(let candidate): #expect(candidate?.account == expected?.account)
            case .failure(let error as KeyringError): #expect(error.code == .ambiguous && expected == nil)
            case .failure(let error): throw error
            }
        }
    }

    @Test(
        "the catalogue of a group names what is there, whatever was written, removed and sealed again", arguments: 1...6
    )
    func catalogue(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let vault = try RandomVault(&random, Self.environments, Self.scopes, Self.subjects)
        try expectCatalogue(vault.owner)
        for group in [AccessGroup.default, vault.tools] {
            for candidate in try vault.owner.accounts.list(in: [group]).prefix(Int.random(in: 0...5, using: &random)) {
                _ = try vault.owner.accounts.remove(candidate.account.id, from: group)
            }
        }
        try expectCatalogue(vault.owner)
        try vault.owner.withState { state in
            _ = try vault.owner.database.rotateGroup(vault.tools, &state.vault)
        }
        try expectCatalogue(vault.owner)
    }

    /// Expects that what the catalogues name is what is there.
    private func expectCatalogue(_ keyring: Keyring, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try keyring.withState { state in
            for group in try state.groups(nil) {
                try keyring.database.snapshot(group.keys) { reader in
                    var there = GroupManifest()
                    try reader.forEachRow { there.insert(try $1.get().elementWithTraits(group.keys)) }
                    let found = try #require(reader.manifest()?.catalogue, sourceLocation: sourceLocation)
                    let expected = try #require(there.catalogue)
                    for environment in Self.environments {
                        guard let records = found.records(at: { $0 == environment }) else { continue }
                        #expect(records == expected.records { $0 == environment }, sourceLocation: sourceLocation)
                    }
                    for domain in ["contoso.example", "fabrikam.example", "nobody.example"] {
                        let (known, all) = (found.records(inDomain: domain), expected.records(inDomain: domain))
                        let (records, whole) = (try #require(known?.records), try #require(all?.records))
                        if known?.areAll == true { #expect(records == whole, sourceLocation: sourceLocation) }
                        if all?.areAll == true {
                            #expect(Set(records).isSubset(of: whole), sourceLocation: sourceLocation)
                        }
                    }
                    for scope in ["mail.read", "MAIL.send", "repo", "nothing"] {
                        guard let records = found.records(with: scope) else { continue }
                        #expect(records == expected.records(with: scope), sourceLocation: sourceLocation)
                    }
                }
            }
        }
    }
}

/// A vault that random decisions made.
private struct RandomVault {
    let home: KeyringHome
    let owner: Keyring
    let tools: AccessGroup

    init(
        _ random: inout SeededGenerator, _ environments: [String], _ scopes: [ScopeSet], _ subjects: [Binding.Subject]
    ) throws {
        home = try KeyringHome()
        owner = home.keyring
        tools = try home.sharedGroup("tools")
        let adversary = try home.opened(keyFile: 2)
        var accounts: [AccessGroup: [Account]] = [:]
        for group in [AccessGroup.default, tools] {
            var own: [Account] = []
            for number in 1...Int.random(in: 1...28, using: &random) {
                let environment = environments.randomElement(using: &random) ?? environments[0]
                let id = try #require(
                    AccountID(
                        homeAccountID: "uid\(Int.random(in: 1...40, using: &random)).contoso", environment: environment)
                )
                guard !own.contains(where: { $0.id == id }) else { continue }
                let label = Int.random(in: 0..<5, using: &random) == 0 ? "lab" : nil
                let domain = Int.random(in: 0..<5, using: &random) == 0 ? "fabrikam" : "contoso"
                own.append(
                    Account(
                        id: id, username: "person\(number)@\(domain).example",
                        label: own.contains { $0.label == label } ? nil : label))
            }
            accounts[group] = own
            let states: [Grant.State?] = own.map { _ in
                [.active, .active, .signedOut, .needsSignIn(reason: "it expired"), nil].randomElement(using: &random)
                    ?? nil
            }
            let tokens = own.map { _ in
                (0..<Int.random(in: 0...2, using: &random)).map { _ in scopes.randomElement(using: &random) ?? [] }
            }
            let granted = own.map { _ in scopes.randomElement(using: &random) ?? [] }
            try owner.withState { state in
                try owner.change(&state, try state.group(group)) { writer in
                    for (index, account) in own.enumerated() {
                        _ = try writer.save(account, from: .owner)
                        for (number, scopes) in tokens[index].enumerated() {
                            let token = Credential.access(
                                account, scopes: scopes, client: number == 0 ? "mailer" : "other")
                            _ = try writer.save(token, secret: secret("token"), from: .owner)
                        }
                        guard let grant = states[index] else { continue }
                        var credential = Credential.refresh(account)
                        (credential.scopes, credential.grant) = (granted[index], Grant(state: grant))
                        _ = try writer.save(credential, secret: secret("refresh"), from: .owner)
                    }
                }
            }
        }
        for keyring in [owner, adversary] {
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let group = keyring === adversary || Bool.random(using: &random) ? tools : .default
                guard let subject = subjects.randomElement(using: &random),
                    let account = accounts[group]?.randomElement(using: &random)
                else { continue }
                let isNobody = Int.random(in: 0..<5, using: &random) == 0
                _ = try? keyring.bindings.set(subject, to: isNobody ? .nobody : .account(account.id), in: group)
            }
            let group = keyring === adversary || Bool.random(using: &random) ? tools : .default
            if Bool.random(using: &random), let account = accounts[group]?.randomElement(using: &random) {
                try keyring.accounts.setDefault(account.id, in: group)
            }
        }
        guard Int.random(in: 0..<3, using: &random) > 0 else { return }
        for group in [AccessGroup.default, tools] {
            let used = accounts[group]?.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)) ?? []
            let contexts = [RequestContext(), RequestContext(directory: "/srv/a/b"), RequestContext(tool: "gh")]
            for hour in (1...Int.random(in: 1...20, using: &random)).reversed() {
                guard let context = contexts.randomElement(using: &random),
                    let account = used.randomElement(using: &random)
                else { continue }
                try home.opened(at: noon.advanced(by: Int64(hour) * -7_200)).accounts.remember(
                    account.id, in: group, for: TokenRequest(context: context), by: .person)
            }
            guard Int.random(in: 0..<4, using: &random) == 0, let gone = used.first else { continue }
            _ = try owner.accounts.remove(gone.id, from: group)
        }
    }
}
