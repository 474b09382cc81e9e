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

    /// Where a field lies in the bytes.
    private struct Place {
        let number: UInt16
        let range: Range<Int>
    }

    /// What the fields hold; of a body that was read, all of it.
    private var bytes: ArraySlice<UInt8> = []
    private var places: [Place] = []

    package var fields: [Field] { places.map { Field(number: $0.number, bytes: bytes[$0.range]) } }

    package init() {}

    package static func == (left: FieldList, right: FieldList) -> Bool { left.fields == right.fields }

    /// Parses a body.
    package init(encoded bytes: ArraySlice<UInt8>) throws(Malformed) {
        self.bytes = bytes
        places.reserveCapacity(12)
        var (position, previous) = (bytes.startIndex, 0)
        while position < bytes.endIndex {
            guard bytes.endIndex - position >= Self.frontCount else { throw Malformed() }
            let number = Int(bytes[position]) | Int(bytes[position + 1]) << 8
            var count = 0
            for index in 2..<Self.frontCount { count |= Int(bytes[position + index]) << (8 * (index - 2)) }
            position += Self.frontCount
            guard number >= previous, count <= SealedRecord.maximumCount, count <= bytes.endIndex - position else {
                throw Malformed()
            }
            places.append(Place(number: UInt16(number), range: position..<position + count))
            (position, previous) = (position + count, number)
        }
    }

    /// The bytes before those of a field: its number and their count.
    private static let frontCount = 6

    /// The bytes are no field list, or not what one must hold.
    package struct Malformed: Error {
        /// The kind that the list names and this build does not know.
        package var unknownKind: String?

        /// The bytes are no field list, or one that names a kind which this build does not know.
        package init(unknownKind: String? = nil) { self.unknownKind = unknownKind }
    }

    /// The bytes of the list.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: bytes.count + Self.frontCount * places.count)
        for place in places.sorted(by: { $0.number < $1.number }) {
            writer.write(place.number)
            writer.write(UInt32(place.range.count))
            writer.write(bytes[place.range])
        }
        return writer.bytes
    }

    /// Adds a field.
    package mutating func append(_ number: UInt16, _ more: some Collection<UInt8>) {
        let start = bytes.endIndex
        bytes.append(contentsOf: more)
        places.append(Place(number: number, range: start..<bytes.endIndex))
    }

    /// The bytes of the first field with this number.
    package func bytes(_ number: UInt16) -> ArraySlice<UInt8>? {
        for place in places where place.number == number { return bytes[place.range] }
        return nil
    }

    /// The lists that the fields with this number hold.
    package func lists(_ number: UInt16) throws(Malformed) -> [FieldList] {
        var lists: [FieldList] = []
        for place in places where place.number == number { lists.append(try FieldList(encoded: bytes[place.range])) }
        return lists
    }

    /// The list without the fields of one number.
    func without(_ number: UInt16) -> FieldList {
        var list = self
        list.places.removeAll { $0.number == number }
        return list
    }
}

extension FieldList {
    /// Adds a text, where there is one.
    package mutating func append(_ number: UInt16, _ text: String?) {
        if let text { append(number, text.utf8) }
    }

    /// Adds a number, where there is one: little-endian, as wide as its type.
    package mutating func append(_ number: UInt16, _ value: (some FixedWidthInteger)?) {
        guard let value else { return }
        var writer = ByteWriter()
        writer.write(value)
        append(number, writer.bytes)
    }

    /// Adds a list.
    package mutating func append(_ number: UInt16, _ list: FieldList) {
        append(number, list.encoded())
    }

    /// The text of the first field with this number.
    package func text(_ number: UInt16) throws(Malformed) -> String? {
        guard let bytes = bytes(number) else { return nil }
        // Many times as fast as validating a collection.
        guard let text = try? UTF8Span(validating: bytes.span) else { throw Malformed() }
        return String(copying: text)
    }

    /// The text of the first field with this number, which must be there.
    package func requiredText(_ number: UInt16) throws(Malformed) -> String {
        guard let text = try text(number) else { throw Malformed() }
        return text
    }

    /// The number that the first field with this number holds.
    package func integer<Integer: FixedWidthInteger>(_ number: UInt16) throws(Malformed) -> Integer? {
        guard let bytes = bytes(number) else { return nil }
        var reader = ByteReader(bytes)
        guard bytes.count == Integer.bitWidth / 8, let value = try? reader.read(Integer.self) else { throw Malformed() }
        return value
    }

    /// The numbers that the fields with this number hold.
    func integers<Integer: FixedWidthInteger>(_ number: UInt16) throws(Malformed) -> [Integer] {
        var integers: [Integer] = []
        for place in places where place.number == number {
            var reader = ByteReader(bytes[place.range])
            guard place.range.count == Integer.bitWidth / 8, let value = try? reader.read(Integer.self) else {
                throw Malformed()
            }
            integers.append(value)
        }
        return integers
    }

    func texts(_ number: UInt16) throws(Malformed) -> [String] {
        var texts: [String] = []
        for field in fields where field.number == number {
            guard let text = String(validating: field.bytes, as: UTF8.self) else { throw Malformed() }
            texts.append(text)
        }
        return texts
    }

    /// Takes over the fields of `other` whose numbers are above `known`.
    mutating func keepUnknown(of other: FieldList?, above known: UInt16) {
        for field in other?.fields ?? [] where field.number > known { append(field.number, field.bytes) }
    }
}
