import Foundation
import Keyfob
import KeyfobSecretService
import KeyfobTestSupport
import Testing

/// Looking up by a part of what tells tokens apart.
@Suite("Tokens that are alike, with the Secret Service")
struct ItemAttributeTests {
    /// Four look-alike accounts, in two groups, with two clients in two tenants.
    private struct Sample: Sendable {
        /// For tests that only look.
        static let shared = Result { try Sample() }

        let home: KeyringHome
        let groups: [AccessGroup]
        let accounts: [Account]
        let clients = ["mailer", "mailer2"]
        let realms = ["contoso", "fabrikam"]

        init() throws {
            home = try KeyringHome(in: SharedSession())
            groups = [.default, try AccessGroup("default2")]
            try home.keyring.groups.create(groups[1])
            var accounts = [try Account.contoso("ada"), try Account.contoso("ada2")]
            for (home, environment) in [("ada-uid.contoso", "login.example"), ("ada-uid.contoso2", "login.example")] {
                let id = try #require(AccountID(homeAccountID: home, environment: environment))
                accounts.append(Account(id: id, username: "ada@contoso.example"))
            }
            self.accounts = accounts
            for group in groups {
                for account in accounts {
                    for (client, realm) in [
                        ("mailer", "contoso"), ("mailer", "fabrikam"), ("mailer2", "contoso"), ("mailer2", "fabrikam"),
                    ] {
                        let token = "token \(group) \(account.id) \(client) \(realm)"
                        try home.keyring.store(
                            .access(account, client: client, realm: realm), token, for: account, in: [group])
                    }
                }
            }
        }
    }

    private let sample: Sample
    private var home: KeyringHome { sample.home }
    private var keyring: Keyring { sample.home.keyring }
    private var groups: [AccessGroup] { sample.groups }
    private var accounts: [Account] { sample.accounts }
    private var clients: [String] { sample.clients }
    private var realms: [String] { sample.realms }

    init() throws {
        let changes = ["lostAttribute", "falseAttribute"].contains { Test.current?.name.hasPrefix($0) == true }
        sample = try changes ? Sample() : Sample.shared.get()
    }

    /// All pairs.
    private func product<A, B>(_ first: [A], _ second: [B]) -> [(A, B)] {
        first.flatMap { one in second.map { (one, $0) } }
    }

    /// Expects that a token which comes fits every part of the request, is of the only account that does, and of the
    /// only client unless tokens are hidden.
    private func expectFitting(
        _ request: TokenRequest, _ group: AccessGroup?, _ keyring: Keyring, isWhole: Bool = true
    ) throws -> Bool {
        do throws(KeyringError) {
            let answer = try keyring.tokens.stored(for: request, in: group.map { [$0] })
            let (token, found) = (text(of: answer.secret), answer.found)
            let credential = found.credential
            #expect(
                token == "token \(found.group) \(credential.account) \(credential.clientID) \(credential.realm)",
                "what is said of a token is true")
            #expect(found.account.id == credential.account)
            if let group { #expect(found.group == group) }
            if let name = request.account {
                #expect(name == found.account.id.description || name == found.account.username)
                // By a name that several have, only with what tells them apart.
                let named = accounts.filter {
                    ($0.id.description == name || $0.username == name)
                        && (request.environment == nil || request.environment == $0.id.environment)
                }
                #expect(named.map(\.id) == [found.account.id])
            }
            if let client = request.clientID { #expect(client == credential.clientID) }
            if let realm = request.realm { #expect(realm == credential.realm) }
            if let environment = request.environment { #expect(environment == found.account.id.environment) }
            #expect(request.account != nil, "four accounts are alike: one that nobody named is nobody's choice")
            #expect(request.clientID != nil || !isWhole, "two clients are alike")
            return true
        } catch {
            let refusals: Set<KeyringError.Code> = [.ambiguous, .signInNeeded, .noSuchAccount]
            #expect(refusals.contains(error.code) || !isWhole && error.code == .damaged, "\(error)")
            return false
        }
    }

    /// A request with the parts that are in `parts`, bit by bit.
    private func request(_ parts: Int, _ account: Account, _ client: String, _ realm: String) -> TokenRequest {
        TokenRequest(
            account: parts & 1 == 0 ? nil : parts & 32 == 0 ? account.username : account.id.description,
            environment: parts & 2 == 0 ? nil : account.id.environment, realm: parts & 4 == 0 ? nil : realm,
            clientID: parts & 8 == 0 ? nil : client)
    }

    @Test("a request gives what it asks for, or nothing", arguments: 0..<64)
    func subsets(parts: Int) throws {
        var found = 0
        // Values of parts that are left out make no difference.
        let named = parts & 1 == 0 ? [accounts[0], accounts[2]] : accounts
        for (account, realm) in product(named, parts & 4 == 0 ? [realms[0]] : realms) {
            let request = request(parts, account, clients[0], realm)
            if try expectFitting(request, parts & 16 == 0 ? nil : groups[1], keyring) { found += 1 }
        }
        guard parts & 0b101101 == 0b101101 else { return }
        // Every account is in both groups: whoever names none of them gets nobody's token.
        #expect(found == (parts & 16 == 0 ? 0 : accounts.count * realms.count))
    }

    @Test(
        "an item that has lost an attribute is not found by it, and nothing is found in its place",
        arguments: ["group", "account", "client", "realm", "keyfob"])
    func lostAttribute(name: String) throws {
        let items = try home.items()
        let group = groups[1]
        let item = try items.record([
            "group": group.name, "xdg:schema": "io.keyfob.AccessToken", "account": accounts[0].id.canonical,
            "client": "mailer",
            "realm": "contoso",
        ])
        try items.change(item) { $0[name] = nil }
        let opened = try home.opened()
        // Everything that tells it, everything but one part, and nothing.
        for parts in [63, 63 ^ 1, 63 ^ 2, 63 ^ 4, 63 ^ 8, 63 ^ 16, 63 ^ 32, 0] {
            for account in accounts {
                let request = request(parts, account, clients[0], realms[0])
                _ = try expectFitting(request, parts & 16 == 0 ? nil : group, opened, isWhole: false)
            }
        }
        let exact = request(63, accounts[0], "mailer", "contoso")
        let isSearchedFor = ["account", "keyfob"].contains(name)
        #expect(keyring.refusal(exact, in: [group]) == (isSearchedFor ? .signInNeeded : nil))
    }

    @Test(
        "an item that has another's attributes is not taken for it",
        arguments: ["account", "client", "realm", "group"])
    func falseAttribute(name: String) throws {
        let items = try home.items()
        let own = [
            "group": "default", "xdg:schema": "io.keyfob.AccessToken", "account": accounts[0].id.canonical,
        ]
        let mine = try items.record(own.merging(["client": "mailer", "realm": "contoso"]) { $1 })
        let other = try items.record([
            "group": name == "group" ? "default2" : "default", "xdg:schema": "io.keyfob.AccessToken",
            "account": accounts[name == "account" ? 1 : 0].id.canonical,
            "client": name == "client" ? "mailer2" : "mailer", "realm": name == "realm" ? "fabrikam" : "contoso",
        ])
        // The other one now looks like mine, which is gone.
        let attributes = try items.attributes(mine)
        try items.service.delete(mine)
        try items.change(other) { theirs in
            let record = theirs["record"]
            theirs = attributes
            theirs["record"] = record
        }
        for account in accounts {
            for (client, realm) in product(clients, realms) {
                _ = try expectFitting(request(63, account, client, realm), .default, keyring, isWhole: false)
            }
        }
        let refusal = keyring.refusal(request(63, accounts[0], "mailer", "contoso"), in: [.default])
        #expect(refusal == .signInNeeded)
    }

    @Test("'secret-tool' lists the accounts of a vault under readable names, and no token is in what it shows")
    func secretTool() throws {
        let found = try secretTool(["search", "--all", "xdg:schema", "io.keyfob.Account", "keyfob", keyring.vaultID])
        let listed = try keyring.accounts.list(in: [.default]).map(\.account)
        #expect(values(of: "attribute.account", in: found) == Set(listed.map { $0.id.canonical }))
        let labels = ["Keyfob", "Keyfob default2"].flatMap { group in
            listed.map { "\(group): \($0.username) · account" }
        }
        #expect(values(of: "label", in: found) == Set(labels))
        #expect(values(of: "attribute.username", in: found) == Set(listed.map(\.username)))
        let everything = try secretTool(["search", "--all", "keyfob", keyring.vaultID])
        let shown = everything.split(separator: "\n").filter { !$0.hasPrefix("secret = ") }.joined(separator: "\n")
        let schemas: Set = ["io.keyfob.AccessToken", "io.keyfob.Account", "io.keyfob.Undo"]
        #expect(values(of: "schema", in: everything) == schemas)
        for (group, account) in product(groups, accounts) {
            let token = "token \(group) \(account.id) mailer contoso"
            let data = Data(token.utf8)
            let percent = token.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? token
            for form in [token, percent, String(data.base64EncodedString().prefix(24)), hexadecimal(data)] {
                #expect(!shown.contains(form))
            }
        }
        #expect(
            everything.contains("secret = token default \(accounts[0].id) mailer contoso\n"), "the tokens are there")
        #expect(values(of: "label", in: everything).contains("Keyfob: ada@contoso.example · contoso · mail.read"))
    }

    @Test("'secret-tool' prints a token that it is told the documented attributes of")
    func lookup() throws {
        let account = accounts[1]
        let attributes = [
            "xdg:schema", "io.keyfob.AccessToken", "username", account.username, "group", "default2", "client",
            "mailer2", "realm", "fabrikam", "keyfob", keyring.vaultID,
        ]
        #expect(try secretTool(["lookup"] + attributes) == "token default2 \(account.id) mailer2 fabrikam")
    }

    /// What follows `name = ` in the lines that begin so.
    private func values(of name: String, in text: String) -> Set<String> {
        let start = "\(name) = "
        return Set(text.split(separator: "\n").filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) })
    }

    /// What the program writes, attributes and errors too.
    private func secretTool(_ arguments: [String]) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/secret-tool")
        process.arguments = arguments
        process.environment = try #require(home.session).environment.merging(["LC_ALL": "C.UTF-8"]) { $1 }
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
