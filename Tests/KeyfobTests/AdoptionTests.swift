import KeyfobModel
import KeyfobTestSupport
import Testing

@testable import Keyfob
@testable import KeyfobRecords

@Suite("An account that gets another id", .eachStorageInFullRun)
struct AdoptionTests {
    static let environment = "git.example"

    func claimed(_ name: String = "ada", label: String? = nil) throws -> Account {
        .knownByName(try #require(AccountID(homeAccountID: name, environment: Self.environment)), label: label)
    }

    func proved(_ name: String = "ada", _ subject: String = "1815", called display: String? = nil) throws
        -> Account
    {
        let id = try #require(AccountID(homeAccountID: subject, environment: Self.environment))
        let profile = TenantProfile(
            realm: "", localAccountID: subject, environment: Self.environment, username: name, displayName: display)
        return Account(id: id, username: name, displayName: display, tenantProfiles: [profile])
    }

    func stored(_ account: Account, _ client: String = Credential.noClient) -> Credential {
        .access(account, scopes: [], client: client, realm: "")
    }

    func adopt(_ claimed: Account, as proved: Account, in keyring: Keyring) throws {
        try keyring.withState { state in
            try keyring.change(&state, try state.group(.default)) { writer in
                try writer.adopt(claimed.id, as: proved)
                try writer.adoptDecisions(of: claimed.id, by: proved.id)
            }
        }
    }

    @Test("it keeps its label, its tokens, and everything that was decided for it")
    func everything() throws {
        let home = try KeyringHome()
        let (keyring, ada, person) = (home.keyring, try claimed(label: "engine"), try proved(called: "Ada L."))
        try keyring.store(stored(ada), "by hand", for: ada)
        try keyring.store(.refresh(ada), "grant", for: ada)
        try keyring.accounts.setDefault(ada.id, in: .default)
        try keyring.bindings.set(.tool("gh"), to: .account(ada.id), in: .default)
        let git = try #require(Program("/usr/bin/git"))
        try keyring.programs.permit(ProgramPermission(of: git, account: ada.id, isAllowed: true, in: .default))
        _ = try keyring.accounts.current()
        let request = TokenRequest(account: "engine", context: RequestContext(tool: "gh"))
        keyring.accounts.remember(ada.id, in: .default, for: request, by: .person)

        try adopt(ada, as: person, in: keyring)

        let found = try #require(try keyring.accounts.list().first)
        #expect(try keyring.accounts.list().count == 1 && found.account.id == person.id && found.isDefault)
        #expect(found.account.label == "engine" && found.account.displayName == "Ada L.")
        #expect(found.account.formerNames == [ada.id.description])
        #expect(try keyring.accounts.credentials(of: person.id, in: .default).count == 2)
        #expect(try keyring.accounts.credentials(of: ada.id, in: .default).isEmpty)
        #expect(try keyring.tokenText(TokenRequest(context: RequestContext(tool: "gh"))) == "by hand")
        #expect(try keyring.programs.permissions().map(\.account) == [person.id])
        #expect(try keyring.accounts.current().change == nil)
        #expect(try keyring.accounts.meanings(of: ada.id).isEmpty && keyring.accounts.former().isEmpty)
        for name in ["ada", ada.id.description, "engine", person.id.description] {
            #expect(try keyring.accounts.named(name).account.id == person.id)
            #expect(try keyring.tokenText(TokenRequest(account: name)) == "by hand")
        }
        // What the owner stores for the old id is this account's.
        try keyring.store(stored(ada), "by hand, later", for: ada)
        #expect(try keyring.accounts.list().map(\.account.id) == [person.id])
        #expect(try keyring.tokenText(TokenRequest(account: "ada")) == "by hand, later")
        #expect(try home.opened().accounts.list().map(\.account) == keyring.accounts.list().map(\.account))
    }

    @Test("a change that fails leaves everything as it was")
    func aborted() throws {
        struct Stopped: Error {}
        let home = try KeyringHome()
        let (keyring, ada) = (home.keyring, try claimed(label: "engine"))
        try keyring.store(.refresh(ada), "grant", for: ada)
        try keyring.accounts.setDefault(ada.id, in: .default)
        let before = try home.state()
        #expect(throws: (any Error).self) {
            try keyring.withState { state in
                try keyring.change(&state, try state.group(.default)) { writer in
                    try writer.adopt(ada.id, as: try proved())
                    try writer.adoptDecisions(of: ada.id, by: try proved().id)
                    throw Stopped()
                }
            }
        }
        #expect(try home.state() == before)
        #expect(try keyring.accounts.list().map(\.account.id) == [ada.id])
    }

    @Test(
        "of two accounts that become one, the proved one's grants and label stay, and neither's other tokens are lost")
    func joined() throws {
        let home = try KeyringHome()
        let (keyring, ada, person) = (home.keyring, try claimed(label: "engine"), try proved("countess"))
        var own = person
        own.label = "own"
        for (account, text) in [(ada, "claimed"), (own, "proved")] {
            try keyring.store(.refresh(account), "grant of \(text)", for: account)
        }
        try keyring.store(stored(ada), "by hand", for: ada)
        try keyring.store(.refresh(ada, client: "other"), "other grant", for: ada)
        try adopt(ada, as: person, in: keyring)
        let account = try #require(try keyring.accounts.list().first?.account)
        #expect(account.label == "own" && account.username == "countess")
        #expect(account.formerNames == [ada.id.description, "ada"])
        let credentials = try keyring.accounts.credentials(of: person.id, in: .default)
        #expect(Set(credentials.map(\.clientID)) == ["mailer", "other", Credential.noClient] && credentials.count == 3)
        #expect(try keyring.accounts.named("ada").account.id == person.id)
    }

    @Test("current names come before former ones, and former ones before parts")
    func names() throws {
        let home = try KeyringHome()
        let keyring = home.keyring
        let (person, other, third) = (try proved("countess"), try proved("ada", "2"), try proved("adam", "3"))
        try adopt(try claimed(), as: person, in: keyring)
        try keyring.store(stored(third), "adam", for: third)
        #expect(try keyring.accounts.named("ada").account.id == person.id)
        try keyring.store(stored(other), "other", for: other)
        #expect(try keyring.accounts.named("ada").account.id == other.id)
        #expect(try keyring.accounts.named("ada@git.example").account.id == person.id)
        // The id of another account is no former one.
        try keyring.store(stored(try claimed("ADA")), "by hand", for: try claimed("ADA"))
        #expect(try keyring.accounts.named("countess").account.id == person.id)
    }

    @Test("sixteen former names are kept, none twice, and none that would pass for an id of the provider")
    func limit() throws {
        var account = try proved("n0")
        for number in 1...40 {
            account.username = "n\(number)"
            account.noteFormerUsername("n\(number - 1)")
        }
        #expect(account.formerNames == (24..<40).reversed().map { "n\($0)" })
        account.noteFormerUsername("N39")
        account.noteFormerUsername("ada@GIT.example")
        account.noteFormerUsername("bad\u{7}name")
        account.noteFormerUsername("n40")
        #expect(account.formerNames.count == 16 && account.formerIDs.isEmpty)
        account.noteFormer(try claimed())
        #expect(account.formerIDs == [try claimed().id] && account.formerNames.count == 16)
    }

    @Test("what somebody with a group's key decided stays theirs, and what only the owner may decide stays the owner's")
    func authority() throws {
        let place = try AuthorityHome()
        let (ada, person) = (try claimed(), try proved())
        for keyring in [place.owner] { try keyring.store(stored(ada), "by hand", for: ada, in: [place.tools]) }
        try place.owner.bindings.set(.tool("owners"), to: .account(ada.id), in: place.tools)
        try place.write(
            "binding:tool:theirs:\(Self.environment)", ada.id.canonical)
        for keyring in [place.adversary, place.owner] {
            try keyring.withState { state in
                try keyring.change(&state, try state.group(place.tools)) { writer in
                    if keyring === place.adversary { try writer.adopt(ada.id, as: person) }
                    try writer.adoptDecisions(of: ada.id, by: person.id)
                }
            }
            let bindings = try place.owner.bindings.list(in: [place.tools])
            #expect(bindings.first { $0.subject == .tool("owners") }?.writer == .owner)
            #expect(bindings.first { $0.subject == .tool("theirs") }?.writer == .group)
            let request = TokenRequest(context: RequestContext(tool: "owners"))
            #expect(try place.owner.tokenText(request, in: [place.tools]) == "by hand")
        }
    }

    @Test("a bundle that decides nothing says of no account that it had another's id")
    func bundle() throws {
        let (home, stranger) = (try KeyringHome(), try KeyringHome())
        let (ada, mallory) = (try claimed(), try proved("mallory", "666"))
        try home.keyring.store(stored(ada), "ada's", for: ada)
        try adopt(ada, as: mallory, in: stranger.keyring)
        try stranger.keyring.store(stored(mallory), "mallory's", for: mallory)
        var known = ada
        known.isProved = true
        try stranger.keyring.store(stored(known), "another's", for: known)
        let keys = BundleKeys()
        let content = BundleContent(includesAccessTokens: true)
        let bundle = try home.folder.bundle(try stranger.keyring.bundle(content, for: keys.seal))
        _ = try home.keyring.bundles.import(bundle, with: keys.opener, mode: .merge)
        #expect(try home.keyring.accounts.list().allSatisfy { $0.account.formerNames.isEmpty && !$0.account.isProved })
        _ = try home.keyring.accounts.removeForGood(ada.id, from: .default, unbinds: true)
        #expect(home.keyring.refusal(TokenRequest(account: "ada")) == .noSuchAccount)
    }

    @Test("machines of a sync come to one account, whatever each of them did before it heard of the other")
    func sync() throws {
        let home = try SyncHome("one", "two")
        let (one, two) = (try home["one"], try home["two"])
        let (ada, person) = (try claimed(label: "engine"), try proved())
        try one.change { _ = try $0.save(ada, from: .owner) }
        try home.settle()
        // Each has a token of its own, and on the one that heard of nothing more is decided.
        for machine in [one, two] {
            try machine.change {
                _ = try $0.save(stored(ada), secret: secret("token of \(machine.name)"), from: .owner)
            }
        }
        try two.signIn(ada, token: "grant of two")
        try one.change { writer in
            try writer.adopt(ada.id, as: person)
            try writer.adoptDecisions(of: ada.id, by: person.id)
        }
        try two.keyring.bindings.set(.tool("gh"), to: .account(ada.id), in: .default)
        try two.change { writer in try writer.update(ada.id) { $0.label = "later" } }
        try home.settle()
        // Who has signed in under the old name after that is back, and lost nothing; the next sign-in makes them one again.
        if try two.accounts().count == 2 {
            try two.change { writer in
                try writer.adopt(ada.id, as: person)
                try writer.adoptDecisions(of: ada.id, by: person.id)
            }
            try home.settle()
        }
        for machine in [one, two] {
            let findings = try home.findings(machine.name)
            let found = try machine.accounts().map { "\($0.id) \($0.formerNames)" }
            #expect(try machine.accounts().map(\.id) == [person.id], "\(machine.name): \(findings) \(found)")
            #expect(try machine.accounts().first?.formerNames == [ada.id.description])
            let tokens = try machine.keyring.accounts.credentials(of: person.id, in: .default)
            #expect(tokens.contains { $0.kind == .accessToken }, "\(machine.name)")
            #expect(try machine.keyring.tokenText(TokenRequest(account: "ada")) == "token of \(machine.name)")
            #expect(try machine.keyring.bindings.list().map(\.target) == [.account(person.id)])
            #expect(try machine.keyring.accounts.former().isEmpty)
        }
        #expect(
            try two.keyring.accounts.credentials(of: person.id, in: .default).contains { $0.grant?.state == .active })
    }
}
