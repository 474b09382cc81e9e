package import KeyfobModel
internal import KeyfobSodium

/// Where a node of a lookup tree stands: below the first `level` digits, of six bits each, of all its keys.
package struct LookupPosition: Hashable, Sendable {
    /// How many digits lead to the node, 0 to ``deepest``.
    package let level: Int
    /// These digits, the last one in the lowest bits.
    private let path: UInt64

    /// The level at which a node is a leaf however many keys it has.
    static let deepest = 6
    private static let bits = 6

    /// The top of a tree.
    package static let root = LookupPosition(level: 0, path: 0)

    private init(level: Int, path: UInt64) { (self.level, self.path) = (level, path) }

    /// The level in bits 36 to 38, the digits below.
    package var number: UInt64 { UInt64(level) << 36 | path }

    /// The node below this one to which a digit leads.
    package func child(_ digit: Int) -> LookupPosition {
        LookupPosition(level: level + 1, path: path << Self.bits | UInt64(digit))
    }

    /// The digit of a key that leads on from here, 0 to 63.
    package func digit(of key: BlindValue) -> Int { Int(key.halves.0 >> UInt64(58 - Self.bits * level)) & 63 }
}

/// A node of a group's lookup tree.
///
/// The tree holds an entry for each lookup key of each record of the group, and depends on these entries alone. Up to 32
/// keys below one position are a leaf; more are an inner node with a child for each next digit of six bits. A node is
/// bound to what its parent says of it by a keyed hash, and the top to the group's manifest.
///
///     leaf:   0 u8 ‖ entries of 40 bytes, by key and then by kind and row
///     inner:  1 u8 ‖ how many keys lie below u32 ‖ which children there are u64, a bit each ‖ their digests
package enum LookupNode: Equatable, Sendable {
    case leaf([LookupEntry])
    /// How many keys lie below, and the digests of the 64 children.
    case inner(keys: Int, children: [LookupDigest?])

    /// The most keys of a leaf above the deepest level.
    static let capacity = 32
    private static let innerFront = 13
    private static let fanOut = 64

    /// The node's bytes.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .leaf(let entries):
            bytes.reserveCapacity(1 + entries.count * LookupEntry.count)
            bytes.append(0)
            for entry in entries { entry.append(to: &bytes) }
        case .inner(let keys, let children):
            var writer = ByteWriter(capacity: Self.innerFront + 16 * children.count)
            writer.write(UInt8(1))
            writer.write(UInt32(truncatingIfNeeded: keys))
            writer.write(children.indices.reduce(UInt64(0)) { children[$1] == nil ? $0 : $0 | 1 << UInt64($1) })
            for case let child? in children { writer.write(child) }
            bytes = writer.bytes
        }
        return bytes
    }

    /// Reads ``encoded``; nil for anything else.
    package init?(_ bytes: [UInt8]) {
        let span = bytes.span
        if let count = Self.entryCount(span) {
            var entries: [LookupEntry] = []
            entries.reserveCapacity(count)
            for index in 0..<count {
                guard let entry = LookupEntry(span, at: 1 + index * LookupEntry.count) else { return nil }
                entries.append(entry)
            }
            self = .leaf(entries)
            return
        }
        guard let present = Self.present(span) else { return nil }
        var children = [LookupDigest?](repeating: nil, count: Self.fanOut)
        var start = Self.innerFront
        for digit in 0..<Self.fanOut where present & 1 << UInt64(digit) != 0 {
            children[digit] = LookupDigest(halves: (span.word(at: start), span.word(at: start + 8)))
            start += 16
        }
        var keys = 0
        for index in (1..<5).reversed() { keys = keys << 8 | Int(span[index]) }
        self = .inner(keys: keys, children: children)
    }

    /// How many entries a leaf has; nil for what is none.
    private static func entryCount(_ bytes: Span<UInt8>) -> Int? {
        guard bytes.count > 0, bytes[0] == 0, (bytes.count - 1) % LookupEntry.count == 0 else { return nil }
        return (bytes.count - 1) / LookupEntry.count
    }

    /// Which children an inner node has; nil for what is none.
    private static func present(_ bytes: Span<UInt8>) -> UInt64? {
        guard bytes.count >= innerFront, bytes[0] == 1 else { return nil }
        let present = bytes.word(at: 5).byteSwapped
        return bytes.count == innerFront + 16 * present.nonzeroBitCount ? present : nil
    }

    /// What a node says of a key.
    package enum Answer {
        /// All entries of the key.
        case entries([LookupEntry])
        /// The digest of the child that knows.
        case child(LookupDigest)
    }

    /// What the node with these bytes says of a key; nil for bytes that are no node.
    package static func answer(_ key: BlindValue, _ bytes: [UInt8], at position: LookupPosition) -> Answer? {
        let span = bytes.span
        if let count = entryCount(span) {
            var found: [LookupEntry] = []
            for index in 0..<count {
                let start = 1 + index * LookupEntry.count
                guard (span.word(at: start), span.word(at: start + 8)) == key.halves else { continue }
                guard let entry = LookupEntry(span, at: start) else { return nil }
                found.append(entry)
            }
            return .entries(found)
        }
        guard let present = present(span) else { return nil }
        let bit = UInt64(1) << UInt64(position.digit(of: key))
        guard present & bit != 0 else { return .entries([]) }
        let start = innerFront + 16 * (present & (bit - 1)).nonzeroBitCount
        return .child(LookupDigest(halves: (span.word(at: start), span.word(at: start + 8))))
    }
}

extension GroupKeys {
    /// What is said of a node at the place that leads to it: BLAKE2b-128 under the tree key of position u64 ‖ bytes.
    package func digest(of node: [UInt8], at position: LookupPosition) -> LookupDigest {
        let message = [UInt8](count: 8 + node.count) { bytes in
            bytes.storeBytes(of: position.number.littleEndian, as: UInt64.self)
            node.withBytes { bytes.copy(from: $0, at: 8) }
        }
        let hash = withTreeKey { BLAKE2b.mac(message, key: $0, count: 16) }
        guard let digest = LookupDigest(hash) else { preconditionFailure("the hash has 16 bytes") }
        return digest
    }
}
