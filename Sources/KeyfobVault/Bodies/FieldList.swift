/// The body of a record: numbered fields in ascending order.
///
///     field number u16 ‖ length u32 ‖ bytes
///
/// A number may repeat (a list). Numbers that this build does not know are kept, so that an older
/// Keyfob that rewrites a record loses nothing of what a newer one wrote.
package struct FieldList: Equatable, Sendable {
    package struct Field: Equatable, Sendable {
        package let number: UInt16
        package let bytes: ArraySlice<UInt8>

        package static func == (left: Field, right: Field) -> Bool {
            left.number == right.number && left.bytes.elementsEqual(right.bytes)
        }
    }

    package private(set) var fields: [Field] = []

    package init() {}

    /// Parses a body.
    package init(encoded bytes: ArraySlice<UInt8>) throws(Malformed) {
        var reader = ByteReader(bytes)
        var previous: UInt16 = 0
        do throws(ByteReader.Malformed) {
            while !reader.isAtEnd {
                let number = try reader.read(UInt16.self)
                guard number >= previous else { throw ByteReader.Malformed() }
                previous = number
                fields.append(Field(number: number, bytes: try reader.readCounted(limit: SealedRecord.maximumCount)))
            }
        } catch {
            throw Malformed()
        }
    }

    /// The bytes are no field list, or not what one must hold.
    package struct Malformed: Error {
        /// The kind that the list names and this build does not know.
        package var unknownKind: String?
    }

    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        for field in fields.sorted(by: { $0.number < $1.number }) {
            writer.write(field.number)
            writer.write(UInt32(field.bytes.count))
            writer.write(Array(field.bytes))
        }
        return writer.bytes
    }
}

extension FieldList {
    mutating func append(_ number: UInt16, _ bytes: [UInt8]) {
        fields.append(Field(number: number, bytes: bytes[...]))
    }

    mutating func append(_ number: UInt16, _ text: String?) {
        if let text { append(number, Array(text.utf8)) }
    }

    mutating func append(_ number: UInt16, _ value: (some FixedWidthInteger)?) {
        guard let value else { return }
        var writer = ByteWriter()
        writer.write(value)
        append(number, writer.bytes)
    }

    mutating func append(_ number: UInt16, _ list: FieldList) {
        append(number, list.encoded())
    }

    /// The bytes of the first field with this number.
    func bytes(_ number: UInt16) -> ArraySlice<UInt8>? {
        fields.first { $0.number == number }?.bytes
    }

    func text(_ number: UInt16) throws(Malformed) -> String? {
        guard let bytes = bytes(number) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Malformed() }
        return text
    }

    func requiredText(_ number: UInt16) throws(Malformed) -> String {
        guard let text = try text(number) else { throw Malformed() }
        return text
    }

    func integer<Integer: FixedWidthInteger>(_ number: UInt16) throws(Malformed) -> Integer? {
        guard let bytes = bytes(number) else { return nil }
        var reader = ByteReader(bytes)
        guard bytes.count == Integer.bitWidth / 8, let value = try? reader.read(Integer.self) else { throw Malformed() }
        return value
    }

    func lists(_ number: UInt16) throws(Malformed) -> [FieldList] {
        var lists: [FieldList] = []
        for field in fields where field.number == number { lists.append(try FieldList(encoded: field.bytes)) }
        return lists
    }

    func texts(_ number: UInt16) throws(Malformed) -> [String] {
        var texts: [String] = []
        for field in fields where field.number == number {
            guard let text = String(validating: field.bytes, as: UTF8.self) else { throw Malformed() }
            texts.append(text)
        }
        return texts
    }

    /// The list without the fields of one number.
    func without(_ number: UInt16) -> FieldList {
        var list = FieldList()
        list.fields = fields.filter { $0.number != number }
        return list
    }

    /// Takes over the fields of `other` whose numbers are above `known`.
    mutating func keepUnknown(of other: FieldList?, above known: UInt16) {
        fields.append(contentsOf: other?.fields.filter { $0.number > known } ?? [])
    }
}
