import KeyfobModel
import KeyfobSelection
import Testing

/// What says whose token is meant, each against each: the earlier wins, and its account alone counts.
@Suite("The order of what names an account")
struct SourceOrderTests {
    enum Source: Int, CaseIterable {
        case option, addressUser, variable, directory, url, host, tool, projectFile, owner, learned, groupDefault,
            caller

        /// As documents have it.
        var reason: String {
            switch self {
            case .option: "explicit"
            case .addressUser: "addressUser"
            case .variable: "variable"
            case .directory, .url, .host, .tool, .projectFile: "bound"
            case .owner: "owner"
            case .learned: "learned"
            case .groupDefault: "groupDefault"
            case .caller: "calledFrom"
            }
        }

        /// Where it stands in the order: bindings are one step, in which the narrower goes first.
        var isBinding: Bool { (Self.directory.rawValue...Self.tool.rawValue).contains(rawValue) }
    }

    private static let now: Int64 = 1_800_000_000
    private static let pairs = Source.allCases.flatMap { first in
        Source.allCases.filter { $0.rawValue > first.rawValue }.map { (first, $0) }
    }

    /// What two sources say, of which the first means ada and the second bob.
    private func select(
        _ first: Source, _ second: Source?, state: Candidate.SignInState = .signedIn, isRemoved: Bool = false
    ) throws -> Selection {
        var ada = try SelectionSample.candidate("ada", environment: "github.com", state: state)
        var bob = try SelectionSample.candidate("bob", environment: "github.com")
        let carol = try SelectionSample.candidate("carol", environment: "github.com")
        for name in ["ada", "bob"] {
            if name == "ada" { ada.account.username = name } else { bob.account.username = name }
        }
        var evidence = Evidence(now: Timestamp(seconds: Self.now))
        var (asked, login, usual): (String?, String?, String?)
        var owner = "somebody"
        for (source, candidate) in [(first, ada)] + (second.map { [($0, bob)] } ?? []) {
            let name = candidate.account.username
            func bind(_ subject: Binding.Subject, _ origin: Binding.Origin = .keyring(.default)) {
                evidence.bindings.append(SelectionSample.binding(subject, candidate, from: origin))
            }
            switch source {
            case .option: asked = name
            case .addressUser: login = name
            case .variable: usual = name
            case .directory: bind(.directory("/work"))
            case .url: bind(.url(SelectionSample.address("github.com/\(owner)")))
            case .host: bind(.host("github.com"))
            case .tool: bind(.tool("gh"))
            // The nearest there is, and nearer than what is bound.
            case .projectFile: bind(.directory("/work/app"), .file("/work/app/.keyfob.toml", .default))
            case .owner: owner = name
            case .learned: break
            case .groupDefault:
                if name == "ada" { ada.isDefault = true } else { bob.isDefault = true }
            case .caller:
                evidence.caller = (
                    RequestContext(directory: "/home/app"), [SelectionSample.binding(.directory("/home"), candidate)]
                )
            }
        }
        if first == .url || second == .url, first == .owner || second == .owner {
            // Whoever owns it is not the one to whom the address is bound.
            evidence.bindings = [SelectionSample.binding(.url(SelectionSample.address("github.com/\(owner)")), ada)]
        }
        for source in [first, second] where source == .learned {
            evidence.history = UsageHistory(
                SelectionSample.events(
                    source == first ? ada : bob, at: "github.com/\(owner)/app", count: 40, end: Self.now - 600),
                context: SelectionSample.context("github.com/\(owner)/app"))
        }
        ada.isRemoved = isRemoved
        var request = TokenRequest(
            context: RequestContext(
                url: SelectionSample.address("github.com/\(owner)/app"), tool: "gh", directory: "/work/app"))
        request.name(asked: asked, login: login, usual: usual)
        return AccountSelector().select(
            request, among: [bob, carol, ada], groups: [.default], evidence: evidence)
    }

    @Test("the earlier of two wins", arguments: pairs)
    func pair(first: Source, second: Source) throws {
        let selection = try select(first, second)
        guard (first, second) != (.option, .addressUser) else {
            #expect(selection.outcome == .contradiction(account: "ada", login: "bob"))
            return
        }
        let choice = try #require(selection.choice, "\(selection.outcome)")
        #expect(choice.candidate.account.username == "ada")
        #expect(choice.reason.name == first.reason)
        #expect(!choice.reason.description.isEmpty)
    }

    @Test(
        "and where its account is signed out or was removed, nobody is taken, whatever the later says", arguments: pairs
    )
    func lost(first: Source, second: Source) throws {
        guard (first, second) != (.option, .addressUser) else { return }
        for (state, isRemoved) in [(Candidate.SignInState.signedOut, false), (.signedIn, true)] {
            let selection = try select(first, second, state: state, isRemoved: isRemoved)
            #expect(selection.choice == nil, "\(selection.outcome)")
            switch selection.outcome {
            case .meantInVain(let candidate, let reason, let rejection):
                #expect(candidate.account.username == "ada" && reason.name == first.reason)
                #expect(rejection == (isRemoved ? .removed : .signedOut))
            case .boundInVain(let binding, let candidate, let rejection):
                #expect(first.reason == "bound" && candidate.account.username == "ada" && rejection == .signedOut)
                #expect(binding.target.account == candidate.account.id)
            case .boundToNobody(let binding):
                #expect(first.reason == "bound" && isRemoved && binding.target.account?.homeAccountID == "ada")
            default: Issue.record("\(selection.outcome)")
            }
        }
    }

    @Test("each by itself decides", arguments: Source.allCases)
    func alone(source: Source) throws {
        let choice = try #require(try select(source, nil).choice)
        #expect(choice.candidate.account.username == "ada" && choice.reason.name == source.reason)
    }

    @Test(
        "an option that means whom the address means agrees with it",
        arguments: ["ada", "ada@idp.example", "team", "a"])
    func agreement(account: String) throws {
        var ada = try SelectionSample.candidate("ada")
        (ada.account.username, ada.account.label) = ("ada@contoso.example", "team")
        let bob = try SelectionSample.candidate("bob")
        var request = TokenRequest(context: RequestContext(url: SelectionSample.address("idp.example/x")))
        request.name(asked: account, login: "ada", usual: "bob")
        let selection = AccountSelector().select(request, among: [ada, bob], groups: [.default])
        #expect(selection.outcome == .chosen(ada) && selection.choice?.reason == .explicit)
    }

    @Test("a user in the address is a whole name, or all before its @, and never a beginning")
    func users() throws {
        var (ada, other) = (try SelectionSample.candidate("ada"), try SelectionSample.candidate("x"))
        (ada.account.username, other.account.username) = ("ada@contoso.example", "ada-contoso")
        func outcome(_ login: String, _ candidates: [Candidate]) -> Selection.Outcome {
            var request = TokenRequest(context: RequestContext(url: SelectionSample.address("idp.example/x")))
            request.name(asked: nil, login: login, usual: "x")
            return AccountSelector().select(request, among: candidates, groups: [.default]).outcome
        }
        #expect(outcome("ada", [ada, other]) == .chosen(ada))
        #expect(outcome("ADA-CONTOSO", [ada, other]) == .chosen(other))
        #expect(outcome("ad", [ada, other]) == .nobodyNamed("ad"))
        #expect(outcome("ada", [other]) == .nobodyNamed("ada"))
        var namesake = try SelectionSample.candidate("y")
        namesake.account.username = "ada@fabrikam.example"
        guard case .ambiguous = outcome("ada@", [ada, namesake]) else {
            #expect(outcome("ada@", [ada, namesake]) == .nobodyNamed("ada@"))
            return
        }
    }

    @Test("whoever was removed from a group keeps the names that it had there, where another group has it by others")
    func twins() throws {
        let work = try AccessGroup("work")
        var (gone, other) = (try SelectionSample.candidate("countess"), try SelectionSample.candidate("ada-contoso"))
        var twin = gone
        (twin.group, gone.isRemoved, gone.account.formerNames) = (work, true, ["ada"])
        func outcome() -> Selection.Outcome {
            AccountSelector().select(
                TokenRequest(account: "ada"), among: [gone, twin, other], groups: [.default, work]
            ).outcome
        }
        #expect(outcome() == .nobodyNamed("ada"))
        other.account.formerNames = ["ada"]
        #expect(outcome() == .chosen(other))
        gone.account.label = "ada"
        #expect(outcome() == .nobodyNamed("ada"))
        twin.account.formerNames = ["ada"]
        #expect(outcome() == .chosen(twin))
    }

    @Test("the beginning of a name is nobody's that somebody who was removed has as a whole")
    func formerNames() throws {
        var (gone, other) = (try SelectionSample.candidate("ada"), try SelectionSample.candidate("ada-contoso"))
        gone.isRemoved = true
        let request = TokenRequest(account: "ada")
        let selection = AccountSelector().select(request, among: [gone, other], groups: [.default])
        #expect(selection.outcome == .meantInVain(gone, .explicit, .removed))
        #expect(selection.verdicts.map(\.verdict) == [.rejected(.notNamed)])
        other.account.label = "ada"
        #expect(AccountSelector().select(request, among: [gone, other], groups: [.default]).outcome == .chosen(other))
    }
}
