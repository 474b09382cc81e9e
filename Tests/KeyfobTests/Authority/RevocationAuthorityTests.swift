@testable import Keyfob
import KeyfobModel
import KeyfobTestSupport
import Testing

@Suite("What somebody decided with a group's key, after they lost it")
struct RevocationAuthorityTests {
    private let place: AuthorityHome
    private let contoso = NewProvider(issuer: "https://sso.contoso.example", name: "contoso")
    /// What an adversary would rather have.
    private let evil = NewProvider(
        issuer: "https://evil.example", name: "contoso", environment: "sso.contoso.example")

    init() throws { place = try AuthorityHome() }

    private func revoke(keeping kept: KeptDecisions = .none) throws -> SlotRevocation {
        let slot = try #require(try place.owner.slots.list().first { $0.group == place.tools }).id
        return try place.owner.slots.revoke(slot, of: place.tools, keeping: kept)
    }

    @Test("a provider's endpoint that they replaced goes with them, and is told before")
    func provider() throws {
        try place.owner.providers.add(contoso, in: [place.tools])
        #expect(try place.owner.groups.foreignDecisions().isEmpty)
        try place.adversary.providers.add(evil, replacing: true)
        #expect(try place.owner.health.verify().foreignDecisions.map(\.name) == ["provider:contoso"])
        #expect(try place.owner.providers.named("contoso").writer == .group)
        let revocation = try revoke()
        #expect(revocation.removed.map(\.text) == ["provider contoso for sso.contoso.example"])
        #expect(place.refusal { _ = try place.owner.providers.named("contoso") }?.code == .noSuchProvider)
        let report = try place.owner.health.verify()
        #expect(report.foreignDecisions.isEmpty && report.problems.isEmpty)
    }

    @Test("another provider of theirs gives no host to an environment that the owner described")
    func hosts() throws {
        let environment = "sso.contoso.example"
        let id = try #require(AccountID(homeAccountID: "eve", environment: environment))
        let eve = Account(id: id, username: "eve")
        try place.owner.store(.access(eve, realm: ""), "token of eve", for: eve, in: [place.tools])
        var own = contoso
        own.apiHosts = ["api.contoso.example"]
        try place.owner.providers.add(own, in: [place.tools])
        // As its writer would have it: with a name that sorts before the owner's, and after.
        for name in ["aaa", "zzz"] {
            try place.write(
                "provider:\(name)",
                """
                {"formatVersion": 1, "name": "\(name)", "title": "Evil", "issuer": "https://evil.example",
                "environment": "\(environment)", "apiHosts": ["api.evil.example"], "flows": ["authorizationCode"]}
                """)
        }
        func request(_ host: String) throws -> TokenRequest {
            TokenRequest(context: RequestContext(url: try ResourceURL(parsing: "https://\(host)/me")))
        }
        #expect(try place.owner.tokenText(request("api.contoso.example")) == "token of eve")
        #expect(place.owner.refusal(try request("api.evil.example")) == .hostNotAllowed)
    }

    @Test("a path of theirs is not read, and a rename does not make their provider the owner's")
    func certificateFile() throws {
        var own = contoso
        own.certificateFile = "/etc/own.pem"
        try place.owner.providers.add(own, in: [place.tools])
        #expect(try place.owner.providers.named("contoso").certificateFile == "/etc/own.pem")
        var theirs = evil
        theirs.certificateFile = "/tmp/evil.pem"
        try place.adversary.providers.add(theirs, replacing: true)
        let provider = try place.owner.providers.named("contoso")
        #expect(provider.writer == .group && provider.certificateFile == nil)
        #expect(place.owner.takeWarnings().contains { $0.code == .foreignDecision && $0.message.contains("contoso") })
        let error = place.refusal { try place.owner.providers.rename("contoso", to: "mine") }
        #expect(error?.code == .usage && error?.message.contains("tools") == true)
    }

    @Test("everything that decides goes, the owner's stays, and so does what is kept by name")
    func everything() throws {
        let eve = try place.add("eve", "theirs", by: place.adversary)
        try place.adversary.bindings.set(.tool("gh"), to: .account(eve.id), in: place.tools)
        try place.adversary.accounts.setDefault(eve.id, in: place.tools)
        try place.adversary.clients.add(
            ClientRegistration(id: "app", authentication: .post), secret: secret("s"), at: "google")
        try place.write("discovery of https://accounts.google.com", "1 {}")
        try place.write("something newer", "x")
        try place.owner.bindings.set(.tool("az"), to: .account(eve.id), in: place.tools)
        #expect(place.refusal { _ = try revoke(keeping: .named(["binding:tool:az:login.microsoftonline.com"])) } != nil)
        let revocation = try revoke(keeping: .named(["something newer"]))
        #expect(
            revocation.removed.map(\.kind) == [.binding, .client, .defaultAccount, .defaultClient, .discovery])
        #expect(revocation.kept.map(\.name) == ["something newer"])
        #expect(try place.owner.bindings.list().map(\.subject) == [.tool("az")])
        #expect(try place.owner.clients.list(in: [place.tools]).isEmpty)
        #expect(try place.owner.groups.foreignDecisions().map(\.kind) == [.other])
    }

    @Test("no record says where a built-in provider sends tokens")
    func builtIn() throws {
        for name in ["google", "mine"] {
            let planted = NewProvider(issuer: "https://evil.example", name: name, environment: "accounts.google.com")
            #expect(
                place.refusal { try place.adversary.providers.add(planted, replacing: true) }?.code == .alreadyExists)
            // As a program that checks nothing would write it.
            try place.write("provider:\(name)", String(decoding: try planted.description().json, as: UTF8.self))
        }
        for keyring in [place.owner, try place.home.opened(keyFile: 2)] {
            let description = try keyring.providers.description(
                forEnvironment: "accounts.google.com", in: [place.tools])
            #expect(description?.title == "Google")
            #expect(keyring.takeWarnings().count { $0.message.contains("was passed over") } == 2)
        }
    }

    @Test("a provider of theirs does not speak for one that the owner added in another group")
    func acrossGroups() throws {
        try place.owner.providers.add(contoso, in: [.default])
        try place.adversary.providers.add(evil)
        #expect(try place.owner.providers.named("contoso", in: [place.tools, .default]).origin == .added(.default))
        #expect(try place.owner.providers.list().count { $0.environment == "sso.contoso.example" } == 1)
    }
}
