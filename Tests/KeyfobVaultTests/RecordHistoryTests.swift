import KeyfobModel
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

@Suite("What a record keeps for merging")
struct RecordHistoryTests {
    private static func version(_ stamp: UInt64) -> WriteVersion {
        WriteVersion(stamp: Stamp(value: stamp), device: 0xFEDC_BA98_7654_3210)
    }

    private static var history: RecordHistory {
        var history = RecordHistory()
        history.fields = [.init("label", version(7)), .init("profile:contoso", version(9))]
        history.deletion = version(3)
        history.unknownFields = [.init(path: "account", name: "mood", json: "{}")]
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
        #expect(read.with(RecordHistory()) == body)
        #expect(read.with(Self.history).encoded() == encoded)
    }

    @Test("a body without it has none, as those have that were written before")
    func none() throws {
        #expect(try Self.body().history() == RecordHistory())
        #expect(try Self.body().with(RecordHistory()) == Self.body())
    }

    @Test("stays when a body is written again")
    func rewritten() throws {
        let before = try Self.body().with(Self.history)
        let account = try AccountBody.decode(before)
        #expect(try AccountBody.encode(account, replacing: before).history() == Self.history)
    }

    @Test("every truncation of it is refused or loses nothing that is named")
    func truncations() throws {
        let list = try #require(try Self.body().with(Self.history).lists(RecordHistory.number).first).encoded()
        for count in 0..<list.count {
            var body = try Self.body()
            body.append(RecordHistory.number, Array(list.prefix(count)))
            guard let history = try? body.history() else { continue }
            #expect(history != Self.history)
            #expect(Self.history.fields.starts(with: history.fields))
        }
    }

    @Test("a tombstone names its item, and a grant's keeps how far it had come")
    func tombstones() throws {
        let key = RecordKey(kind: "grant", parts: ["u.contoso@login.example", "mailer", "", "a:b"])
        let id = try #require(AccountID(homeAccountID: "u.contoso", environment: "login.example"))
        let grant = Credential(
            kind: .refreshToken, account: id, clientID: "mailer", grant: Grant(state: .signedOut, epoch: 4))
        let encoded = TombstoneBody.encode(.init(key: key, grant: grant, history: Self.history)).encoded()
        let content = try TombstoneBody.decode(try FieldList(encoded: encoded[...]))
        #expect(content.key == key && content.grant == grant && content.history == Self.history)
        #expect(try NamedValueBody.decode(FieldList(encoded: encoded[...])).first.hasPrefix("\u{0}"))
    }

    @Test("names of tombstones differ wherever their keys do")
    func names() {
        let keys = [["a", "b"], ["a:1:b"], ["ab", ""], ["", "ab"], ["a", "b", ""]].map {
            RecordKey(kind: "setting", parts: $0)
        }
        #expect(Set(keys.map(TombstoneBody.name(of:))).count == keys.count)
    }

    @Test("a tombstone whose name is another item's is damaged")
    func otherName() throws {
        let (one, other) = (RecordKey(kind: "setting", parts: ["a"]), RecordKey(kind: "setting", parts: ["b"]))
        var body = NamedValueBody.encode(TombstoneBody.name(of: other), "")
        let list = try #require(try TombstoneBody.encode(.init(key: one)).lists(RecordHistory.number).first)
        body.append(RecordHistory.number, list)
        #expect(throws: FieldList.Malformed.self) { try TombstoneBody.decode(body) }
    }
}
