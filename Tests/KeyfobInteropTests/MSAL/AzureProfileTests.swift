import KeyfobInterop
import KeyfobModel
import Testing

@Suite("Azure CLI's profile")
struct AzureProfileTests {
    static func account(_ number: Int, _ username: String, label: String? = nil) throws -> Account {
        Account(
            id: try #require(AccountID(homeAccountID: "u\(number).t", environment: "e")), username: username,
            label: label)
    }

    static func labels(_ subscriptions: [(String, String, Bool)], _ accounts: [Account]) -> [String?] {
        let profile = AzureProfile(
            subscriptions: subscriptions.map {
                .init(name: $0.0, tenantID: "t", username: $0.1, isDefault: $0.2)
            })
        let labels = profile.labels(for: accounts)
        return accounts.map { labels[$0.id] }
    }

    @Test("the file is read, with its byte order mark and without what is not a person's")
    func reading() throws {
        let text = #"""
            {"installationId":"x","subscriptions":[
             {"id":"1","name":"Production \u00e9","tenantId":"t1","isDefault":true,
              "user":{"name":"ann@x.example","type":"user"}},
             {"id":"2","name":"Robot","tenantId":"t1","isDefault":false,
              "user":{"name":"0000","type":"servicePrincipal"}},
             {"id":"3","tenantId":"t1","user":{"name":"bob@x.example","type":"user"}}, 5, null]}
            """#
        let bytes = [0xEF, 0xBB, 0xBF] + Array(text.utf8)
        let profile = try AzureProfile(reading: RawSpan(_elements: bytes.span))
        #expect(
            profile.subscriptions == [
                .init(name: "Production é", tenantID: "t1", username: "ann@x.example", isDefault: true)
            ])
    }

    @Test("the default subscription gives the label, or the only one")
    func proposals() throws {
        let accounts = [try Self.account(1, "Ann@x"), try Self.account(2, "bob@x"), try Self.account(3, "cy@x")]
        let subscriptions = [
            ("Ann 1", "ann@x", false), ("Ann 2", "ann@x", true), ("Bob 1", "bob@x", false), ("Cy 1", "cy@x", false),
            ("Cy 2", "cy@x", false),
        ]
        #expect(Self.labels(subscriptions, accounts) == ["Ann 2", "Bob 1", nil])
    }

    @Test("no label that could mean two accounts, and none where there is one")
    func restraint() throws {
        let labelled = [try Self.account(1, "ann@x", label: "mine"), try Self.account(2, "bob@x")]
        #expect(Self.labels([("A", "ann@x", true), ("MINE", "bob@x", false)], labelled) == [nil, nil])
        let sameName = [try Self.account(1, "ann@x"), try Self.account(2, "ANN@x")]
        #expect(Self.labels([("A", "ann@x", true)], sameName) == [nil, nil])
        let others = [try Self.account(1, "ann@x"), try Self.account(2, "bob@x"), try Self.account(3, "")]
        #expect(Self.labels([("S", "ann@x", true), ("s", "bob@x", false)], others) == [nil, nil, nil])
        #expect(Self.labels([("bob@x", "ann@x", true), ("N", "", false)], others) == [nil, nil, nil])
        #expect(Self.labels([("a\nb", "ann@x", true)], others) == [nil, nil, nil])
    }
}
