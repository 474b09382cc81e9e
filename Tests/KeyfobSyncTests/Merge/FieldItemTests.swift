import KeyfobModel
import KeyfobSync
import Testing

@Suite("An item of several fields")
struct FieldItemTests {
    private func register(_ text: String?, _ time: Int64, device: UInt64 = 1) -> Register {
        Register(text.map(FieldValue.text), Sample.version(time, device: device))
    }

    @Test("each field goes to who wrote it last")
    func fields() {
        let one = FieldItem(fields: [.username: register("old", 1), .label: register("Mine", 5)])
        let two = FieldItem(fields: [.username: register("new", 2), .label: register("Yours", 4)])
        let joined = one.joined(with: two)
        #expect(joined.text(.username) == "new")
        #expect(joined.text(.label) == "Mine")
        #expect(joined == two.joined(with: one))
    }

    @Test("of one stamp, the greater device wins")
    func device() {
        let one = register("one", 1, device: 1)
        let two = register("two", 1, device: 2)
        #expect(one.joined(with: two) == two)
        #expect(two.joined(with: one) == two)
    }

    @Test("a label that was taken away stays away")
    func removed() {
        let one = FieldItem(fields: [.label: register("Mine", 1)])
        let two = FieldItem(fields: [.label: register(nil, 2)])
        #expect(one.joined(with: two)[.label] == nil)
        #expect(one.joined(with: two).fields[.label] == register(nil, 2))
    }

    @Test("the later of a change and a deletion wins", arguments: [(2, 3, true), (3, 3, true), (4, 3, false)])
    func deletion(change: Int64, deletion: Int64, isDeleted: Bool) {
        let changed = FieldItem(fields: [.username: register("ada", change)])
        let deleted = FieldItem(deletion: Sample.version(deletion))
        #expect(changed.joined(with: deleted).isDeleted == isDeleted)
        #expect(deleted.joined(with: changed) == changed.joined(with: deleted))
    }

    @Test("what is older than the deletion does not come back with what is newer")
    func comesBack() {
        let item = FieldItem(fields: [.displayName: register("Ada", 1), .username: register("ada", 5)])
        let joined = item.joined(with: FieldItem(deletion: Sample.version(3)))
        #expect(joined.text(.username) == "ada" && !joined.isDeleted)
        #expect(joined[.displayName] == nil)
        #expect(joined.joined(with: FieldItem(fields: [.displayName: register("late", 2)]))[.displayName] == nil)
    }

    @Test("a later label brings no account back, and is there when a sign-in does")
    func label() {
        let named = FieldItem(fields: [.username: register("ada", 1), .label: register("Mine", 5)])
        let removed = named.joined(with: FieldItem(deletion: Sample.version(3)))
        #expect(removed.isDeleted)
        let signedIn = removed.joined(with: FieldItem(fields: [.username: register("ada", 4)]))
        #expect(!signedIn.isDeleted && signedIn.text(.label) == "Mine")
    }
}
