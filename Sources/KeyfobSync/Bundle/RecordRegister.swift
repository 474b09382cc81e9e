internal import KeyfobModel
internal import KeyfobSodium

/// Which items a bundle has had, as 16 bytes of a digest each, and how many of each kind.
struct RecordRegister {
    private struct Mark: Hashable {
        let high: UInt64
        let low: UInt64
    }

    private let limit: Int
    private var marks: Set<Mark> = []
    private(set) var counts: [BundleManifest.RecordKind: Int] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { marks.count }

    /// Takes a record in.
    ///
    /// - Throws: `limitExceeded`; `repeatedRecord` for an item that was there.
    mutating func insert(_ record: ItemRecord, line: Int) throws(BundleError) {
        guard count < limit else { throw .limitExceeded(.records(limit)) }
        var bytes = CanonicalBytes()
        bytes.append(record.group.name)
        bytes.append(record.key.encoded)
        let hash = BLAKE2b.hash(bytes.bytes, count: 16)
        func half(_ range: Range<Int>) -> UInt64 { hash[range].reduce(0) { $0 << 8 | UInt64($1) } }
        guard marks.insert(Mark(high: half(0..<8), low: half(8..<16))).inserted else {
            throw .repeatedRecord(line: line)
        }
        counts[record.kind, default: 0] += 1
    }
}
