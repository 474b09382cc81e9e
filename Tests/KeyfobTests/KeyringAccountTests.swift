import Keyfob
import KeyfobTestSupport
import Testing

@Suite("The accounts of a keyring", .eachStorage)
struct KeyringAccountTests {
    private let home: KeyringHome
    private let keyring: Keyring
    private let ada: Account
    private let bob: Account

    init() throws {
        home = try KeyringHome()
        keyring = home.keyring
        (ada, bob) = (try .contoso("ada"), try .contoso("bob"))
        try keyring.store(.access(ada), "token of ada", for: ada)
        try keyring.store(.access(bob), "token of bob", for: bob)
    }

    private func code(_ body: () throws -> Void) -> KeyringError.Code? {
        failure(of: KeyringError.self, body)?.code
    }

    @Test("each is listed with the state of its sign-in")
    func listing() throws {
        try keyring.store(.refresh(bob), "refresh", for: bob)
        let all = try keyring.accounts.list().inOrder
        #expect(all.map(\.account) == [ada, bob])
        #expect(all.map(\.state) == [.tokensOnly, .signedIn])
        #expect(all.map(\.clientIDs) == [["mailer"], ["mailer"]])
    }

    @Test(
        "one is found by id, user name, label, or the beginning of one of them",
        arguments: [
            "ada-uid.contoso@login.microsoftonline.com", "ADA-UID.contoso@login.windows.net", "ada-uid.contoso",
            "Ada@Contoso.example", "Research", "research", "ada", "ada@", "res",
        ])
    func names(text: String) throws {
        try keyring.accounts.setLabel("Research", of: ada.id, in: .default)
        #expect(try keyring.tokenText(TokenRequest(account: text)) == "token of ada")
        #expect(try keyring.accounts.named(text).account.id == ada.id)
    }

    @Test(
        "who is chosen by name is the one that a look at all of them chooses",
        arguments: [
            TokenRequest(account: "ada@contoso.example"), TokenRequest(account: "ada"), TokenRequest(account: "eve"),
            TokenRequest(account: "bob@contoso.example", scopes: ["never.granted"]), TokenRequest(),
            TokenRequest(account: "bob@contoso.example", clientID: "other"), TokenRequest(account: "work"),
            TokenRequest(account: "bob@contoso.example", realm: "fabrikam"),
        ])
    func byName(request: TokenRequest) throws {
        try keyring.accounts.setLabel("work", of: ada.id, in: .default)
        let (fast, whole) = (try keyring.accounts.selectByName(request), try keyring.accounts.select(request))
        #expect(fast.outcome == whole.outcome)
    }

    @Test("a name that nobody has is told", arguments: ["eve", "", " ", "a\u{7}", "da@contoso.example"])
    func nobody(text: String) {
        #expect(keyring.refusal(TokenRequest(account: text)) == .noSuchAccount)
    }

    @Test("two accounts with one user name are listed as candidates")
    func sameUsername() throws {
        let id = try #require(AccountID(homeAccountID: "other.fabrikam", environment: "login.microsoftonline.com"))
        let twin = Account(id: id, username: "ada@contoso.example")
        try keyring.store(.access(twin, realm: "fabrikam"), "token of the twin", for: twin)
        let error = failure(of: KeyringError.self) {
            _ = try keyring.tokens.stored(for: TokenRequest(account: "ada@contoso.example"))
        }
        #expect(error?.code == .ambiguous)
        #expect(Set(error?.candidates ?? []) == [ada.id.description, twin.id.description])
        #expect(try keyring.tokenText(TokenRequest(account: twin.id.description)) == "token of the twin")
    }

    @Test("a name that several answer to gives ids to type, in their order, or the groups of the only one")
    func ambiguousNames() throws {
        let work = try AccessGroup("work")
        try keyring.groups.create(work)
        try keyring.store(.access(bob), "x", for: bob, in: [work])
        let one = failure(of: KeyringError.self) { _ = try keyring.accounts.named("bob") }
        #expect(one?.code == .ambiguous && one?.candidates == [bob.id.description])
        #expect(one?.message == "'bob' names \(bob.name), which is in several groups: default, work")
        #expect(one?.advice == .chooseGroup(such: .default))
        let eve = try Account.contoso("adam")
        try keyring.store(.access(eve), "x", for: eve, in: [work])
        for groups in [[.default, work], [work, .default]] {
            let several = failure(of: KeyringError.self) { _ = try keyring.accounts.named("ada", in: groups) }
            #expect(several?.candidates == [ada.id.description, eve.id.description])
            for id in several?.candidates ?? [] {
                #expect(try keyring.accounts.named(id).account.id.description == id)
            }
        }
    }

    @Test("an account with a token in a tenant is considered there, with a profile or without")
    func tenants() throws {
        try keyring.store(.access(ada, realm: "Fabrikam"), "token for fabrikam", for: ada)
        #expect(try keyring.accounts.list().inOrder.map(\.realms) == [["Fabrikam", "contoso"], ["contoso"]])
        #expect(try keyring.tokenText(TokenRequest(realm: "fabrikam")) == "token for fabrikam")
    }

    @Test("a request that names nobody is ambiguous, unless there is a default")
    func defaults() throws {
        #expect(keyring.refusal(TokenRequest()) == .ambiguous)
        try keyring.accounts.setDefault(bob.id, in: .default)
        #expect(try keyring.tokenText(TokenRequest()) == "token of bob")
        #expect(try home.opened().accounts.list().inOrder.map(\.isDefault) == [false, true])
        try keyring.accounts.setDefault(nil, in: .default)
        #expect(keyring.refusal(TokenRequest()) == .ambiguous)
        try keyring.accounts.setDefault(bob.id, in: .default)
        #expect(try keyring.accounts.removeForGood(bob.id, from: .default) == 2)
        #expect(keyring.refusal(TokenRequest()) == .noSuchAccount)
        try keyring.accounts.setDefault(nil, in: .default)
        #expect(try keyring.tokenText(TokenRequest()) == "token of ada")
    }

    @Test("a label is one account's, without regard to case, and can be taken away")
    func labels() throws {
        try keyring.accounts.setLabel("work", of: ada.id, in: .default)
        try keyring.accounts.setLabel("work", of: ada.id, in: .default)
        #expect(code { try keyring.accounts.setLabel("work", of: bob.id, in: .default) } == .alreadyExists)
        #expect(code { try keyring.accounts.setLabel("Work", of: bob.id, in: .default) } == .alreadyExists)
        for text in ["", "  ", "a\nb", "a\u{200B}b"] {
            #expect(code { try keyring.accounts.setLabel(text, of: bob.id, in: .default) } == .usage)
        }
        try keyring.accounts.setLabel(nil, of: ada.id, in: .default)
        try keyring.accounts.setLabel("work", of: bob.id, in: .default)
        #expect(try keyring.tokenText(TokenRequest(account: "work")) == "token of bob")
        let eve = try Account.contoso("eve")
        #expect(code { try keyring.accounts.setLabel("x", of: eve.id, in: .default) } == .noSuchAccount)
    }

    @Test("a label stays when the account comes in again")
    func labelsStay() throws {
        try keyring.accounts.setLabel("work", of: ada.id, in: .default)
        #expect(try keyring.store(.access(ada, expires: 7_200), "newer", for: ada) == .changed)
        #expect(try keyring.tokenText(TokenRequest(account: "work")) == "newer")
    }

    @Test("an account is moved with its tokens, and is then in one group only")
    func moving() throws {
        let work = try AccessGroup("work")
        try keyring.groups.create(work)
        try keyring.accounts.setDefault(ada.id, in: .default)
        #expect(try keyring.accounts.move(ada.id, from: .default, to: work) == 2)
        #expect(try keyring.accounts.list(in: [work]).map(\.account) == [ada])
        #expect(try keyring.accounts.list(in: [.default]).map(\.account) == [bob])
        #expect(try keyring.tokenText(TokenRequest(account: "ada"), in: [work]) == "token of ada")
        #expect(keyring.refusal(TokenRequest(account: "ada"), in: [.default]) == .noSuchAccount)
        let eve = try Account.contoso("eve")
        #expect(code { _ = try keyring.accounts.move(eve.id, from: .default, to: work) } == .noSuchAccount)
        #expect(code { _ = try keyring.accounts.move(ada.id, from: work, to: work) } == .usage)
        try keyring.store(.access(ada), "again", for: ada)
        #expect(code { _ = try keyring.accounts.move(ada.id, from: .default, to: work) } == .alreadyExists)
        #expect(try keyring.health.verify().problems == [])
    }

    @Test("an account is removed with its tokens")
    func removing() throws {
        #expect(try keyring.accounts.removeForGood(ada.id, from: .default) == 2)
        #expect(try keyring.accounts.list().map(\.account) == [bob])
        #expect(code { _ = try keyring.accounts.removeForGood(ada.id, from: .default) } == .noSuchAccount)
        #expect(try keyring.health.verify().problems == [])
    }

    @Test("an account in two groups is two accounts, however often a group is named")
    func severalGroups() throws {
        let work = try AccessGroup("work")
        try keyring.groups.create(work)
        try keyring.store(.access(ada), "at work", for: ada, in: [work])
        let request = TokenRequest(account: "ada@contoso.example")
        #expect(keyring.refusal(request, in: [work, .default]) == .ambiguous)
        #expect(try keyring.tokenText(request, in: [.default]) == "token of ada")
        #expect(try keyring.tokenText(TokenRequest(account: "ada"), in: [work]) == "at work")
        #expect(keyring.refusal(request, in: [work, work]) == nil)
    }
}
