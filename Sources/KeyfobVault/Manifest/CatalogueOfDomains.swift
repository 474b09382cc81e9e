internal import KeyfobModel

/// Which records are of accounts with an address in a domain.
///
/// Of many it keeps a few: whoever finds two of them needs no others to know that neither is the only one.
struct CatalogueOfDomains: Equatable {
    private struct Entry: Equatable {
        let key: [UInt8]
        /// In their order.
        var records: [RecordID]
        /// Whether there are no others.
        var areAll: Bool
    }

    private static let limit = 96
    private static let more: UInt8 = 128
    /// With this byte begins what follows a catalogue that is older than domains in it.
    private static let end: UInt8 = 0x80

    /// By key; nil where they were too many, or nobody has looked.
    private var entries: [Entry]? = []

    /// That of an empty group.
    init() {}

    func records(_ key: [UInt8]) -> (records: [RecordID], areAll: Bool)? {
        guard let entries else { return nil }
        guard let entry = entries.first(where: { $0.key == key }) else { return ([], true) }
        return (entry.records, entry.areAll)
    }

    mutating func insert(_ key: [UInt8], _ record: RecordID) {
        guard let all = entries else { return }
        let place = all.firstIndex { !$0.key.lexicographicallyPrecedes(key) } ?? all.count
        guard place < all.count, all[place].key == key else {
            if all.count == Self.limit {
                entries = nil
            } else {
                entries?.insert(Entry(key: key, records: [record], areAll: true), at: place)
            }
            return
        }
        var entry = all[place]
        guard !entry.records.contains(record) else { return }
        if entry.records.count < Catalogue.few {
            entry.records.append(record)
            entry.records.sort { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        } else {
            entry.areAll = false
        }
        entries?[place] = entry
    }

    mutating func remove(_ record: RecordID) {
        guard let all = entries, all.contains(where: { $0.records.contains(record) }) else { return }
        entries = all.compactMap { entry in
            var entry = entry
            entry.records.removeAll { $0 == record }
            return entry.records.isEmpty && entry.areAll ? nil : entry
        }
    }
}

extension CatalogueOfDomains {
    /// How many u16 (65,535 where nobody knows), and each as its key behind a count u8, how many records u8, plus 128
    /// where these are not all, and their ids.
    func write(to writer: inout ByteWriter) {
        writer.write(entries.map { UInt16($0.count) } ?? .max)
        for entry in entries ?? [] {
            writer.write(UInt8(entry.key.count))
            writer.write(entry.key)
            writer.write(UInt8(entry.records.count) | (entry.areAll ? 0 : Self.more))
            for record in entry.records { writer.write(record) }
        }
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Malformed) {
        guard reader.next != Self.end else {
            entries = nil
            return
        }
        let count = try reader.read(UInt16.self)
        guard count < .max else {
            entries = nil
            return
        }
        var entries: [Entry] = []
        for _ in 0..<count {
            let key = try reader.read(Int(try reader.read(UInt8.self)))
            let records = try reader.read(UInt8.self)
            var ids: [RecordID] = []
            for _ in 0..<records & (Self.more - 1) { ids.append(try reader.readID()) }
            entries.append(Entry(key: key, records: ids, areAll: records & Self.more == 0))
        }
        self.entries = entries
    }
}
