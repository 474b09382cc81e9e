import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

@Suite("Hosts that a keyring's tokens go to", .eachStorageInFullRun)
struct KeyringHostTests {
    private let home: KeyringHome
    private let ada: Account

    init() throws {
        home = try KeyringHome()
        ada = try .contoso("ada")
    }

    private func request(_ url: String, account: String? = nil, allowing host: String? = nil) throws -> TokenRequest {
        let address = try ResourceURL(parsing: url)
        return TokenRequest(account: account, context: RequestContext(url: address), allowedHost: host)
    }

    @Test("of tokens for several services, the address says which, as after an import", arguments: [nil, "ada"])
    func audiences(account: String?) throws {
        let tokens: [(ScopeSet, String)] = [
            (["openid", "profile", "User.Read"], "graph"),
            (["https://management.core.windows.net//user_impersonation"], "management"),
            (["https://vault.azure.net/.default"], "vault"),
            (["499b84ac-1321-427f-aa17-267ca6975798/.default"], "dev"),
        ]
        for (scopes, text) in tokens { try home.keyring.store(.access(ada, scopes: scopes), text, for: ada) }
        for (url, text) in [
            ("https://graph.microsoft.com/v1.0/me", "graph"),
            ("https://management.azure.com/subscriptions", "management"),
            ("https://contoso.vault.azure.net/secrets", "vault"), ("https://dev.azure.com/contoso", "dev"),
        ] {
            #expect(try home.keyring.tokenText(request(url, account: account)) == text)
        }
        #expect(home.keyring.refusal(try request("https://contoso.blob.core.windows.net/x", account: "ada")) != nil)
        #expect(home.keyring.refusal(TokenRequest(account: account)) == .ambiguous)
    }

    @Test("the only token goes nowhere else, by whatever name the account is asked for")
    func foreign() throws {
        try home.keyring.store(.access(ada), "token of ada", for: ada)
        for account in [nil, "ada", ada.username, ada.id.description] {
            #expect(home.keyring.refusal(try request("https://evil.example/me", account: account)) == .hostNotAllowed)
        }
        let allowed = try request("https://evil.example/me", account: ada.username, allowing: "evil.example")
        #expect(try home.keyring.tokenText(allowed) == "token of ada")
        #expect(home.keyring.refusal(try request("https://evil.example/me", account: ada.username)) == .hostNotAllowed)
    }

    @Test("the hosts of an added provider count for the accounts of its group")
    func described() throws {
        let id = try #require(AccountID(homeAccountID: "eve", environment: "git.example"))
        let eve = Account(id: id, username: "eve")
        let work = try AccessGroup("work")
        try home.keyring.groups.create(work)
        try home.keyring.store(.access(eve, realm: ""), "token of eve", for: eve)
        try home.keyring.store(.access(eve, realm: ""), "eve at work", for: eve, in: [work])
        let url = "https://api.git.example/user"
        #expect(home.keyring.refusal(try request(url)) == .hostNotAllowed)
        let new = NewProvider(issuer: "https://git.example", name: "git", apiHosts: ["api.git.example"])
        try home.keyring.providers.add(new, in: [.default])
        #expect(try home.keyring.tokenText(request(url), in: [.default]) == "token of eve")
        #expect(home.keyring.refusal(try request(url), in: [work]) == .hostNotAllowed)
        #expect(try home.keyring.tokenText(request("https://git.example/user"), in: [work]) == "eve at work")
    }

    @Test("a token is sent only to the host that it was asked for")
    func sending() async throws {
        try home.keyring.store(.access(ada, scopes: ["User.Read"]), "token of ada", for: ada)
        let network = ScriptedNetwork()
        func refusal(_ answer: borrowing Keyring.TokenAnswer, _ url: String) async -> KeyringError.Code? {
            do {
                _ = try await Keyring.Tokens.send(APIRequest(.get, url), with: answer, network: network.network)
                return nil
            } catch {
                return error.code
            }
        }
        let unasked = try home.keyring.tokens.stored(for: TokenRequest(account: "ada"))
        #expect(unasked.found.destination == nil)
        #expect(await refusal(unasked, "https://graph.microsoft.com/v1.0/me") == .hostNotAllowed)
        let asked = try home.keyring.tokens.stored(for: request("https://graph.microsoft.com/v1.0/me"))
        #expect(asked.found.destination?.host == "graph.microsoft.com")
        for url in ["https://evil.example/me", "https://graph.microsoft.com:8443/me", "https://management.azure.com"] {
            #expect(await refusal(asked, url) == .hostNotAllowed, "\(url)")
        }
        #expect(network.requests.isEmpty)
        #expect(await refusal(asked, "https://graph.microsoft.com:443/v1.0/me") != .hostNotAllowed)
        #expect(network.requests.count == 1)
    }
}
