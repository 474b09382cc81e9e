import KeyfobModel
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

@Suite("Which command added a record")
struct RecordOriginTests {
    private func origin(_ command: String) throws -> RecordOrigin {
        let id = try #require(JournalID([UInt8](0x70..<0x80)))
        let entry = JournalEntry(id: id, command: command, time: Timestamp(seconds: 1_794_999_990))
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

    @Test("one that is cut off, or is no text, says nothing, and damages nothing", arguments: 0..<32)
    func cut(count: Int) throws {
        var body = NamedValueBody.encode("a", "b")
        body.setOrigin(Array(try origin("").encoded.prefix(count)))
        #expect(try again(body).origin() == nil)
        body.setOrigin(try origin("").encoded + [0xFF])
        #expect(try again(body).origin() == nil)
    }

    @Test("a command's name of more than 64 bytes says nothing, in an origin as in the journal")
    func long() throws {
        var body = NamedValueBody.encode("a", "b")
        for (count, isTaken) in [(JournalEntry.commandLimit, true), (JournalEntry.commandLimit + 1, false)] {
            let origin = try origin(String(repeating: "x", count: count))
            body.setOrigin(origin.encoded)
            #expect(try (again(body).origin() == origin) == isTaken)
            let item = try JournalItem(
                origin.entry, .setting, former: JournalItem.Former(body: body, flags: 0, secretCount: 0), left: nil)
            let decoded = try? JournalBody.decode(again(JournalBody.encode(item)))
            #expect((decoded?.entry == origin.entry) == isTaken)
        }
        let name = JournalEntry.fitting(String(repeating: "ä", count: 40))
        #expect(name == String(repeating: "ä", count: 32))
    }

    @Test("all that an entry says is in what people name it by")
    func key() throws {
        let (one, other) = (try origin("add").entry, try #require(JournalID([UInt8](0x10..<0x20))))
        let alike = [
            JournalEntry(id: one.id, command: "login", time: one.time),
            JournalEntry(id: one.id, command: one.command, time: one.time.advanced(by: 1)),
            JournalEntry(id: other, command: one.command, time: one.time),
        ]
        #expect(Set((alike + [one, one]).map(\.key)).count == 4)
        #expect(one.key.description == "11f8e547d81144e8b7a12451754391f3")
    }
}
