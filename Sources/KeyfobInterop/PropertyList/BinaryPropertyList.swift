/// The structure of a binary property list (`bplist00`): what is where, and no text.
///
/// Like a ``JSONTape`` it never copies what it describes: whoever asks for a value passes the same bytes
/// again. Everything is checked once, when it is read: each offset, length and reference is inside, no two
/// objects share a byte, and no container is inside itself. So all work is bounded by the number of bytes.
package struct BinaryPropertyList: Sendable {
    /// What an object is.
    package enum Kind: UInt8, Hashable, Sendable {
        case null, `false`, `true`, integer, real, date, data, ascii, utf16, uid, array, set, dictionary
    }

    /// An object of the list; means nothing to another list.
    package struct Object: Hashable, Sendable {
        let index: Int
    }

    /// Where an object is.
    struct Node {
        var kind: Kind
        /// The first byte of the content, counted in the bytes that were given.
        var start: UInt32
        /// The number of bytes, of UTF-16 units, of elements or of pairs.
        var count: UInt32
    }

    let nodes: [Node]
    let referenceWidth: Int
    /// The object that the list is.
    package let root: Object

    /// Reads the structure of `bytes`, or of a part of them.
    package init(
        reading bytes: RawSpan, in part: Range<Int>? = nil, limits: PropertyListLimits = PropertyListLimits()
    ) throws(PropertyListError) {
        let part = part ?? 0..<bytes.byteCount
        let octets = Span<UInt8>(_bytes: bytes)
        guard Self.isBinary(bytes, in: part) else { throw .notAPropertyList }
        guard part.count <= limits.size, part.upperBound <= Int(UInt32.max) else { throw .tooLarge(limit: limits.size) }
        // The shortest is the head, one object, its offset and the trailer.
        guard part.count >= 42 else { throw .malformed(.tooShort) }
        let trailer = part.upperBound - 32
        let offsetWidth = Int(octets[trailer + 6])
        let referenceWidth = Int(octets[trailer + 7])
        let count = octets.bigEndian(at: trailer + 8, width: 8)
        let top = octets.bigEndian(at: trailer + 16, width: 8)
        let tableOffset = octets.bigEndian(at: trailer + 24, width: 8)
        guard (1...8).contains(offsetWidth), (1...8).contains(referenceWidth), count > 0, top < count,
            tableOffset > 8, tableOffset < UInt64(trailer - part.lowerBound)
        else { throw .malformed(.trailer) }
        guard count <= UInt64(max(0, limits.objects)) else { throw .tooManyObjects(limit: limits.objects) }
        let table = part.lowerBound + Int(tableOffset)
        guard trailer - table == Int(count) * offsetWidth else { throw .malformed(.trailer) }

        let parser = PropertyListParser(end: table, referenceWidth: referenceWidth)
        var nodes: [Node] = []
        var extents: [Range<Int>] = []
        nodes.reserveCapacity(Int(count))
        extents.reserveCapacity(Int(count))
        for index in 0..<Int(count) {
            let offset = octets.bigEndian(at: table + index * offsetWidth, width: offsetWidth)
            guard offset >= 8, offset < tableOffset else { throw .malformed(.offset) }
            let start = part.lowerBound + Int(offset)
            let (node, end) = try parser.node(at: start, in: octets)
            nodes.append(node)
            extents.append(start..<end)
        }
        extents.sort { $0.lowerBound < $1.lowerBound }
        for index in extents.indices.dropFirst() where extents[index - 1].upperBound > extents[index].lowerBound {
            throw .malformed(.overlap)
        }
        self.nodes = nodes
        self.referenceWidth = referenceWidth
        self.root = Object(index: Int(top))
        try checkReferences(octets, limits)
    }

    /// Whether the bytes begin as a binary property list of the one version there is.
    package static func isBinary(_ bytes: RawSpan, in part: Range<Int>? = nil) -> Bool {
        let part = part ?? 0..<bytes.byteCount
        let head = Array("bplist00".utf8)
        let octets = Span<UInt8>(_bytes: bytes)
        guard part.count >= head.count else { return false }
        return head.indices.allSatisfy { octets[part.lowerBound + $0] == head[$0] }
    }

    /// Goes through every container that the root holds, without recursion.
    private func checkReferences(_ octets: Span<UInt8>, _ limits: PropertyListLimits) throws(PropertyListError) {
        enum State: UInt8 { case new, open, done }
        var states = [State](repeating: .new, count: nodes.count)
        var path: [(object: Int, next: Int)] = [(root.index, 0)]
        states[root.index] = .open
        while let (object, next) = path.last {
            let node = nodes[object]
            let pairs = node.kind == .dictionary ? Int(node.count) : 0
            guard next < childCount(node) else {
                states[object] = .done
                path.removeLast()
                continue
            }
            path[path.count - 1].next = next + 1
            let reference = octets.bigEndian(at: Int(node.start) + next * referenceWidth, width: referenceWidth)
            guard reference < UInt64(nodes.count) else { throw .malformed(.reference) }
            let child = Int(reference)
            if next < pairs, nodes[child].kind != .ascii, nodes[child].kind != .utf16 { throw .malformed(.key) }
            switch states[child] {
            case .open: throw .malformed(.cycle)
            case .done: break
            case .new:
                states[child] = .open
                path.append((child, 0))
                guard path.count <= limits.depth else { throw .tooDeep(limit: limits.depth) }
            }
        }
    }

    private func childCount(_ node: Node) -> Int {
        switch node.kind {
        case .array, .set: Int(node.count)
        case .dictionary: 2 * Int(node.count)
        default: 0
        }
    }
}
