/// Reads a JSON text once from front to back and writes the tape.
///
/// There is no recursion: the open arrays and objects are on a list, which the depth limit bounds.
struct JSONScanner {
    let limits: JSONLimits
    var nodes: [JSONTape.Node] = []
    var duplicates: [JSONTape.Duplicate] = []
    var position = 0
    /// The arrays and objects that have begun and not ended.
    private var open: [UInt32] = []
    /// The names of the object at hand; kept for its memory.
    var names: [UInt32] = []

    init(limits: JSONLimits) {
        self.limits = limits
    }

    mutating func scan(_ bytes: Span<UInt8>) throws(JSONError) {
        guard bytes.count <= limits.size else { throw .tooLarge(limit: limits.size) }
        nodes.reserveCapacity(bytes.count / 64 + 16)
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { position = 3 }
        repeat {
            try scanValue(bytes)
        } while try scanToNextValue(bytes)
    }

    /// Reads a scalar or the opening of an array or object; the latter is left before its first
    /// value, or after its end if it is empty.
    private mutating func scanValue(_ bytes: Span<UInt8>) throws(JSONError) {
        while true {
            let first = try skipSpace(bytes)
            switch first {
            case UInt8(ascii: "\""): return try scanString(bytes)
            case UInt8(ascii: "{"):
                try openContainer(.object, bytes)
                if try skipSpace(bytes) == UInt8(ascii: "}") { return closeContainer(bytes) }
                try scanName(bytes)
            case UInt8(ascii: "["):
                try openContainer(.array, bytes)
                if try skipSpace(bytes) == UInt8(ascii: "]") { return closeContainer(bytes) }
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try scanNumber(bytes)
            case UInt8(ascii: "t"): return try scanLiteral("true", .true, bytes)
            case UInt8(ascii: "f"): return try scanLiteral("false", .false, bytes)
            case UInt8(ascii: "n"): return try scanLiteral("null", .null, bytes)
            default: throw malformed(.noValue, bytes)
            }
        }
    }

    /// After a value: closes what ends here and moves to the next value; false at the end of the text.
    private mutating func scanToNextValue(_ bytes: Span<UInt8>) throws(JSONError) -> Bool {
        while let container = open.last {
            let isObject = nodes[Int(container)].kind == .object
            switch (try skipSpace(bytes), isObject) {
            case (UInt8(ascii: ","), true):
                position += 1
                _ = try skipSpace(bytes)
                try scanName(bytes)
                return true
            case (UInt8(ascii: ","), false):
                position += 1
                return true
            case (UInt8(ascii: "}"), true), (UInt8(ascii: "]"), false): closeContainer(bytes)
            default: throw malformed(.noCommaOrEnd, bytes)
            }
        }
        while position < bytes.count {
            guard Self.isSpace(bytes[position]) else { throw malformed(.textBehindTheEnd, bytes) }
            position += 1
        }
        return false
    }

    private mutating func scanName(_ bytes: Span<UInt8>) throws(JSONError) {
        guard bytes[position] == UInt8(ascii: "\"") else { throw malformed(.noName, bytes) }
        try scanString(bytes)
        guard try skipSpace(bytes) == UInt8(ascii: ":") else { throw malformed(.noColon, bytes) }
        position += 1
    }

    private mutating func openContainer(_ kind: JSONKind, _ bytes: Span<UInt8>) throws(JSONError) {
        guard open.count < limits.depth else {
            throw .tooDeep(limit: limits.depth, at: JSONPosition(offset: position, in: bytes))
        }
        open.append(UInt32(truncatingIfNeeded: nodes.count))
        try append(kind, from: position, to: position + 1)
        position += 1
    }

    private mutating func closeContainer(_ bytes: Span<UInt8>) {
        guard let container = open.popLast() else { return }
        position += 1
        nodes[Int(container)].end = UInt32(truncatingIfNeeded: position)
        nodes[Int(container)].next = UInt32(truncatingIfNeeded: nodes.count)
        if nodes[Int(container)].kind == .object { findDuplicates(of: container, bytes) }
    }

    /// Adds a node; offsets and counts fit because the limits do.
    mutating func append(
        _ kind: JSONKind, from start: Int, to end: Int, hasEscapes: Bool = false
    ) throws(JSONError) {
        guard nodes.count < limits.nodes else { throw .tooManyValues(limit: limits.nodes) }
        nodes.append(
            JSONTape.Node(
                start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end),
                next: UInt32(truncatingIfNeeded: nodes.count + 1), kind: kind, hasEscapes: hasEscapes))
    }

    /// Skips white space and gives the byte after it, at the position.
    private mutating func skipSpace(_ bytes: Span<UInt8>) throws(JSONError) -> UInt8 {
        while position < bytes.count {
            let byte = bytes[position]
            if !Self.isSpace(byte) { return byte }
            position += 1
        }
        throw malformed(.endsEarly, bytes)
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    func malformed(_ problem: JSONError.Problem, at offset: Int? = nil, _ bytes: Span<UInt8>) -> JSONError {
        .malformed(problem, at: JSONPosition(offset: offset ?? position, in: bytes))
    }
}
