internal import KeyfobModel

/// Reads the fields of a format from untrusted bytes; nothing is believed before it is there.
struct ByteReader {
    /// The bytes ended too early, or a count exceeds its limit.
    struct Malformed: Error {}

    private let bytes: ArraySlice<UInt8>
    private var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        self.position = bytes.startIndex
    }

    init(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }

    var isAtEnd: Bool { position == bytes.endIndex }

    /// The byte that is read next; nil at the end.
    var next: UInt8? { isAtEnd ? nil : bytes[position] }

    mutating func read<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) throws(Malformed) -> Integer {
        let field = try slice(Integer.bitWidth / 8)
        var value: Integer = 0
        for (index, byte) in field.enumerated() {
            value |= Integer(truncatingIfNeeded: byte) << (8 * index)
        }
        return value
    }

    mutating func slice(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
        guard count >= 0, count <= bytes.endIndex - position else { throw Malformed() }
        defer { position += count }
        return bytes[position..<position + count]
    }

    mutating func read(_ count: Int) throws(Malformed) -> [UInt8] {
        Array(try slice(count))
    }

    mutating func readID<Kind>(_ type: OpaqueID<Kind>.Type = OpaqueID<Kind>.self) throws(Malformed) -> OpaqueID<Kind> {
        guard let id = OpaqueID<Kind>(try slice(16)) else { throw Malformed() }
        return id
    }

    /// Bytes behind their 32-bit count, which may not exceed `limit`.
    mutating func readCounted(limit: Int) throws(Malformed) -> ArraySlice<UInt8> {
        let count = try read(UInt32.self)
        guard count <= limit else { throw Malformed() }
        return try slice(Int(count))
    }
}
