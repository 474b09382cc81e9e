import KeyfobModel
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

@Suite("Which command added a record")
struct RecordOriginTests {
    private func origin(_ command: String) throws -> RecordOrigin {
        let id = try #require(JournalID([UInt8](0x70..<0x80)))
        let entry = JournalEntry(id: id, command: command, time: Timestamp(seconds: 1_795_000_000))
        return RecordOrigin(entry, milliseconds: 1_795_000_000_123)
    }

    private func again(_ body: FieldList) throws -> FieldList { try FieldList(encoded: body.encoded()[...]) }

    @Test(
        "it survives, takes the place of another, stays when the record changes, and says nothing to who reads the item"
    )
    func survives() throws {
        var body = NamedValueBody.encode("a", "b")
        #expect(body.origin() == nil)
        body.setOrigin(try origin("add").encoded)
        body.setOrigin(try origin("account move").encoded)
        let read = try again(body)
        #expect(try read.origin() == origin("account move"))
        #expect(try again(NamedValueBody.encode("a", "c", replacing: read)).origin() == read.origin())
        #expect(try ItemBody.decode(read, .setting) == .setting(name: "a", value: "b"))
        #expect(read.with(ItemHistory()).origin() == read.origin())
    }

    @Test("one that is cut off, or is no text, says nothing, and damages nothing", arguments: 0..<24)
    func cut(count: Int) throws {
        var body = NamedValueBody.encode("a", "b")
        body.setOrigin(Array(try origin("").encoded.prefix(count)))
        #expect(try again(body).origin() == nil)
        body.setOrigin(try origin("").encoded + [0xFF])
        #expect(try again(body).origin() == nil)
    }
}
