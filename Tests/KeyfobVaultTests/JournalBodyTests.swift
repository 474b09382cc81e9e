import KeyfobModel
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

@Suite("The body of an undo journal's record")
struct JournalBodyTests {
    private func entry(_ command: String = "account remove") throws -> JournalEntry {
        let id = try #require(JournalID([UInt8](0x70..<0x80)))
        return JournalEntry(id: id, command: command, time: noon)
    }

    private func former(_ name: String = "n", _ value: String = "v", _ keys: GroupKeys? = nil) throws -> JournalItem {
        var body = SettingBody.encode(name, value)
        if let keys { body = SettingBody.signed(body, .setting(name: name, value: value), keys) }
        body.append(60_000, [1, 2, 3])
        return try JournalItem(
            entry(), .setting, former: JournalItem.Former(body: body, flags: 4, secretCount: 7),
            left: ItemVersion(stamp: Stamp(value: 9), device: 3))
    }

    private func again(_ item: JournalItem) throws -> JournalItem {
        try JournalBody.decode(try FieldList(encoded: JournalBody.encode(item).encoded()[...]))
    }

    @Test("an item that went survives, with its flags, what is not known of it, and what was left")
    func gone() throws {
        let item = try former()
        let read = try again(item)
        #expect(read.entry == item.entry && read.kind == .setting && read.left == item.left && read.added == nil)
        #expect(read.former?.body == item.former?.body && read.former?.flags == 4 && read.former?.secretCount == 7)
        #expect(read.content == .setting(name: "n", value: "v"))
    }

    @Test("an item that was added survives")
    func added() throws {
        let version = ItemVersion(stamp: Stamp(value: 1), device: 2)
        let read = try again(
            try JournalItem(entry("logout"), .setting, added: SettingBody.encode("a", "b"), left: version))
        #expect(read.former == nil && read.left == version && read.content == .setting(name: "a", value: "b"))
    }

    @Test("a body that is cut off is refused, or says less; nothing is made up")
    func truncated() throws {
        let bytes = JournalBody.encode(try former()).encoded()
        for count in 0..<bytes.count {
            guard let list = try? FieldList(encoded: bytes[..<count]), let item = try? JournalBody.decode(list) else {
                continue
            }
            #expect(item.content == .setting(name: "n", value: "v"))
        }
    }

    @Test("a tombstone and another journal's record are no items", arguments: [RecordHeader.Kind.tombstone, .journal])
    func kinds(kind: RecordHeader.Kind) throws {
        var list = JournalBody.encode(try former()).without(4)
        list.append(4, kind.rawValue)
        let read = try? JournalBody.decode(try FieldList(encoded: list.encoded()[...]))
        #expect(read == nil)
    }

    @Test("under new keys the owner's decision stays the owner's, and another does not become it")
    func carried() throws {
        let (vault, group) = (VaultID.random(), GroupID.random())
        func keys(_ number: UInt8) -> GroupKeys {
            GroupKeys(
                vault: vault, group: group, epoch: UInt32(number), groupKey: keyFile(number),
                owner: VaultKeys(vaultKey: keyFile(number + 10)))
        }
        let (old, new) = (keys(1), keys(2))
        for (item, writer) in [(try former("n", "v", old), DecisionWriter.owner), (try former(), .group)] {
            let body = JournalBody.carried(JournalBody.encode(item), from: old, to: new)
            let read = try JournalBody.decode(try FieldList(encoded: body.encoded()[...]))
            let found = try SettingBody.decode(try #require(read.former).body, new)
            #expect(found.writer == writer && found.value == "v")
            #expect(read.former?.body.bytes(60_000).map(Array.init) == [1, 2, 3])
        }
    }
}
