package import KeyfobModel
internal import KeyfobSodium

/// What stands for all that the machines of a sync hold alike of a group: who has taken in the same holds the same.
///
/// It is made of what is there: accounts, what is known of clients, bindings and defaults, by their values, and of each sign-in
/// how far anybody has come and what was ended. When something was written does not count, nor what was removed, which machines
/// forget at different times. Members know all keys, so the hashes are collision-resistant by themselves, and those of all items
/// are hashed together, in order.
package struct GroupDigest: Sendable {
    /// What an item adds.
    package struct Entry: Hashable, Sendable {
        /// The hash of the item's key and of what is there of it, ``GroupDigest/hashCount`` bytes.
        package let hash: [UInt8]
        /// What stands for the account that the item is, or that has to be there for it to count; nil for others.
        package let account: [UInt8]?
        /// Whether it is that account.
        package let isAccount: Bool
    }

    /// How many bytes a hash of an item has.
    package static let hashCount = 32

    /// How many bytes the key has under which a digest is told.
    package static let keyCount = 32

    private var entries: [Entry] = []

    /// Of no item.
    package init() {}

    /// Adds an item.
    package mutating func add(_ item: ItemRecord) {
        if let entry = Self.entry(of: item) { entries.append(entry) }
    }

    /// What an item adds; nil for nothing.
    package static func entry(of record: ItemRecord) -> Entry? {
        let key = record.key
        guard !record.isTombstone else { return nil }
        var group = GroupItems()
        group.insert(record)
        var bytes = CanonicalBytes(capacity: 256)
        bytes.append(key.kind.rawValue)
        for part in key.parts { bytes.append(part) }
        if let grant = group.grants[key]?.grant {
            bytes.append(grant.latestEpoch)
            bytes.append(grant.latestEnded)
        } else if let item = group.items[key], !item.isDeleted {
            for (name, register) in item.fields.sorted(by: { $0.key < $1.key }) where register.value != nil {
                bytes.append(name.name)
                bytes.append(register.contentBytes)
            }
        } else {
            return nil
        }
        return Entry(
            hash: BLAKE2b.hash(bytes.bytes, count: hashCount),
            account: key.account.map { BLAKE2b.hash(Array($0.utf8), count: 16) }, isAccount: key.kind == .account)
    }

    /// The digest, 32 bytes.
    package var bytes: [UInt8] {
        let accounts = Set(entries.lazy.filter(\.isAccount).compactMap(\.account))
        let counted = entries.filter { entry in entry.account.map(accounts.contains) ?? true }
        let hashes = counted.map(\.hash).sorted { $0.lexicographicallyPrecedes($1) }
        return BLAKE2b.hash(Array(hashes.joined()), count: 32)
    }

    /// What a head has in the place of a digest, so that nobody who does not share the group can guess what is in it.
    ///
    /// - Parameter key: What who shares the group has from the device's files, 32 bytes.
    package static func masked(_ digest: [UInt8], with key: [UInt8]) -> [UInt8] {
        key.withBytes { BLAKE2b.mac(digest, key: $0, count: hashCount) }
    }
}

/// How far the tellings of each device were taken in of a group: who stands at the same has taken in the same.
package struct SyncVector: Hashable, Sendable {
    /// What stands for it, 16 bytes.
    package let bytes: [UInt8]

    /// How far each device has come, this one's own position among them.
    package init(_ positions: [SyncDeviceID: UInt64]) {
        var bytes = CanonicalBytes()
        for (id, position) in positions.sorted(by: { $0.key < $1.key }) where position > 0 {
            bytes.append(id.bytes)
            bytes.append(position)
        }
        self.bytes = BLAKE2b.hash(bytes.bytes, count: 16)
    }

    /// What was kept of one.
    package init(bytes: [UInt8]) { self.bytes = bytes }
}

extension SyncHead {
    /// How far the device had come with a group when it made this head.
    package func vector(of group: SyncGroupTag) -> SyncVector {
        var positions = acknowledged.compactMapValues { $0[group] }
        positions[device.id] = files.filter { $0.group == group }.map(\.position).max()
        return SyncVector(positions)
    }
}
