// The values of objects. Each call is given the bytes that the list was read from.

extension BinaryPropertyList {
    /// What an object is.
    package func kind(of object: Object) -> Kind { nodes[object.index].kind }

    /// The number of elements of an array or a set, or of pairs of a dictionary; 0 for other kinds.
    package func count(of object: Object) -> Int {
        switch kind(of: object) {
        case .array, .set, .dictionary: Int(nodes[object.index].count)
        default: 0
        }
    }

    /// The element at `index` of an array or a set.
    package func element(_ index: Int, of array: Object, in bytes: RawSpan) -> Object {
        precondition(kind(of: array) != .dictionary && index < count(of: array), "no element at that index")
        return reference(index, of: array, bytes)
    }

    /// Key and value of the pair at `index` of a dictionary.
    package func pair(_ index: Int, of dictionary: Object, in bytes: RawSpan) -> (key: Object, value: Object) {
        precondition(kind(of: dictionary) == .dictionary && index < count(of: dictionary), "no pair at that index")
        return (
            reference(index, of: dictionary, bytes), reference(index + count(of: dictionary), of: dictionary, bytes)
        )
    }

    /// The values of a dictionary by their keys; nil for other kinds, and for more than `limit` pairs.
    ///
    /// Of a key that comes twice the last one counts.
    package func members(of object: Object, in bytes: RawSpan, limit: Int = 64) -> [String: Object]? {
        guard kind(of: object) == .dictionary, count(of: object) <= limit else { return nil }
        var members: [String: Object] = [:]
        for index in 0..<count(of: object) {
            let (key, value) = pair(index, of: object, in: bytes)
            if let name = string(of: key, in: bytes, limit: 64) { members[name] = value }
        }
        return members
    }

    /// Where the bytes of an ASCII text or of data are; nil for other kinds.
    package func range(of object: Object) -> Range<Int>? {
        let node = nodes[object.index]
        guard node.kind == .ascii || node.kind == .data else { return nil }
        return Int(node.start)..<Int(node.start) + Int(node.count)
    }

    /// A copy of a text; nil for other kinds, for a text of more than `limit` bytes or units, and for one that is
    /// not what it says it is.
    ///
    /// Not for secrets.
    package func string(of object: Object, in bytes: RawSpan, limit: Int = 4_096) -> String? {
        let node = nodes[object.index]
        let octets = Span<UInt8>(_bytes: bytes)
        let (start, count) = (Int(node.start), Int(node.count))
        guard count <= limit else { return nil }
        switch node.kind {
        case .ascii:
            let units = (start..<start + count).map { octets[$0] }
            return units.allSatisfy { $0 < 0x80 } ? String(decoding: units, as: UTF8.self) : nil
        case .utf16:
            let units = (0..<count).map { UInt16(octets.bigEndian(at: start + 2 * $0, width: 2)) }
            let text = String(decoding: units, as: UTF16.self)
            // Half of a surrogate pair was replaced: the text is not what was written.
            return Array(text.utf16) == units ? text : nil
        default: return nil
        }
    }

    /// The number that an archive uses to point to another object; nil for other kinds.
    package func uid(of object: Object, in bytes: RawSpan) -> UInt64? {
        let node = nodes[object.index]
        guard node.kind == .uid else { return nil }
        return Span<UInt8>(_bytes: bytes).bigEndian(at: Int(node.start), width: Int(node.count))
    }

    /// A floating-point number, or the seconds of a date since 2001; nil for other kinds.
    package func real(of object: Object, in bytes: RawSpan) -> Double? {
        let node = nodes[object.index]
        guard node.kind == .real || node.kind == .date else { return nil }
        let bits = Span<UInt8>(_bytes: bytes).bigEndian(at: Int(node.start), width: Int(node.count))
        return node.count == 4
            ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : Double(bitPattern: bits)
    }

    private func reference(_ place: Int, of object: Object, _ bytes: RawSpan) -> Object {
        let start = Int(nodes[object.index].start) + place * referenceWidth
        return Object(index: Int(Span<UInt8>(_bytes: bytes).bigEndian(at: start, width: referenceWidth)))
    }
}
