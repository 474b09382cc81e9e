import KeyfobModel
import KeyfobSelection
import KeyfobTestSupport
import Testing

@Suite("Where an account's tokens go")
struct DestinationTests {
    private let hub: Candidate
    private let git: Candidate

    init() throws {
        hub = try SelectionSample.candidate("ada", environment: "github.com", state: .tokensOnly)
        git = try SelectionSample.candidate("bob", environment: "git.example", state: .tokensOnly)
    }

    private func select(
        _ text: String, _ candidates: [Candidate], _ bindings: [Binding] = [], account: String? = nil,
        allowing host: String? = nil, directory: String? = nil
    ) -> Selection {
        let request = TokenRequest(
            account: account,
            context: RequestContext(url: SelectionSample.address(text), tool: "gh", directory: directory),
            allowedHost: host)
        return AccountSelector().select(
            request, among: candidates, groups: [.default], evidence: Evidence(bindings: bindings))
    }

    @Test("the only account there is does not get its token sent to a foreign host", arguments: [nil, "ada"])
    func foreign(account: String?) {
        let selection = select("evil.example/user", [hub], account: account)
        #expect(selection.outcome == .nobody)
        #expect(selection.verdicts.map(\.verdict) == [.rejected(.hostNotAllowed("evil.example"))])
        #expect(selection.verdicts[0].verdict.description == "rejected: its tokens do not go to evil.example")
    }

    @Test(
        "it goes to its provider and to that one's services",
        arguments: [
            ("api.github.com/user", true), ("github.com/contoso/app", true), ("npm.pkg.github.com", true),
            ("api.github.com:8443", false), ("pkg.github.com.evil.example", false), ("evil-github.com", false),
            ("graph.microsoft.com", false), ("git.example", false),
        ])
    func provider(text: String, goes: Bool) {
        #expect(select(text, [hub]).outcome == (goes ? .chosen(hub) : .nobody))
    }

    @Test("among several accounts it is that of the host's provider, and other bindings give way")
    func several() {
        #expect(select("api.github.com/user", [hub, git]).outcome == .chosen(hub))
        #expect(select("git.example/contoso", [hub, git]).outcome == .chosen(git))
        let bindings = [
            SelectionSample.binding(.directory("/work"), git), SelectionSample.binding(.tool("gh"), git),
        ]
        #expect(select("api.github.com/user", [hub, git], bindings, directory: "/work").outcome == .chosen(hub))
    }

    @Test("neither a directory nor a tool makes a host, and a host or an address does", arguments: [nil, "bob"])
    func bound(account: String?) {
        for subject in [Binding.Subject.directory("/work"), .tool("gh"), .host("other.example")] {
            let binding = SelectionSample.binding(subject, git)
            let selection = select("api.example/a", [git], [binding], account: account, directory: "/work")
            #expect(selection.outcome == .nobody, "\(subject)")
        }
        for subject in [Binding.Subject.host("api.example"), .url(SelectionSample.address("api.example/a"))] {
            let selection = select(
                "api.example/a/b", [git, hub], [SelectionSample.binding(subject, git)], account: account)
            #expect(selection.outcome == .chosen(git), "\(subject)")
        }
        let url = SelectionSample.binding(.url(SelectionSample.address("api.example/a")), git)
        #expect(select("api.example/other", [git], [url], account: account).outcome == .nobody)
    }

    @Test("a binding says nothing of another account, nor of the same one in another group")
    func othersBinding() throws {
        let host = Binding.Subject.host("api.example")
        #expect(select("api.example", [hub], [SelectionSample.binding(host, git)], account: "ada").outcome == .nobody)
        let elsewhere = SelectionSample.binding(host, hub, from: .keyring(try AccessGroup("tools")))
        #expect(select("api.example", [hub], [elsewhere], account: "ada").outcome == .nobody)
        let narrower = SelectionSample.binding(.url(SelectionSample.address("api.example/a")), nil)
        let bindings = [SelectionSample.binding(host, hub), narrower]
        #expect(select("api.example/a/b", [hub], bindings, account: "ada").outcome == .nobody)
        #expect(select("api.example/b", [hub], bindings, account: "ada").outcome == .chosen(hub))
    }

    @Test("a host that the request allows counts for the account it names, exactly")
    func allowed() {
        #expect(select("api.example/a", [hub], account: "ada", allowing: "api.example").outcome == .chosen(hub))
        #expect(select("api.example/a", [hub], allowing: "api.example").outcome == .nobody)
        #expect(select("api.example:8443", [hub], account: "ada", allowing: "api.example").outcome == .nobody)
        #expect(select("x.api.example", [hub], account: "ada", allowing: "api.example").outcome == .nobody)
    }

    @Test("the hosts of a provider's description count for its accounts")
    func described() throws {
        var described = git
        described.apiHosts = [try #require(HostPattern("*.api.example"))]
        #expect(select("eu.api.example", [described, hub]).outcome == .chosen(described))
        #expect(select("api.example", [described, hub]).outcome == .nobody)
    }

    @Test("of accounts that nothing renews, the one with a token for the address's resource will do")
    func resource() throws {
        func candidate(_ name: String, _ scope: String) throws -> Candidate {
            try SelectionSample.candidate(
                name, environment: "login.microsoftonline.com", state: .tokensOnly, tokens: [[scope]])
        }
        let (graph, vault) = (
            try candidate("ada", "User.Read"), try candidate("bob", "https://vault.azure.net/.default")
        )
        #expect(select("graph.microsoft.com/v1.0/me", [graph, vault]).outcome == .chosen(graph))
        #expect(select("contoso.vault.azure.net/secrets", [graph, vault]).outcome == .chosen(vault))
        #expect(select("management.azure.com", [graph, vault]).outcome == .nobody)
    }

    @Test("the remote of the directory is no destination")
    func remote() {
        let request = TokenRequest(context: RequestContext(remote: SelectionSample.address("evil.example/app")))
        let selection = AccountSelector().select(request, among: [hub], groups: [.default])
        #expect(selection.outcome == .chosen(hub))
    }
}
