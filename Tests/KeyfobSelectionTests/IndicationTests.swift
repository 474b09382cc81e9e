import KeyfobModel
import KeyfobSelection
import KeyfobTestSupport
import Testing

@Suite("What a repository or an address says of the account")
struct IndicationTests {
    private let ada: Candidate
    private let bob: Candidate
    private let eve: Candidate

    init() throws {
        (ada, bob) = (try SelectionSample.candidate("ada"), try SelectionSample.candidate("bob"))
        eve = try Self.named("eve@fabrikam.example")
    }

    private static func named(
        _ username: String, label: String? = nil, at environment: String = "idp.example",
        group: AccessGroup = .default, state: Candidate.SignInState = .signedIn
    ) throws -> Candidate {
        var candidate = try SelectionSample.candidate(
            "uid-\(username)", group: group, environment: environment, state: state)
        (candidate.account.username, candidate.account.label) = (username, label)
        return candidate
    }

    private func address(_ text: String?) -> ResourceURL? { text.map(SelectionSample.address) }

    private func select(
        _ committer: String?, remote: String? = "idp.example/team/app", url: String? = nil, tool: String? = nil,
        _ candidates: [Candidate], _ bindings: [Binding] = [], scopes: ScopeSet = [], environment: String? = nil,
        groups: [AccessGroup] = [.default], history: UsageHistory = UsageHistory()
    ) -> Selection {
        let context = RequestContext(
            url: address(url), tool: tool, remote: address(remote), committer: committer.flatMap { MailAddress($0) })
        return AccountSelector().select(
            TokenRequest(environment: environment, scopes: scopes, context: context), among: candidates, groups: groups,
            evidence: Evidence(bindings: bindings, history: history))
    }

    private func reason(_ selection: Selection) -> Verdict.Reason? {
        if case .chosen(let reason) = selection.verdicts[0].verdict { reason } else { nil }
    }

    @Test("the repository's user.email names an account, or its domain one where nobody has the address")
    func committer() throws {
        let own = select("Ada@Contoso.Example", [ada, bob, eve])
        #expect(own.outcome == .chosen(ada))
        #expect(
            own.verdicts.map(\.verdict.description) == [
                "chosen: the repository's user.email, ada@contoso.example, is its address",
                "rejected: the repository's user.email, ada@contoso.example, is another account's address",
                "rejected: the repository's user.email, ada@contoso.example, is another account's address",
            ])
        let kin = select("mallory@fabrikam.example", [ada, bob, eve])
        #expect(kin.outcome == .chosen(eve))
        #expect(
            kin.verdicts.map(\.verdict.description).prefix(2) == [
                "chosen: the repository's user.email, mallory@fabrikam.example, is of its domain",
                "rejected: the repository's user.email, mallory@fabrikam.example, is of another account's domain",
            ])
        #expect(reason(own)?.name == "committer" && reason(kin)?.name == "committerDomain")
    }

    @Test("what several accounts have in common tells nothing, and neither does what nobody has")
    func several() throws {
        #expect(select("mallory@contoso.example", [ada, bob, eve]).outcome == .ambiguous([ada, bob, eve]))
        #expect(select("mallory@nobody.example", [ada, bob, eve]).outcome == .ambiguous([ada, bob, eve]))
        let twin = try Self.named("ada@contoso.example")
        #expect(reason(select("ada@contoso.example", [ada, twin, eve])) == nil)
    }

    @Test(
        "the domain of everybody's mail is nobody's",
        arguments: ["gmail.com", "outlook.com", "users.noreply.idp.example", "web.de", "proton.me"])
    func everybody(domain: String) throws {
        let own = try Self.named("ada@\(domain)")
        #expect(select("ada@\(domain)", [own, eve]).outcome == .chosen(own))
        #expect(reason(select("mallory@\(domain)", [own, eve])) == nil)
    }

    @Test("an address that the provider gives people who hide theirs is that of the user name")
    func hidden() throws {
        let (octo, hub) = (
            try Self.named("octo", at: "github.com"), try Self.named("ada@contoso.example", at: "github.com")
        )
        for name in ["octo", "4711+octo"] {
            let selection = select("\(name)@users.noreply.github.com", remote: "github.com/x/y", [octo, hub])
            #expect(selection.outcome == .chosen(octo))
        }
        #expect(reason(select("octo@users.noreply.gitlab.com", remote: "github.com/x/y", [octo, hub])) == nil)
    }

    @Test(
        "whose address it is and who has signed out leaves nobody else in that place; one of several of the domain does"
    )
    func signedOut() throws {
        let gone = try Self.named("mallory@fabrikam.example", state: .signedOut)
        let address = try #require(MailAddress("mallory@fabrikam.example"))
        #expect(
            select("mallory@fabrikam.example", [ada, gone, eve]).outcome
                == .meantInVain(gone, .indicated(.committer(address)), .signedOut))
        let expired = try Self.named("mallory@fabrikam.example", state: .needsSignIn(reason: "it expired"))
        #expect(select("mallory@fabrikam.example", [ada, expired, eve]).outcome == .chosen(expired))
        #expect(select("x@fabrikam.example", [ada, gone, eve]).outcome == .chosen(eve))
    }

    @Test("the owner of the remote is called as an account is, by its user name or its label")
    func owner() throws {
        let (team, work) = (try Self.named("team"), try Self.named("someone", label: "contoso"))
        let selection = select(nil, [team, work, ada])
        #expect(selection.outcome == .chosen(team))
        #expect(
            selection.verdicts.map(\.verdict.description).prefix(2) == [
                "chosen: idp.example/team has its name", "rejected: idp.example/team has another account's name",
            ])
        #expect(select(nil, remote: "idp.example/contoso/app", [team, work, ada]).outcome == .chosen(work))
        #expect(reason(select(nil, remote: "idp.example/nobody/app", [team, work, ada])) == nil)
        #expect(reason(select(nil, [team, try Self.named("x", label: "team"), ada])) == nil)
        // At another provider it is somebody else's name.
        #expect(reason(select(nil, remote: "git.example/team/app", [team, work])) == nil)
        let binding = SelectionSample.binding(.host("git.example"), team)
        let bound = [binding, SelectionSample.binding(.host("git.example"), work)]
        #expect(select(nil, remote: "git.example/team/app", [team, work], bound).outcome == .chosen(team))
    }

    @Test("of an API's address the first word is no owner, unless git asks or the remote is there")
    func words() throws {
        func hub(_ name: String, _ label: String) throws -> Candidate {
            try Self.named(name, label: label, at: "accounts.google.com")
        }
        let (mail, drive) = (try hub("ada@gmail.com", "gmail"), try hub("bob@gmail.com", "drive"))
        let url = "gmail.googleapis.com/gmail/v1"
        #expect(reason(select(nil, remote: nil, url: url, [mail, drive])) == nil)
        #expect(select(nil, remote: nil, url: url, tool: "git", [mail, drive]).outcome == .chosen(mail))
        #expect(select(nil, remote: "gmail.googleapis.com/x", url: url, [mail, drive]).outcome == .chosen(mail))
        #expect(
            select(nil, remote: nil, url: "accounts.google.com/drive", [mail, drive]).outcome == .chosen(drive))
    }

    @Test("an address without a path has the owner of the remote at the same host")
    func withoutPath() throws {
        let team = try Self.named("team")
        #expect(select(nil, url: "idp.example", [team, ada]).outcome == .chosen(team))
        let (octo, hub) = (try Self.named("team", at: "github.com"), try Self.named("x", at: "github.com"))
        #expect(reason(select(nil, url: "github.com", [octo, hub])) == nil)
    }

    @Test("where two things indicate different accounts, neither does")
    func disagreement() throws {
        let team = try Self.named("team")
        #expect(reason(select("ada@contoso.example", [ada, team, eve])) == nil)
        #expect(reason(select("x@fabrikam.example", [ada, team, eve])) == nil)
        #expect(select("x@fabrikam.example", [ada, bob, eve]).outcome == .chosen(eve))
        var both = ada
        both.account.label = "team"
        #expect(reason(select("ada@contoso.example", [both, eve]))?.name == "committer")
    }

    @Test(
        "it picks among accounts whose tokens go there, and where nobody says where, among those of the remote's host")
    func destination() throws {
        let hub = try Self.named("ada@contoso.example", at: "github.com")
        let other = try Self.named("x", at: "github.com")
        // Its own tokens do not go to evil.example, whatever its repository says.
        let evil = select("ada@contoso.example", remote: "evil.example/ada", url: "evil.example/ada", [hub, other])
        #expect(evil.outcome == .nobody)
        #expect(reason(select("ada@contoso.example", remote: "evil.example/x", [hub, eve])) == nil)
        #expect(reason(select("ada@contoso.example", remote: nil, [hub, eve])) == nil)
        #expect(select("ada@contoso.example", remote: "github.com/q/y", [hub, eve, other]).outcome == .chosen(hub))
        // What is asked of a provider, or for scopes, goes where whoever asks says.
        let asked = select("ada@contoso.example", remote: nil, [hub, other], environment: "github.com")
        #expect(asked.outcome == .chosen(hub))
        #expect(select("ada@contoso.example", remote: nil, [hub, other], scopes: ["repo"]).verdicts.count == 2)
    }

    @Test("bindings, the only account and the only one that was granted come before, and what was used before after")
    func order() throws {
        let address = "ada@contoso.example"
        let bound = select(address, [ada, bob, eve], [SelectionSample.binding(.host("idp.example"), eve)])
        #expect(bound.outcome == .chosen(eve) && reason(bound)?.name == "bound")
        #expect(reason(select(address, [eve])) == .onlyOne)
        let granted = try SelectionSample.candidate("zoe", tokens: [["repo"]])
        #expect(reason(select(address, [ada, granted], scopes: ["repo"])) == .onlyGranted)
        let events = SelectionSample.events(bob, at: "idp.example/team/app", count: 30, end: 0)
        let history = UsageHistory(events, context: SelectionSample.context("idp.example/team/app"))
        #expect(select(nil, [ada, bob, eve], history: history).outcome == .chosen(bob))
        #expect(select(address, [ada, bob, eve], history: history).outcome == .chosen(ada))
        let named = AccountSelector().select(
            TokenRequest(account: "bob", context: RequestContext(committer: MailAddress(address))), among: [ada, bob],
            groups: [.default])
        #expect(named.outcome == .chosen(bob))
    }

    @Test("names that somebody wrote in one group decide nothing about accounts of another")
    func groups() throws {
        let tools = try AccessGroup("tools")
        let theirs = try Self.named("ada@contoso.example", group: tools)
        let kin = try Self.named("x@fabrikam.example", group: tools)
        let groups = [AccessGroup.default, tools]
        let selection = select("ada@contoso.example", [bob, eve, theirs, kin], groups: groups)
        // In its own group each says what it would say there alone.
        #expect(reason(selection) == nil)
        #expect(Set(selection.verdicts.filter { $0.verdict == .possible(nil) }.map(\.candidate)) == [bob, theirs])
        #expect(select("ada@contoso.example", [theirs, kin], groups: groups).outcome == .chosen(theirs))
    }
}
