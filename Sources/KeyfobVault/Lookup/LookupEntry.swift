package import KeyfobModel

package enum LookupDigestKind {}

/// A keyed hash of 16 bytes in a lookup tree: of a record's row, or of a node.
package typealias LookupDigest = OpaqueID<LookupDigestKind>

/// One key by which a record is found, as a group's lookup tree holds it.
///
///     key 16 ‖ row and kind u64: the row in the lower 56 bits, the kind in the upper 8 ‖ digest 16
package struct LookupEntry: Hashable, Sendable {
    /// A blinded lookup field of the record; the record's id where it has none.
    package let key: BlindValue
    /// What the record is.
    package let kind: RecordHeader.Kind
    /// The number of the record's row, 1 to 2⁵⁶ - 1.
    package let row: Int64
    /// The keyed hash of the row: the first half of ``GroupManifest/Element/hash``.
    package let digest: LookupDigest

    /// The length of an encoded entry in bytes.
    static let count = 40

    package init(key: BlindValue, kind: RecordHeader.Kind, row: Int64, digest: LookupDigest) {
        (self.key, self.kind, self.row, self.digest) = (key, kind, row, digest)
    }

    /// Row and kind as one number.
    fileprivate var place: UInt64 { UInt64(kind.rawValue) << 56 | UInt64(bitPattern: row) & (1 << 56 - 1) }

    func append(to bytes: inout [UInt8]) {
        key.append(to: &bytes)
        var rest = place
        for _ in 0..<8 {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
        digest.append(to: &bytes)
    }

    /// The entry at `start` of `bytes`, which has 40 bytes there; nil for a kind that is not known.
    init?(_ bytes: Span<UInt8>, at start: Int) {
        let place = bytes.word(at: start + 16).byteSwapped
        guard let kind = RecordHeader.Kind(rawValue: UInt8(place >> 56)) else { return nil }
        self.kind = kind
        row = Int64(place & (1 << 56 - 1))
        key = BlindValue(halves: (bytes.word(at: start), bytes.word(at: start + 8)))
        digest = LookupDigest(halves: (bytes.word(at: start + 24), bytes.word(at: start + 32)))
    }
}

extension LookupEntry: Comparable {
    package static func < (left: LookupEntry, right: LookupEntry) -> Bool {
        (left.key.halves.0, left.key.halves.1, left.place) < (right.key.halves.0, right.key.halves.1, right.place)
    }
}

extension Span<UInt8> {
    /// The eight bytes at `start`, which are there, as a number whose highest byte comes first.
    @inline(__always)
    func word(at start: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in start..<start + 8 { word = word << 8 | UInt64(self[index]) }
        return word
    }
}

extension RecordHeader {
    /// The keys under which the lookup tree of its group has a record: one for each lookup field, and at least one.
    package var lookupKeys: [BlindValue] {
        let fields = [index.account, index.credential, index.username, index.label].compactMap { $0 }
        return fields.isEmpty ? [lookupKey] : fields
    }

    /// One of ``lookupKeys``: the account's, else that of the field `credential`, else the record's id.
    package var lookupKey: BlindValue {
        index.account ?? index.credential ?? index.username ?? index.label ?? BlindValue(halves: record.halves)
    }
}
