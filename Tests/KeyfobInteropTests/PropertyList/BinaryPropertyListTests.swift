import KeyfobInterop
import KeyfobSodium
import Testing

@Suite("Binary property lists")
struct BinaryPropertyListTests {
    static let sample = PropertyListBytes.list(
        .dictionary([
            ("text", .ascii("plain")), ("wide", .utf16("Zoë 🔑")), ("real", .real(2.5)), ("date", .date(-1)),
            ("data", .data([1, 2, 3])), ("uid", .uid(258)), ("yes", .bool(true)), ("no", .bool(false)),
            ("number", .integer(7)), ("nothing", .null), ("set", .set([.ascii("one")])),
            ("array", .array((0..<20).map { .integer($0) })), ("long", .ascii(String(repeating: "x", count: 300))),
            ("deep", .array([.dictionary([("inner", .array([]))])])),
        ]))

    private static func error(
        _ bytes: [UInt8], limits: PropertyListLimits = PropertyListLimits()
    ) -> PropertyListError? {
        do {
            _ = try bytes.withBytes { (bytes) throws(PropertyListError) in
                try BinaryPropertyList(reading: bytes, limits: limits)
            }
            return nil
        } catch {
            return error
        }
    }

    /// Reads a list and asks for everything in it.
    static func walk(_ bytes: [UInt8]) -> Int? {
        try? bytes.withBytes { bytes in
            let list = try BinaryPropertyList(reading: bytes)
            var count = 0
            func visit(_ object: BinaryPropertyList.Object) {
                count += 1
                _ = (list.string(of: object, in: bytes), list.uid(of: object, in: bytes))
                _ = (list.real(of: object, in: bytes), list.range(of: object))
                for index in 0..<list.count(of: object) {
                    if list.kind(of: object) == .dictionary {
                        let pair = list.pair(index, of: object, in: bytes)
                        visit(pair.key)
                        visit(pair.value)
                    } else {
                        visit(list.element(index, of: object, in: bytes))
                    }
                }
            }
            visit(list.root)
            return count
        }
    }

    /// What `body` finds out about one member of the sample.
    private static func member<Result>(
        _ name: String, _ body: (BinaryPropertyList, BinaryPropertyList.Object, RawSpan) -> Result?
    ) throws -> Result? {
        try sample.withBytes { bytes in
            let list = try BinaryPropertyList(reading: bytes)
            return list.members(of: list.root, in: bytes)?[name].flatMap { body(list, $0, bytes) }
        }
    }

    @Test(
        "texts are read",
        arguments: [
            ("text", 4_096, "plain"), ("wide", 4_096, "Zoë 🔑"), ("long", 300, String(repeating: "x", count: 300)),
            ("long", 299, nil), ("real", 4_096, nil),
        ])
    func texts(name: String, limit: Int, text: String?) throws {
        #expect(try Self.member(name) { $0.string(of: $1, in: $2, limit: limit) } == text)
    }

    @Test(
        "every kind of value is told from the others",
        arguments: [
            ("text", .ascii), ("wide", .utf16), ("real", .real), ("date", .date), ("data", .data), ("uid", .uid),
            ("yes", .true), ("no", .false), ("number", .integer), ("nothing", .null), ("set", .set), ("array", .array),
        ] as [(String, BinaryPropertyList.Kind)])
    func kinds(name: String, kind: BinaryPropertyList.Kind) throws {
        #expect(try Self.member(name) { list, object, _ in list.kind(of: object) } == kind)
    }

    @Test("numbers and counts are read")
    func numbers() throws {
        #expect(try Self.member("real") { $0.real(of: $1, in: $2) } == 2.5)
        #expect(try Self.member("date") { $0.real(of: $1, in: $2) } == -1)
        #expect(try Self.member("text") { $0.real(of: $1, in: $2) } == nil)
        #expect(try Self.member("uid") { $0.uid(of: $1, in: $2) } == 258)
        #expect(try Self.member("number") { $0.uid(of: $1, in: $2) } == nil)
        #expect(try Self.member("data") { list, object, _ in list.range(of: object)?.count } == 3)
        #expect(try Self.member("array") { list, object, _ in list.count(of: object) } == 20)
        #expect(try Self.member("set") { list, object, _ in list.count(of: object) } == 1)
        #expect(Self.walk(Self.sample) == 53)
    }

    @Test("a list in the middle of other bytes is read like one that stands alone")
    func part() throws {
        let bytes: [UInt8] = [9, 9, 9] + Self.sample + [9]
        let text = try bytes.withBytes { bytes in
            let list = try BinaryPropertyList(reading: bytes, in: 3..<3 + Self.sample.count)
            return list.members(of: list.root, in: bytes)?["text"].flatMap { list.string(of: $0, in: bytes) }
        }
        #expect(text == "plain")
    }

    @Test("every truncation is refused")
    func truncations() {
        for count in 0..<Self.sample.count { #expect(Self.error(Array(Self.sample[..<count])) != nil, "\(count)") }
    }

    @Test("any bit changed gives an answer, never a trap")
    func changedBits() {
        var refused = 0
        for index in Self.sample.indices {
            for bit in 0..<8 {
                var changed = Self.sample
                changed[index] ^= 1 << UInt8(bit)
                if Self.walk(changed) == nil { refused += 1 }
            }
        }
        #expect(refused > Self.sample.count)
    }

    @Test(
        "a trailer that makes no sense is refused",
        arguments: [
            (6, [0]), (6, [9]), (7, [0]), (7, [9]), (8, [UInt8](repeating: 0, count: 8)),
            (8, [0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]), (8, [UInt8](repeating: 0xFF, count: 8)),
            (16, [UInt8](repeating: 0xFF, count: 8)), (24, [UInt8](repeating: 0xFF, count: 8)),
            (24, [UInt8](repeating: 0, count: 8)),
        ] as [(Int, [UInt8])])
    func trailer(place: Int, bytes: [UInt8]) {
        var changed = Self.sample
        let start = changed.count - 32 + place
        changed.replaceSubrange(start..<start + bytes.count, with: bytes)
        let error = Self.error(changed)
        #expect(error == .malformed(.trailer) || error == .tooManyObjects(limit: 4 << 20))
    }

    @Test("offsets into the head, the table and beyond are refused", arguments: [0, 7, 9, 50, 0xFFFF_FFFF])
    func offsets(offset: UInt64) {
        var changed = PropertyListBytes.list(.null)
        let table = changed.count - 36
        changed.replaceSubrange(table..<table + 4, with: PropertyListBytes.number(offset, 4))
        #expect(Self.error(changed) == .malformed(.offset))
    }

    @Test(
        "heads that ask for more than there is are refused",
        arguments: [
            [0x4E], [0x5E], [0x6E], [0xAE], [0xDE], [0x4F], [0x4F, 0x13], [0x4F, 0x14], [0x4F, 0x20, 1],
            [0x5F, 0x13] + [UInt8](repeating: 0xFF, count: 8), [0xAF, 0x13, 0x7F] + [UInt8](repeating: 0xFF, count: 7),
            [0x6F, 0x13, 0x80, 0, 0, 0, 0, 0, 0, 0], [0xDF, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0], [0x13, 1], [0x33], [0x88],
            [0x25], [0x15], [0x01], [0x0F], [0x70], [0xB0], [0xE0], [0xF0],
        ] as [[UInt8]])
    func hostileHeads(head: [UInt8]) {
        var writer = PropertyListBytes()
        let root = writer.add(raw: head)
        let error = Self.error(writer.bytes(root: root))
        #expect(error == .malformed(.length) || error == .malformed(.kind))
    }

    @Test("objects that share bytes are refused, since they could multiply the work")
    func overlap() {
        var writer = PropertyListBytes()
        writer.offsetWidth = 1
        let root = writer.add(.array([.null, .null]))
        var bytes = writer.bytes(root: root)
        let table = bytes.count - 35
        bytes[table + 1] = bytes[table]
        #expect(Self.error(bytes) == .malformed(.overlap))
    }

    @Test("references to nothing, keys that are no text and circles are refused")
    func references() {
        #expect(Self.error(Self.list([[0xA1, 0, 1]])) == .malformed(.reference))
        #expect(Self.error(Self.list([[0xD1, 0, 1, 0, 1], [0x00]])) == .malformed(.key))
        #expect(Self.error(Self.list([[0xA1, 0, 0], [0x00]])) == .malformed(.cycle))
        #expect(Self.error(Self.list([[0xA1, 0, 1], [0xC1, 0, 0]])) == .malformed(.cycle))
        #expect(Self.error(Self.list([[0xA1, 0, 1], [0xD1, 0, 2, 0, 0], [0x50]])) == .malformed(.cycle))
        #expect(Self.error(Self.list([[0xA1, 0, 1], [0xD1, 0, 2, 0, 2], [0x50]])) == nil)
    }

    /// A list of these objects, of which the first is the root.
    private static func list(_ objects: [[UInt8]]) -> [UInt8] {
        var writer = PropertyListBytes()
        for object in objects { _ = writer.add(raw: object) }
        return writer.bytes(root: 0)
    }

    @Test("size, objects and depth are limited, and what is used many times is not gone through many times")
    func limits() {
        #expect(Self.error(Self.sample, limits: PropertyListLimits(size: 100)) == .tooLarge(limit: 100))
        #expect(Self.error(Self.sample, limits: PropertyListLimits(objects: 10)) == .tooManyObjects(limit: 10))
        #expect(Self.error(Self.sample, limits: PropertyListLimits(depth: 3)) == .tooDeep(limit: 3))
        #expect(Self.error(Self.sample, limits: PropertyListLimits(depth: 5)) == nil)
        // Thirty arrays, each twice in the next: a billion paths.
        var doubling = PropertyListBytes()
        _ = doubling.add(.null)
        for place in 0..<30 { _ = doubling.add(raw: [0xA2, 0, UInt8(place), 0, UInt8(place)]) }
        #expect(Self.error(doubling.bytes(root: 30)) == nil)
    }
}
