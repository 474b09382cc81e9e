import Keyfob
import KeyfobSQLiteTestSupport
import KeyfobTestSupport
import Testing

@Suite("Looking up tokens", .eachStorage)
struct KeyringTokenTests {
    private let home: KeyringHome
    private let keyring: Keyring
    private let ada: Account
    private let bob: Account
    private let request = TokenRequest(account: "ada@contoso.example", scopes: ["mail.read"])

    init() throws {
        home = try KeyringHome()
        keyring = home.keyring
        (ada, bob) = (try .contoso("ada"), try .contoso("bob"))
    }

    @Test("what is stored is found, with what is known of it")
    func found() throws {
        #expect(try keyring.store(.access(ada), "token", for: ada) == .added)
        let answer = try keyring.tokens.stored(for: request)
        let (secret, found) = (text(of: answer.secret), answer.found)
        #expect(secret == "token")
        #expect(found.credential == .access(ada) && found.account == ada && found.group == .default && !found.isAging)
        #expect(try home.opened().tokenText(request) == "token")
    }

    @Test("it is valid when it lives at least as long as asked for", arguments: [0, 300, 900] as [Int64])
    func validity(minimum: Int64) throws {
        try keyring.store(.access(ada, expires: 1_000), "token", for: ada)
        var request = request
        request.minimumValidity = minimum
        #expect(try home.opened(at: noon.advanced(by: 1_000 - minimum)).tokenText(request) == "token")
        #expect(try home.opened(at: noon.advanced(by: 1_001 - minimum)).refusal(request) == .signInNeeded)
    }

    @Test(
        "where nothing is asked for, it is aging in the last tenth of its life, or the last 300 seconds, and of use for ten",
        arguments: [(3_600, 300), (3_000, 300), (310, 31), (300, 30), (60, 6), (30, 3), (5, 1), (1, 1)]
            as [(Int64, Int64)])
    func usualValidity(life: Int64, margin: Int64) throws {
        try keyring.store(.access(ada, expires: life), "token", for: ada)
        let then = { (left: Int64) in try home.opened(at: noon.advanced(by: life - left)) }
        for left in Set([life, margin, max(margin - 1, 10), 10, 9, 0, -1]).filter({ $0 <= life }) {
            let isFresh = left >= margin
            guard isFresh || left >= 10 else {
                #expect(try then(left).refusal(request) == .signInNeeded)
                continue
            }
            #expect(try then(left).tokens.stored(for: request).found.isAging == !isFresh)
        }
    }

    @Test("a tool that tells its purpose gets a token whose scopes do for it, whichever lives longer")
    func purpose() throws {
        let octo = Account(id: try #require(AccountID("octo@github.com")), username: "octo")
        func token(_ scopes: ScopeSet, _ life: Int64) -> Credential {
            Credential(
                kind: .accessToken, account: octo.id, clientID: "client", realm: "", scopes: scopes,
                cachedAt: noon, expiresOn: noon.advanced(by: life))
        }
        try keyring.store(token(["gist"], 9_000), "gist", for: octo)
        try keyring.store(token(["repo"], 6_000), "repo", for: octo)
        var request = TokenRequest(account: "octo")
        #expect(try home.opened().refusal(request) == .ambiguous)
        request.purpose = .git
        #expect(try home.opened().tokenText(request) == "repo")
        try keyring.store(token(["repo", "read:org"], 7_000), "more", for: octo)
        #expect(try home.opened().tokenText(request) == "more")
    }

    @Test("one that was stored in the future is not handed out")
    func future() throws {
        try keyring.store(.access(ada), "token", for: ada)
        #expect(try home.opened(at: noon.advanced(by: -1)).refusal(request) == .signInNeeded)
        #expect(try home.opened(at: noon).tokenText(request) == "token")
    }

    @Test("one that should be replaced is handed out and said to be aging")
    func aging() throws {
        var credential = Credential.access(ada)
        credential.refreshOn = noon.advanced(by: 10)
        try keyring.store(credential, "token", for: ada)
        for (time, isAging) in [(10, false), (11, true)] as [(Int64, Bool)] {
            let found = try home.opened(at: noon.advanced(by: time)).tokens.stored(for: request).found
            #expect(found.isAging == isAging)
        }
    }

    @Test(
        "the scopes asked for must be among those granted, without regard to case",
        arguments: [
            (["mail.read"], true), (["MAIL.READ", "Files.Read"], true), ([], true), (["mail.send"], false),
            (["mail.read", "mail.send"], false), (["mail"], false),
        ] as [([String], Bool)])
    func scopes(asked: [String], isFound: Bool) throws {
        try keyring.store(.access(ada, scopes: ["Mail.Read", "files.read"]), "token", for: ada)
        let request = TokenRequest(account: "ada@contoso.example", scopes: ScopeSet(asked))
        #expect(keyring.refusal(request) == (isFound ? nil : .signInNeeded))
    }

    @Test("client, tenant, environment and token type must be those asked for")
    func restrictions() throws {
        try keyring.store(.access(ada), "token", for: ada)
        let name = "ada@contoso.example"
        let fitting = [
            TokenRequest(account: name, realm: "CONTOSO"), TokenRequest(account: name, clientID: "mailer"),
            TokenRequest(account: name, realm: "contoso", clientID: "mailer"),
            TokenRequest(account: name, environment: "sts.windows.net"),
            TokenRequest(account: name, tokenType: "Bearer"),
        ]
        #expect(fitting.map { keyring.refusal($0) } == Array(repeating: nil, count: 5))
        let others = [
            TokenRequest(account: name, realm: "fabrikam"), TokenRequest(account: name, clientID: "Mailer"),
            TokenRequest(account: name, realm: "fabrikam", clientID: "mailer"),
            TokenRequest(account: name, environment: "login.example"), TokenRequest(account: name, tokenType: "pop"),
        ]
        #expect(others.allSatisfy { keyring.refusal($0) != nil })
    }

    @Test(
        "two tokens that differ in client or purpose are for the caller to tell apart, and none of another tenant is given"
    )
    func ambiguousTokens() throws {
        let guest = "fabrikam"
        try keyring.store(.access(ada, realm: guest), "guest", for: ada)
        try keyring.store(.access(ada, realm: "third"), "third", for: ada)
        // What is meant is the home, whatever else is there.
        #expect(keyring.refusal(request) == .signInNeeded)
        try keyring.store(.access(ada), "home", for: ada)
        #expect(try keyring.tokenText(request) == "home")
        try keyring.store(.access(ada, client: "other"), "other", for: ada)
        let error = failure(of: KeyringError.self) { _ = try keyring.tokens.stored(for: request) }
        #expect(error?.code == .ambiguous && error?.candidates == ["mailer", "other"])
        try keyring.store(.access(ada, scopes: ["files.read"]), "files", for: ada)
        #expect(keyring.refusal(TokenRequest(account: "ada@contoso.example", clientID: "mailer")) == .ambiguous)
    }

    @Test("where no scope is asked for, one that was stored without scopes goes before those with some")
    func unscoped() throws {
        let request = TokenRequest(account: "ada@contoso.example")
        try keyring.store(.access(ada, scopes: ["repo"]), "repo", for: ada)
        try keyring.store(.access(ada, scopes: ["gist"]), "gist", for: ada)
        let error = failure(of: KeyringError.self) { _ = try keyring.tokens.stored(for: request) }
        #expect(error?.code == .ambiguous && error?.candidates == ["gist", "repo"])
        try keyring.store(.access(ada, scopes: []), "plain", for: ada)
        #expect(try keyring.tokenText(request) == "plain")
        #expect(try keyring.tokenText(TokenRequest(account: "ada@contoso.example", scopes: ["repo"])) == "repo")
    }

    @Test("of several that fit the one that lives longest is taken")
    func longest() throws {
        try keyring.store(.access(ada, scopes: ["a", "mail.read"], expires: 1_000), "short", for: ada)
        var wide = Credential.access(ada, scopes: ["mail.read"], expires: 2_000)
        wide.keyID = "k"
        try keyring.store(wide, "long", for: ada)
        #expect(try keyring.tokenText(request) == "long")
    }

    @Test(
        "a missing row is damage, never a missing sign-in", .embeddedAlone,
        arguments: [
            "DELETE FROM records WHERE kind = 2", "DELETE FROM records WHERE kind = 1", "DELETE FROM records",
        ])
    func absence(sql: String) throws {
        try keyring.store(.access(ada), "token", for: ada)
        try keyring.store(.refresh(ada), "refresh", for: ada)
        try home.database().runUnnoticed(sql)
        let keyring = try home.opened()
        #expect(keyring.refusal(TokenRequest(account: "ada@contoso.example", scopes: ["mail.read"])) == .damaged)
        #expect(keyring.refusal(TokenRequest()) == .damaged)
    }

    @Test(
        "a lookup tree that hides a row is damage, never a missing sign-in", .embeddedAlone,
        arguments: ["DELETE FROM nodes", "UPDATE nodes SET bytes = x'00'"])
    func hidden(sql: String) throws {
        try keyring.store(.access(ada), "token", for: ada)
        try home.database().run(sql)
        let exact = TokenRequest(account: "ada@contoso.example", realm: "contoso", clientID: "mailer")
        #expect(try home.opened().refusal(exact) == .damaged)
    }

    @Test("a damaged secret is damage", .embeddedAlone)
    func damagedSecret() throws {
        try keyring.store(.access(ada), "token", for: ada)
        try home.database().run("UPDATE secrets SET bytes = zeroblob(length(bytes))")
        #expect(try home.opened().refusal(request) == .damaged)
        #expect(try home.opened().takeWarnings() == [])
    }

    @Test("damage is never a reason to take another account", .embeddedAlone)
    func damagedChoice() throws {
        try keyring.store(.access(ada), "token of ada", for: ada)
        try keyring.store(.access(bob), "token of bob", for: bob)
        try keyring.accounts.setDefault(bob.id, in: .default)
        #expect(try keyring.tokenText(TokenRequest()) == "token of bob")
        try home.database().run(
            "UPDATE records SET attributes = zeroblob(length(attributes)) WHERE kind = 1 AND id > 2")
        let keyring = try home.opened()
        #expect(keyring.refusal(TokenRequest()) == .damaged)
        #expect(try keyring.tokenText(request) == "token of ada")
    }

    @Test("an empty token, or another account's, is not stored")
    func refusals() throws {
        let empty = failure(of: KeyringError.self) { try keyring.store(.access(ada), "", for: ada) }
        let other = failure(of: KeyringError.self) { try keyring.store(.access(ada), "token", for: bob) }
        #expect([empty?.code, other?.code] == [.usage, .usage])
        #expect(try keyring.accounts.list() == [])
    }
}
