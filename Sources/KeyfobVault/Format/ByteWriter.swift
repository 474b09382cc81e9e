internal import KeyfobModel

/// Appends the fields of a format: little-endian integers, bytes, and bytes after their length.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    /// A writer with room for `count` bytes; there may be more.
    init(capacity: Int = 128) {
        bytes.reserveCapacity(capacity)
    }

    mutating func write<Integer: FixedWidthInteger>(_ value: Integer) {
        var rest = value
        for _ in 0..<Integer.bitWidth / 8 {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest = Integer.bitWidth > 8 ? rest >> 8 : rest
        }
    }

    mutating func write(_ more: some Collection<UInt8>) {
        bytes.append(contentsOf: more)
    }

    mutating func write<Kind>(_ id: OpaqueID<Kind>) {
        id.append(to: &bytes)
    }

    /// A 32-bit count, then the bytes.
    mutating func writeCounted(_ more: [UInt8]) {
        write(UInt32(more.count))
        bytes.append(contentsOf: more)
    }
}
