import Keyfob
import KeyfobSodium
import KeyfobTestSupport
import Testing

@Suite("Other tools' files into a keyring", .eachStorageInFullRun)
struct KeyringToolImportTests {
    private let home: KeyringHome
    private let keyring: Keyring
    private let token = "gho_" + String(repeating: "A", count: 36)

    init() throws {
        home = try KeyringHome()
        keyring = home.keyring
    }

    private func hosts(_ token: String, user: String = "ada", host: String = "github.com") -> SecretBytes {
        secret("\(host):\n    user: \(user)\n    oauth_token: \(token)\n    git_protocol: https\n")
    }

    private func importFile(
        _ file: consuming SecretBytes, at time: Timestamp? = noon, taking decisions: DecisionKinds = [],
        bringsBackRemoved: Bool = false, isDryRun: Bool = false
    ) throws(KeyringError) -> Keyring.ImportReport {
        try keyring.caches.import(
            file, bringsBackRemoved: bringsBackRemoved, taking: decisions, writtenAt: time, isDryRun: isDryRun)
    }

    private func request(_ account: String = "ada") -> TokenRequest { TokenRequest(account: account) }

    /// Stores a token of an account of GitHub's.
    private func store(_ token: String, id: String, username: String, client: String, at time: Timestamp = noon) throws
    {
        let id = try #require(AccountID(homeAccountID: id, environment: "github.com"))
        let credential = Credential(kind: .accessToken, account: id, clientID: client, cachedAt: time)
        _ = try keyring.tokens.store(credential, secret: secret(token), for: Account(id: id, username: username))
    }

    @Test("a token comes in by its user's name, and importing again, or in a dry run, changes nothing")
    func again() throws {
        let before = try home.state()
        let wouldBe = try importFile(hosts(token), isDryRun: true)
        #expect(try home.state() == before)
        let report = try importFile(hosts(token))
        #expect(report == wouldBe && report.format == .gh)
        #expect(report.accounts == [.added: 1] && report.credentials == [.added: 1])
        #expect(report.found.values.map(\.tokens) == [[.accessToken]])
        #expect(try keyring.tokenText(request()) == token)
        let stored = try home.state()
        #expect(try importFile(hosts(token), at: noon.advanced(by: 9)).credentials == [.unchanged: 1])
        #expect(try home.state() == stored)
        #expect(try keyring.health.verify().problems == [])
    }

    @Test("an account that is here under its id gets no token of its user name, which stays apart and is told")
    func namesake() throws {
        try store("old", id: "4711", username: "Ada", client: "personal-access-token", at: noon.advanced(by: -60))
        let report = try importFile(hosts(token))
        #expect(report.accounts == [.added: 1] && report.credentials == [.added: 1])
        #expect(report.namesakes.map(\.imported.description) == ["ada@github.com"])
        #expect(report.namesakes.map(\.known.homeAccountID) == ["4711"])
        #expect(try keyring.tokenText(request("4711")) == "old")
        // The same name at another host is somebody else.
        #expect(try importFile(hosts("t", host: "ghe.example")).namesakes.isEmpty)
    }

    @Test("a token from a file that is older, or beside a sign-in, is not taken")
    func kept() throws {
        try store("new", id: "ada", username: "ada", client: "personal-access-token")
        #expect(try importFile(hosts(token), at: noon.advanced(by: -1)).credentials == [.kept: 1])
        #expect(try keyring.tokenText(request()) == "new")
        try store("own", id: "bob", username: "bob", client: "app")
        let report = try importFile(hosts(token, user: "bob"), at: noon.advanced(by: 60))
        #expect(report.credentials == [.kept: 1])
        #expect(report.remarks == ["bob@github.com is signed in here, so a token of no client was not taken"])
        #expect(try keyring.tokenText(request("bob")) == "own")
    }

    @Test("who was removed stays away unless brought back")
    func removed() throws {
        _ = try importFile(hosts(token))
        let id = try #require(try keyring.accounts.list().first?.account.id)
        _ = try keyring.accounts.removeForGood(id, from: .default)
        let report = try importFile(hosts(token))
        #expect(report.removedAccounts.map(\.id) == [id] && report.found.isEmpty)
        #expect(try keyring.accounts.list().isEmpty)
        _ = try importFile(hosts(token), bringsBackRemoved: true)
        #expect(try keyring.tokenText(request()) == token)
    }

    @Test("a client comes where it is asked for, is no default beside another, and replaces none")
    func clients() throws {
        func file(_ secretText: String) -> SecretBytes {
            secret(
                #"{"type":"authorized_user","client_id":"7","client_secret":"\#(secretText)","refresh_token":"r","account":"g"}"#
            )
        }
        try keyring.clients.add(ClientRegistration(id: "own"), at: "google")
        #expect(try importFile(file("S")).clients.map(\.outcome) == [nil])
        #expect(try keyring.clients.list(of: "google").map(\.client.id) == ["own"])
        #expect(try importFile(file("S"), taking: .clients).clients.map(\.outcome) == [.added])
        #expect(try importFile(file("T"), taking: .clients).clients.map(\.outcome) == [.kept])
        let clients = try keyring.clients.list(of: "google")
        #expect(
            Set(clients.map(\.client.id)) == ["own", "7"] && clients.filter(\.isDefault).map(\.client.id) == ["own"])
        #expect(try keyring.health.verify().problems == [])
    }

    @Test("no file binds a host, adds a provider, or sends another account's token to a host of its own")
    func decisions() throws {
        try store("mine", id: "ada", username: "ada", client: "app")
        _ = try importFile(hosts("theirs", user: "ada", host: "evil.example"), taking: .all)
        #expect(try keyring.bindings.list().isEmpty)
        #expect(try keyring.providers.list().allSatisfy { $0.origin == .builtIn })
        let place = RequestContext(url: try ResourceURL(parsing: "https://evil.example/"))
        #expect(keyring.refusal(TokenRequest(account: "ada@github.com", context: place)) == .hostNotAllowed)
    }

    @Test("what is encrypted says so, with what to do")
    func encrypted() {
        do {
            _ = try importFile(secret("-----BEGIN PGP MESSAGE-----\n"))
            Issue.record("it was read")
        } catch {
            #expect(error.code == .damaged && error.advice == .decryptFirst(.gnuPG))
        }
    }
}
