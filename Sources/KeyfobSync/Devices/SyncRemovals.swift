package import KeyfobModel
internal import KeyfobSodium
internal import KeyfobVault

/// What is left of removals that every device knew of, and that are told no more: a hash, and how far each reached.
///
/// So somebody who comes back after a year, with what was removed, brings nothing of it back.
package struct SyncRemovals: Hashable, Sendable {
    /// How many are kept; further removals are told for ever.
    package static let limit = 16_384

    private(set) var versions: [[UInt8]: ItemVersion] = [:]

    /// None.
    package init() {}

    private static func hash(_ place: ItemPlace) -> [UInt8] {
        var bytes = CanonicalBytes()
        bytes.append("keyfob sync removal v1")
        bytes.append(place.group.name)
        return BLAKE2b.hash(bytes.bytes + place.key.encoded, count: 16)
    }

    /// Whether there are none.
    package var isEmpty: Bool { versions.isEmpty }

    /// Up to which version an item was removed; nil for one that was not.
    package subscript(place: ItemPlace) -> ItemVersion? { isEmpty ? nil : versions[Self.hash(place)] }

    /// Notes that an item was removed; false where there is no more room.
    package mutating func note(_ place: ItemPlace, _ version: ItemVersion) -> Bool {
        let hash = Self.hash(place)
        guard versions[hash] != nil || versions.count < Self.limit else { return false }
        versions[hash] = max(version, versions[hash] ?? version)
        return true
    }

    /// 1 hash, 2 stamp u64, 3 device u64.
    var lists: [FieldList] {
        versions.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { hash, version in
            var list = FieldList()
            list.append(1, hash)
            list.append(2, version.stamp.value)
            list.append(3, version.device)
            return list
        }
    }

    init(_ lists: [FieldList]) throws(FieldList.Malformed) {
        for list in lists {
            guard let hash = list.bytes(1), let stamp: UInt64 = try list.integer(2),
                let device: UInt64 = try list.integer(3)
            else { throw FieldList.Malformed() }
            versions[Array(hash)] = ItemVersion(stamp: Stamp(value: stamp), device: device)
        }
    }
}
