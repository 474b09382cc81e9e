import KeyfobModel
import Testing

@Suite("What names an item")
struct ItemKeyTests {
    @Test("texts that Unicode calls equivalent are two keys, and two fields")
    func equivalents() {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        #expect(ItemKey.setting(composed) != .setting(decomposed))
        #expect(Set([ItemKey.setting(composed), .setting(decomposed)]).count == 2)
        #expect(Set([FieldName(composed), FieldName(decomposed)]).count == 2)
    }

    @Test("the same parts of another kind, or parted elsewhere, are another key")
    func parts() {
        let keys: Set<ItemKey> = [
            .foreign(section: "a", key: "b"), .foreign(section: "ab", key: ""), ItemKey(.clientSecret, ["a", "b"]),
            .foreign(section: "a", key: "b"),
        ]
        #expect(keys.count == 3)
    }

    @Test("a record's key is that of what it holds now")
    func ofRecord() {
        let version = ItemVersion(stamp: Stamp(value: 1), device: 1)
        var record = ItemRecord(group: .default, content: .setting(name: "a", value: "x"), version: version)
        #expect(record.key == .setting("a"))
        record.content = .tombstone(.setting("b"))
        #expect(record.key == .setting("b"))
        #expect(record.place == ItemPlace(.default, .setting("b")))
    }
}
