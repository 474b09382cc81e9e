import Foundation
@testable import Keyfob
import KeyfobLookup
import KeyfobModel
import KeyfobRecords
import KeyfobSQLite
@testable import KeyfobStore
import KeyfobSQLiteTestSupport
import KeyfobTestSupport
import Testing

/// Nothing here is timed: what is read from the database is counted.
@Suite("What a choice opens of a keyring that has very many accounts")
struct FewAccountsCostTests {
    /// What decides.
    enum Evidence: String, CaseIterable {
        case directory, host, remote, tool, projectFile, preferred, name, environment, address, scope, habit,
            habitOrDefault, committer, committerDomain, committerOfMany, stranger, owner

        /// Of how many accounts as many are read as of 300: what was used before is weighed against some others.
        var few: Int {
            switch self {
            case .habit, .habitOrDefault, .committerOfMany, .stranger: 60
            default: 10
            }
        }
    }

    private let home: KeyringHome

    init() throws {
        home = try KeyringHome()
    }

    /// Ada, at GitHub where that is what tells her from the others.
    private func ada(_ evidence: Evidence) throws -> Account {
        switch evidence {
        case .environment, .address:
            let id = try #require(AccountID(homeAccountID: "4711", environment: "github.com"))
            return Account(id: id, username: "ada")
        case .committerDomain:
            var ada = try Account.contoso("ada")
            ada.username = "ada@fabrikam.example"
            return ada
        case .owner: return try .contoso("ada", label: "team")
        default: return try .contoso("ada")
        }
    }

    /// A keyring in which `evidence` leads to Ada, who is one of so many, and what is asked of it.
    private func request(_ evidence: Evidence, among count: Int) throws -> TokenRequest {
        let (keyring, folder, ada) = (home.keyring, home.folder.path, try ada(evidence))
        try keyring.addMany((1...count).map { try Account.contoso("person\($0)") })
        let scopes: ScopeSet = evidence == .scope ? ["mail.read", "mail.send"] : ["mail.read"]
        try keyring.store(.access(ada, scopes: scopes), "token of ada", for: ada)
        let url = ResourceURL(host: "git.example", path: ["contoso", "app"])
        var context = RequestContext()
        switch evidence {
        case .directory:
            try keyring.bindings.set(.directory("/srv/project"), to: .account(ada.id), in: .default)
            context.directory = "/srv/project/src"
        case .host:
            try keyring.bindings.set(.host("git.example"), to: .account(ada.id), in: .default)
            context.url = url
        case .remote:
            try keyring.bindings.set(.url(url), to: .account(ada.id), in: .default)
            (context.remote, context.directory) = (url, "/srv/other")
        case .tool:
            try keyring.bindings.set(.tool("gh"), to: .account(ada.id), in: .default)
            context.tool = "gh"
        case .projectFile:
            try FileManager.default.createDirectory(atPath: folder + "/project", withIntermediateDirectories: true)
            try home.folder.write("project/.keyfob.toml", [UInt8]("account = \"\(ada.username)\"".utf8))
            _ = try keyring.bindings.allow(folder + "/project/.keyfob.toml")
            context.directory = DirectoryContext(at: folder + "/project").directory
        case .preferred: try keyring.accounts.setDefault(ada.id, in: .default)
        case .committer: context.committer = MailAddress(ada.username)
        case .committerDomain: context.committer = MailAddress("eve@fabrikam.example")
        case .owner: context.url = ResourceURL(host: ada.id.environment, path: ["team", "app"])
        case .habit, .habitOrDefault, .committerOfMany, .stranger:
            context.directory = "/srv/project"
            if evidence == .committerOfMany { context.committer = MailAddress("eve@contoso.example") }
            if evidence == .stranger { context.committer = MailAddress("eve@fabrikam.example") }
            for hour in (1...30).reversed() {
                try home.opened(at: noon.advanced(by: Int64(hour) * -3_600)).accounts.remember(
                    ada.id, in: .default, for: TokenRequest(context: context), by: .person)
            }
            if evidence == .habitOrDefault {
                try keyring.accounts.setDefault(Account.contoso("person5").id, in: .default)
            }
        case .environment: return TokenRequest(environment: "github.com")
        case .address: context.url = ResourceURL(host: "api.github.com", path: ["user"])
        case .scope: return TokenRequest(scopes: ["mail.read", "mail.send"])
        case .name: return TokenRequest(account: ada.username, scopes: ["mail.read"])
        }
        return TokenRequest(scopes: ["mail.read"], context: context)
    }

    /// How many rows a process reads for Ada's token.
    private func rows(_ evidence: Evidence, among count: Int) throws -> Int {
        let request = try request(evidence, among: count)
        let keyring = try home.opened()
        let database = try #require(keyring.database as? VaultDatabase)
        let before = try database.reader.rowCount
        #expect(try keyring.tokenText(request) == "token of ada")
        #expect(keyring.takeWarnings().isEmpty)
        return try database.reader.rowCount - before
    }

    @Test(
        "an account that is hidden from an index, or gone, leaves nobody else chosen in its place",
        arguments: ["account_index = NULL", "record = zeroblob(16)", "kind = 9", nil])
    func hidden(change: String?) throws {
        let (keyring, ada) = (home.keyring, try ada(.environment))
        try keyring.addMany((1...5).map { try Account.contoso("person\($0)") })
        let id = try #require(AccountID(homeAccountID: "4712", environment: "github.com"))
        let eve = Account(id: id, username: "eve")
        for account in [ada, eve] { try keyring.store(.access(account), "token of \(account.username)", for: account) }
        let request = TokenRequest(environment: "github.com")
        #expect(try home.opened().refusal(request) == .ambiguous)
        // Of the two the one that was stored last.
        let last = "id = (SELECT max(id) FROM records WHERE kind = 1)"
        let words = change.map { "UPDATE records SET \($0) WHERE \(last)" } ?? "DELETE FROM records WHERE \(last)"
        try home.database().runUnnoticed(words)
        #expect(try home.opened().refusal(request) == .damaged)
    }

    @Test("what was learned is said of the same account when somebody who was used before is hidden, or is gone")
    func hiddenHabit() throws {
        let request = try request(.habit, among: 60)
        let eve = try Account.contoso("eve")
        try home.keyring.store(.access(eve), "token of eve", for: eve)
        try home.opened(at: noon.advanced(by: -200_000)).accounts.remember(
            eve.id, in: .default, for: TokenRequest(), by: .person)
        #expect(try home.opened().tokenText(request) == "token of ada")
        let last = "id = (SELECT max(id) FROM records WHERE kind = 1)"
        try home.database().runUnnoticed("UPDATE records SET account_index = NULL WHERE \(last)")
        #expect(try home.opened().refusal(request) == .damaged)
    }

    @Test("as much among 300 as among 10", arguments: Evidence.allCases)
    func flat(_ evidence: Evidence) throws {
        let few = try rows(evidence, among: evidence.few)
        let many = try FewAccountsCostTests().rows(evidence, among: 300)
        #expect(many == few)
    }
}

extension Keyring {
    /// Stores accounts in one change, each with an access token, a refresh token and an ID token.
    func addMany(
        _ accounts: [Account], in group: AccessGroup = .default, scopes: ScopeSet = ["mail.read"]
    ) throws(KeyringError) {
        try withState { state in
            let group = try state.group(group)
            try change(&state, group) { writer in
                for account in accounts {
                    _ = try writer.save(account)
                    _ = try writer.save(.access(account, scopes: scopes), secret: secret("token"))
                    _ = try writer.save(.refresh(account), secret: secret("refresh"))
                    let identity = Credential(
                        kind: .idToken, account: account.id, clientID: "mailer", realm: "contoso", cachedAt: noon)
                    _ = try writer.save(identity, secret: secret("identity"))
                }
            }
        }
    }
}
