import KeyfobModel
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

@Suite("The blind index")
struct BlindIndexTests {
    private let keys: GroupKeys
    private let id: AccountID

    init() throws {
        keys = try .sample()
        id = try #require(AccountID(homeAccountID: "uid.utid", environment: "login.microsoftonline.com"))
    }

    @Test("the same account is found under every spelling and alias")
    func accounts() throws {
        let alias = try #require(AccountID(homeAccountID: "UID.utid", environment: "Login.Windows.Net"))
        #expect(keys.blind(alias) == keys.blind(id))
        let other = try #require(AccountID(homeAccountID: "uid2.utid", environment: "login.microsoftonline.com"))
        #expect(keys.blind(other) != keys.blind(id))
    }

    @Test("user names and realms compare without regard to ASCII case")
    func folding() {
        #expect(keys.blind(username: "Ada@Contoso.example") == keys.blind(username: "ada@contoso.EXAMPLE"))
        #expect(
            keys.blind(id, .accessToken, clientID: "c", realm: "Contoso")
                == keys.blind(id, .accessToken, clientID: "c", realm: "contoso"))
        #expect(
            keys.blind(id, .accessToken, clientID: "C", realm: "contoso")
                != keys.blind(id, .accessToken, clientID: "c", realm: "contoso"))
    }

    @Test("equal text in two fields, or in two groups, looks different")
    func separation() throws {
        let text = "ada"
        let values = [
            keys.blind(username: text), keys.blind(label: text), keys.blind(setting: text),
            keys.blind(clientID: text, environment: text),
            try GroupKeys.sample(2).blind(username: text),
            try GroupKeys.sample(1, group: 1).blind(username: text + " "),
        ]
        #expect(Set(values).count == values.count)
    }

    @Test("what belongs to one part cannot slide into the next")
    func boundaries() {
        #expect(
            keys.blind(id, .idToken, clientID: "ab", realm: "c") != keys.blind(id, .idToken, clientID: "a", realm: "bc")
        )
        #expect(keys.blind(clientID: "ab", environment: "c") != keys.blind(clientID: "a", environment: "bc"))
    }

    @Test("every kind of credential has a place of its own")
    func kinds() {
        let values = Credential.Kind.allCases.map { keys.blind(id, $0, clientID: "c", realm: "r") }
        #expect(Set(values).count == values.count)
    }
}
