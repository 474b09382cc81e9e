/// Writes binary property lists, sound ones and others.
struct PropertyListBytes {
    /// A value to be written.
    indirect enum Value {
        case null, bool(Bool), integer(UInt64), real(Double), date(Double), data([UInt8]), ascii(String)
        case utf16(String), uid(UInt64), array([Value]), set([Value]), dictionary([(String, Value)])
    }

    var offsetWidth = 4
    var referenceWidth = 2
    private(set) var objects: [[UInt8]] = []

    /// The bytes of a list.
    static func list(_ value: Value) -> [UInt8] {
        var writer = PropertyListBytes()
        let root = writer.add(value)
        return writer.bytes(root: root)
    }

    /// Adds a value with all that is in it, and says which object it is.
    mutating func add(_ value: Value) -> Int {
        let place = objects.count
        objects.append([])
        objects[place] = encoded(value)
        return place
    }

    /// Adds an object as it is.
    mutating func add(raw bytes: [UInt8]) -> Int {
        objects.append(bytes)
        return objects.count - 1
    }

    /// The list with its table and trailer.
    func bytes(root: Int) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for offset in offsets { bytes += Self.number(UInt64(offset), offsetWidth) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetWidth), UInt8(referenceWidth)]
        for number in [objects.count, root, table] { bytes += Self.number(UInt64(number), 8) }
        return bytes
    }

    /// A number with the highest byte first.
    static func number(_ value: UInt64, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (width - 1 - $0))) }
    }

    /// A head with a count.
    static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 0xF, 0x13] + number(UInt64(count), 8)
    }

    private mutating func encoded(_ value: Value) -> [UInt8] {
        switch value {
        case .null: return [0x00]
        case .bool(let flag): return [flag ? 0x09 : 0x08]
        case .integer(let number): return [0x13] + Self.number(number, 8)
        case .real(let number): return [0x23] + Self.number(number.bitPattern, 8)
        case .date(let seconds): return [0x33] + Self.number(seconds.bitPattern, 8)
        case .data(let bytes): return Self.head(4, bytes.count) + bytes
        case .ascii(let text): return Self.head(5, text.utf8.count) + Array(text.utf8)
        case .utf16(let text):
            return Self.head(6, text.utf16.count) + text.utf16.flatMap { Self.number(UInt64($0), 2) }
        case .uid(let number): return [0x83] + Self.number(number, 4)
        case .array(let values): return Self.head(0xA, values.count) + references(values)
        case .set(let values): return Self.head(0xC, values.count) + references(values)
        case .dictionary(let pairs):
            return Self.head(0xD, pairs.count) + references(pairs.map { .ascii($0.0) }) + references(pairs.map(\.1))
        }
    }

    private mutating func references(_ values: [Value]) -> [UInt8] {
        values.map { add($0) }.flatMap { Self.number(UInt64($0), referenceWidth) }
    }
}
