import KeyfobModel
import KeyfobSelection
import Testing

@Suite("Scopes in the selection")
struct ScopePolicyTests {
    private func select(_ scopes: ScopeSet, _ candidates: [Candidate]) -> Selection {
        AccountSelector().select(TokenRequest(scopes: scopes), among: candidates, groups: [.default])
    }

    @Test("the only one of three accounts that can get the scopes is taken, with no question")
    func onlyOne() throws {
        let ada = try SelectionSample.candidate("ada", state: .tokensOnly, tokens: [["repo", "gist"]])
        let bob = try SelectionSample.candidate("bob", state: .tokensOnly, tokens: [["read"]])
        let carol = try SelectionSample.candidate("carol", grant: ["openid", "mail"])
        let selection = select(["repo"], [carol, bob, ada])
        #expect(selection.outcome == .chosen(ada))
        #expect(
            Set(selection.verdicts.dropFirst().map(\.verdict)) == [.rejected(.scopesNotGranted(["repo"]))])
        #expect(select(["nothing"], [ada, bob, carol]).outcome == .nobody)
    }

    @Test("a grant of Microsoft reaches any resource, and one that names no scope may; who has the token goes first")
    func maybe() throws {
        let microsoft = "login.microsoftonline.com"
        let ada = try SelectionSample.candidate("ada", environment: microsoft, grant: ["user.read"])
        let bob = try SelectionSample.candidate("bob", environment: microsoft)
        let holder = try SelectionSample.candidate("carol", environment: microsoft, tokens: [["mail.read"]])
        #expect(select(["mail.read"], [ada, bob]).outcome == .ambiguous([ada, bob]))
        let selection = select(["mail.read"], [ada, bob, holder])
        #expect(selection.outcome == .chosen(holder))
        #expect(selection.verdicts[0].verdict == .chosen(.onlyGranted))
        #expect(selection.verdicts[1].verdict == .rejected(.neverGranted(["mail.read"])))
    }

    @Test("scopes are not gathered from several tokens")
    func separate() throws {
        let ada = try SelectionSample.candidate("ada", state: .tokensOnly, tokens: [["a"], ["b"]])
        #expect(select(["a", "b"], [ada]).outcome == .nobody)
        #expect(select(["A"], [ada]).outcome == .chosen(ada))
    }

    @Test("a binding goes before who was granted the scopes")
    func binding() throws {
        let microsoft = "login.microsoftonline.com"
        let ada = try SelectionSample.candidate("ada", environment: microsoft)
        let holder = try SelectionSample.candidate("carol", environment: microsoft, tokens: [["mail.read"]])
        let binding = SelectionSample.binding(.tool("mutt"), ada)
        let selection = AccountSelector().select(
            TokenRequest(scopes: ["mail.read"], context: RequestContext(tool: "mutt")), among: [ada, holder],
            groups: [.default], evidence: Evidence(bindings: [binding]))
        #expect(selection.outcome == .chosen(ada))
    }
}
