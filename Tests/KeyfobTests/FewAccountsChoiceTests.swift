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
            let decisions = try search.decisions(&state, groups, directory: request.context.directory)
            let isShort = try search.chooseAmongFew(&state, request, groups, decisions, noon) != nil
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
            case .contradiction(let account, let login): "\(account) \(login)"
            case .meantInVain(let candidate, let reason, let rejection):
                "\(candidate.account.id) \(reason) \(rejection)"
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

    @Test("both come to the same, with the same reason", arguments: 1...TestLength.rounds(3, full: 120))
    func same(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let vault = try RandomVault(&random, RandomVault.environments, RandomVault.scopes, RandomVault.subjects)
        var reasons: Set<String> = []
        for _ in 0..<TestLength.rounds(30, full: 60) {
            let request = RandomVault.request(&random)
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

    @Test(
        "a list says the same of each account, and a name means the same",
        arguments: 1...TestLength.rounds(3, full: 6))
    func lists(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let vault = try RandomVault(&random, RandomVault.environments, RandomVault.scopes, RandomVault.subjects)
        let keyring = vault.owner
        let all = try keyring.withState { state in
            let groups = try state.groups(nil)
            return try keyring.search.roster(&state, groups, TokenRequest(), .everything).candidates
                .filter { !$0.isRemoved }
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
        "the catalogue of a group names what is there, whatever was written, removed and sealed again",
        arguments: 1...TestLength.rounds(3, full: 6)
    )
    func catalogue(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let vault = try RandomVault(&random, RandomVault.environments, RandomVault.scopes, RandomVault.subjects)
        try expectCatalogue(vault.owner)
        for group in [AccessGroup.default, vault.tools] {
            for candidate in try vault.owner.accounts.list(in: [group]).prefix(Int.random(in: 0...5, using: &random)) {
                _ = try vault.owner.accounts.removeForGood(candidate.account.id, from: group)
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
                    for environment in RandomVault.environments {
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
