import KeyfobModel
import KeyfobSelection
import Testing

@Suite("Capitals in addresses and names")
struct LetterCaseTests {
    private static let hosts: [(host: String, environment: String, isCaseless: Bool)] = [
        ("github.com", "github.com", true), ("api.github.com", "github.com", true), ("gitlab.com", "gitlab.com", true),
        ("bitbucket.org", "bitbucket.org", true), ("dev.azure.com", "login.microsoftonline.com", true),
        ("contoso.visualstudio.com", "login.microsoftonline.com", true), ("git.example", "git.example", false),
        ("gitea.example", "gitea.example", false), ("git.example:8443", "git.example:8443", false),
    ]

    private func candidates(_ environment: String) throws -> (Candidate, Candidate) {
        var work = try SelectionSample.candidate("work", environment: environment)
        var home = try SelectionSample.candidate("home", environment: environment)
        (work.account.username, work.account.label) = ("ada-work", "contoso")
        (home.account.username, home.isDefault) = ("ada", true)
        return (work, home)
    }

    private func select(
        _ address: String, _ candidates: [Candidate], _ bindings: [Binding] = [], history: UsageHistory = UsageHistory()
    ) -> Selection {
        AccountSelector().select(
            TokenRequest(context: RequestContext(url: SelectionSample.address(address), tool: "git")),
            among: candidates, groups: [.default], evidence: Evidence(bindings: bindings, history: history))
    }

    @Test("a binding of an address is met in capitals where the host does not tell them apart", arguments: hosts)
    func bindings(host: String, environment: String, isCaseless: Bool) throws {
        let (work, home) = try candidates(environment)
        for (bound, asked) in [("contoso", "Contoso"), ("Contoso", "contoso"), ("CONTOSO", "cOnToSo")] {
            let binding = SelectionSample.binding(
                .address(ResourceURL(host: host, path: [bound, "App"])), work)
            var plain = home
            plain.account.username = "nobody"
            var unlabelled = work
            unlabelled.account.label = nil
            let selection = select("\(host)/\(asked)/app/x", [unlabelled, plain], [binding])
            #expect(
                selection.choice?.candidate.account.id == (isCaseless ? work : home).account.id, "\(bound) \(asked)")
            #expect(select("\(host)/\(bound)/App", [unlabelled, plain], [binding]).choice?.candidate == unlabelled)
        }
    }

    @Test("and so is an owner's name", arguments: hosts)
    func owners(host: String, environment: String, isCaseless: Bool) throws {
        let (work, home) = try candidates(environment)
        #expect(select("\(host)/contoso/app", [work, home]).choice?.reason.name == "owner")
        let inCapitals = select("\(host)/Contoso/app", [work, home])
        #expect(inCapitals.choice?.candidate == (isCaseless ? work : home))
        #expect(inCapitals.choice?.reason.name == (isCaseless ? "owner" : "groupDefault"))
    }

    @Test("the history of a place is one", arguments: hosts)
    func history(host: String, environment: String, isCaseless: Bool) throws {
        func context(_ text: String) -> UsageContext {
            UsageContext(SelectionSample.address(text)) { UsageTag(of: $0.joined(separator: "\u{0}")) }
        }
        let (small, large) = (context("\(host)/contoso/app"), context("\(host)/Contoso/App"))
        #expect((small.place == large.place) == isCaseless)
        #expect((small.owner == large.owner) == isCaseless)
        #expect(small.host == large.host)
    }

    @Test(
        "names are one in capitals, composed or not, in any script",
        arguments: [("Ąda", "ąda"), ("Ąda", "A\u{328}DA"), ("Женя", "ЖЕНЯ"), ("Σίσυφος", "ΣΊΣΥΦΟΣ"), ("ADA", "ada")])
    func names(name: String, typed: String) throws {
        var ada = try SelectionSample.candidate("1")
        ada.account.username = name
        let bob = try SelectionSample.candidate("2")
        for label in [nil, "x"] {
            ada.account.label = label
            let selection = AccountSelector().select(
                TokenRequest(account: typed), among: [ada, bob], groups: [.default])
            #expect(selection.outcome == .chosen(ada))
        }
        var labelled = bob
        labelled.account.label = name
        #expect(
            AccountSelector().select(TokenRequest(account: typed), among: [labelled], groups: [.default]).outcome
                == .chosen(labelled))
        let id = try #require(AccountID(homeAccountID: name, environment: "github.com"))
        #expect(AccountID("\(typed)@github.com") == id)
    }
}
