import KeyfobModel
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

@Suite("What a record keeps for merging")
struct RecordHistoryTests {
    private static func version(_ stamp: UInt64) -> ItemVersion {
        ItemVersion(stamp: Stamp(value: stamp), device: 0xFEDC_BA98_7654_3210)
    }

    private static var history: ItemHistory {
        var history = ItemHistory(
            fieldVersions: [.label: version(7), .profile(realm: "contoso"): version(9)], deletion: version(3))
        history.unknownFields.objects["account"] = AdditionalFields([
            .init(name: "mood", json: "{}"), .init(name: "a", json: "1"),
        ])
        history.unknownFields.objects[""] = AdditionalFields([.init(name: "b", json: "[]")])
        history.isRestored = true
        return history
    }

    private static func body() throws -> FieldList {
        let id = try #require(AccountID(homeAccountID: "u.contoso", environment: "login.example"))
        return AccountBody.encode(Account(id: id, username: "ada", label: "boss"))
    }

    @Test("is there again after the body is encoded, and changes nothing else of it")
    func roundTrip() throws {
        let body = try Self.body()
        let encoded = body.with(Self.history).encoded()
        let read = try FieldList(encoded: encoded[...])
        #expect(try read.history() == Self.history)
        #expect(try AccountBody.decode(read) == AccountBody.decode(body))
        #expect(read.with(ItemHistory()) == body)
        #expect(read.with(Self.history).encoded() == encoded)
    }

    @Test("a body without it has none, as those have that have nothing to tell")
    func none() throws {
        #expect(try Self.body().history() == ItemHistory())
        #expect(try Self.body().with(ItemHistory()) == Self.body())
    }

    @Test("stays when a body is written again")
    func rewritten() throws {
        let before = try Self.body().with(Self.history)
        let account = try AccountBody.decode(before)
        #expect(try AccountBody.encode(account, replacing: before).history() == Self.history)
    }

    @Test("every truncation of it is refused or loses nothing that is named")
    func truncations() throws {
        let list = try #require(try Self.body().with(Self.history).lists(0xFF00).first).encoded()
        for count in 0..<list.count {
            var body = try Self.body()
            body.append(0xFF00, Array(list.prefix(count)))
            guard let history = try? body.history() else { continue }
            #expect(history != Self.history)
            #expect(history.fieldVersions.allSatisfy { Self.history.fieldVersions[$0.key] == $0.value })
        }
    }
}
