extension JSONScanner {
    /// Objects with more names are searched by hash instead of in pairs.
    private static let mostInPairs = 16

    /// Marks the names that occur again later in the object that just ended.
    mutating func findDuplicates(of object: UInt32, _ bytes: Span<UInt8>) {
        names.removeAll(keepingCapacity: true)
        var name = object + 1
        while name < nodes[Int(object)].next {
            names.append(name)
            name = nodes[Int(name) + 1].next
        }
        if names.count <= Self.mostInPairs {
            findDuplicatesInPairs(of: object, bytes)
        } else {
            findDuplicatesByHash(of: object, bytes)
        }
    }

    private mutating func findDuplicatesInPairs(of object: UInt32, _ bytes: Span<UInt8>) {
        guard names.count > 1 else { return }
        for later in 1..<names.count {
            for earlier in 0..<later
            where !nodes[Int(names[earlier])].isSuperseded && areEqual(names[earlier], names[later], bytes) {
                supersede(names[earlier], by: names[later], in: object)
            }
        }
    }

    /// The hash is seeded for each process, so nobody can prepare names that collide.
    private mutating func findDuplicatesByHash(of object: UInt32, _ bytes: Span<UInt8>) {
        var latest: [Int: UInt32] = [:]
        latest.reserveCapacity(names.count)
        for name in names {
            let hash = hash(of: name, bytes)
            if let earlier = latest.updateValue(name, forKey: hash), areEqual(earlier, name, bytes) {
                supersede(earlier, by: name, in: object)
            }
        }
    }

    private mutating func supersede(_ earlier: UInt32, by later: UInt32, in object: UInt32) {
        nodes[Int(earlier)].isSuperseded = true
        duplicates.append(
            JSONTape.Duplicate(
                object: .init(index: object), superseded: .init(index: earlier), winner: .init(index: later)))
    }

    private func areEqual(_ left: UInt32, _ right: UInt32, _ bytes: Span<UInt8>) -> Bool {
        let (one, other) = (nodes[Int(left)], nodes[Int(right)])
        if !one.hasEscapes, !other.hasEscapes {
            guard one.end &- one.start == other.end &- other.start else { return false }
            for offset in 1..<Int(one.end &- one.start)
            where bytes[Int(one.start) + offset] != bytes[Int(other.start) + offset] { return false }
            return true
        }
        var (first, second) = (decoder(of: one), decoder(of: other))
        while true {
            let byte = first.next(in: bytes)
            guard byte == second.next(in: bytes) else { return false }
            if byte == nil { return true }
        }
    }

    private func hash(of name: UInt32, _ bytes: Span<UInt8>) -> Int {
        let node = nodes[Int(name)]
        var hasher = Hasher()
        if node.hasEscapes {
            var decoder = decoder(of: node)
            while let byte = decoder.next(in: bytes) { hasher.combine(byte) }
        } else {
            let text = bytes.extracting(Int(node.start) + 1..<Int(node.end) - 1)
            unsafe text.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        }
        return hasher.finalize()
    }

    private func decoder(of node: JSONTape.Node) -> JSONTextDecoder {
        JSONTextDecoder(Int(node.start) + 1..<Int(node.end) - 1)
    }
}
