import KeyfobModel
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

@Suite("Tombstones")
struct TombstoneTests {
    private func again(_ content: ItemContent) throws -> ItemContent {
        let (kind, body) = ItemBody.encode(content)
        #expect(kind == .tombstone)
        let encoded = body.encoded()
        return try ItemBody.decode(try FieldList(encoded: encoded[...]), kind)
    }

    @Test("one names its item, whatever kind that is of", arguments: ItemKind.allCases)
    func items(kind: ItemKind) throws {
        let parts = (0..<ItemKey.partCount(of: kind)).map { "part \($0): é" }
        let content = ItemContent.tombstone(ItemKey(kind, parts))
        #expect(try again(content) == content)
    }

    @Test("a grant's keeps how far it had come")
    func grants() throws {
        let id = try #require(AccountID(homeAccountID: "u.contoso", environment: "login.example"))
        let grant = Credential(
            kind: .refreshToken, account: id, clientID: "mailer", grant: Grant(state: .signedOut, epoch: 4))
        let encoded = TombstoneBody.encode(.credential(grant)).encoded()
        let content = try ItemBody.decode(try FieldList(encoded: encoded[...]), .tombstone)
        #expect(content == .credential(grant))
        #expect(content.key == ItemKey(grant))
    }

    @Test("a setting that was told to be forgotten is one")
    func forgotten() throws {
        #expect(try again(.setting(name: "a", value: nil)) == .tombstone(.setting("a")))
    }

    @Test("one of a kind that is not known is refused by its name, and never taken for a setting")
    func unknownKind() throws {
        var body = FieldList()
        body.append(1, "decision")
        body.append(2, "a")
        let error = failure(of: FieldList.Malformed.self) { _ = try TombstoneBody.decode(body) }
        #expect(error?.unknownKind == "decision")
    }

    @Test("one without a key, or with another number of parts, is damaged", arguments: [[], ["a", "b"]])
    func parts(parts: [String]) {
        var body = FieldList()
        #expect(throws: FieldList.Malformed.self) { try TombstoneBody.decode(body) }
        body.append(1, ItemKind.setting.rawValue)
        for part in parts { body.append(2, part) }
        #expect(throws: FieldList.Malformed.self) { try TombstoneBody.decode(body) }
    }
}
