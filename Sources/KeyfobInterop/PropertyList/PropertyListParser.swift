/// Reads the heads of a property list's objects.
struct PropertyListParser {
    /// Where the objects end and the table of their offsets begins.
    let end: Int
    /// How many bytes a reference has.
    let referenceWidth: Int

    /// The object at a position before ``end``, and the position behind it.
    func node(
        at position: Int, in octets: Span<UInt8>
    ) throws(PropertyListError) -> (node: BinaryPropertyList.Node, end: Int) {
        let (high, low) = (octets[position] >> 4, octets[position] & 0xF)
        switch (high, low) {
        case (0x0, 0x0): return try sized(.null, position + 1, 0)
        case (0x0, 0x8): return try sized(.false, position + 1, 0)
        case (0x0, 0x9): return try sized(.true, position + 1, 0)
        // Sixteen bytes are what Apple writes for unsigned numbers of 64 bits.
        case (0x1, 0...4): return try sized(.integer, position + 1, 1 << UInt64(low))
        case (0x2, 2...3): return try sized(.real, position + 1, 1 << UInt64(low))
        case (0x3, 0x3): return try sized(.date, position + 1, 8)
        case (0x8, 0...7): return try sized(.uid, position + 1, UInt64(low) + 1)
        case (0x4, _): return try counted(.data, position, low, 1, octets)
        case (0x5, _): return try counted(.ascii, position, low, 1, octets)
        case (0x6, _): return try counted(.utf16, position, low, 2, octets)
        case (0xA, _): return try counted(.array, position, low, referenceWidth, octets)
        case (0xC, _): return try counted(.set, position, low, referenceWidth, octets)
        case (0xD, _): return try counted(.dictionary, position, low, 2 * referenceWidth, octets)
        default: throw .malformed(.kind)
        }
    }

    /// An object whose head says how many units it has, in half a byte or, where that is 15, in a number behind it.
    private func counted(
        _ kind: BinaryPropertyList.Kind, _ position: Int, _ low: UInt8, _ unit: Int, _ octets: Span<UInt8>
    ) throws(PropertyListError) -> (node: BinaryPropertyList.Node, end: Int) {
        guard low == 0xF else { return try sized(kind, position + 1, UInt64(low), unit: unit) }
        guard position + 1 < end else { throw .malformed(.length) }
        let head = octets[position + 1]
        guard (0x10...0x13).contains(head) else { throw .malformed(.length) }
        let width = 1 << Int(head & 0xF)
        guard width <= end - position - 2 else { throw .malformed(.length) }
        let count = octets.bigEndian(at: position + 2, width: width)
        return try sized(kind, position + 2 + width, count, unit: unit)
    }

    private func sized(
        _ kind: BinaryPropertyList.Kind, _ start: Int, _ count: UInt64, unit: Int = 1
    ) throws(PropertyListError) -> (node: BinaryPropertyList.Node, end: Int) {
        guard start <= end, count <= UInt64(end - start), Int(count) <= (end - start) / unit else {
            throw .malformed(.length)
        }
        let node = BinaryPropertyList.Node(kind: kind, start: UInt32(start), count: UInt32(count))
        return (node, start + Int(count) * unit)
    }
}

extension Span where Element == UInt8 {
    /// The number that `width` bytes are, 8 at most, with the highest byte first.
    func bigEndian(at position: Int, width: Int) -> UInt64 {
        var value: UInt64 = 0
        for offset in 0..<width { value = value << 8 | UInt64(self[position + offset]) }
        return value
    }
}
