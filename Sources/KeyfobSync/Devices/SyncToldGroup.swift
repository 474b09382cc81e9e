internal import KeyfobModel
internal import KeyfobVault

extension SyncState {
    /// What this device knows of what its files tell of a group.
    package struct ToldGroup: Hashable, Sendable {
        /// What stands for the state of the vault in which all was told.
        package var basis: [UInt8] = []
        /// Who can read the files, by their ids.
        package var readers: [[UInt8]] = []
        /// What the group was called in them.
        package var name: String = ""
        /// The number of the last change that is told; 0 where changes have none.
        package var change: UInt64 = 0
        /// What stands for all that is told, where changes have no numbers.
        package var content: [UInt8] = []
        /// The segments that tell of what came after the whole, the first one first.
        package var segments: [Segment] = []
        /// Whether a file that has everything is due: something is gone of which nothing is told.
        package var isStale = false
        /// What the system says of the files, by the beginnings of their hashes, as each was last found to be the one that was
        /// written.
        package var traits: [[UInt8]: [UInt8]] = [:]

        /// What is held of the group, as far as it was looked at.
        package var held: Held?
        /// With what its digest is hidden from those that do not share the group; every file has it.
        package var digestKey: [UInt8] = []

        /// Nothing told.
        package init() {}

        /// What a vault holds of a group.
        package struct Held: Hashable, Sendable {
            /// What stands for the state of the vault in which it was found.
            package let basis: [UInt8]
            /// What was taken in by then.
            package let vector: SyncVector
            /// What stands for it.
            package let digest: [UInt8]
            /// What stood for it when that was taken in.
            package let first: [UInt8]

            /// What is held.
            ///
            /// - Parameter before: What was held when this was looked at the last time.
            package init(basis: [UInt8], vector: SyncVector, digest: [UInt8], since before: Held?) {
                (self.basis, self.vector, self.digest) = (basis, vector, digest)
                first = before.flatMap { $0.vector == vector ? $0.first : nil } ?? digest
            }

            /// Whether it has changed since, although nothing was told or taken in.
            package var hasDrifted: Bool { digest != first }
        }

        /// A segment.
        package struct Segment: Hashable, Sendable {
            /// Where it begins to tell.
            package let after: UInt64
            /// After which change that is.
            package let start: UInt64
            /// How often others were folded into it.
            package let weight: UInt8
            /// How many bytes it has.
            package let size: UInt64

            /// A segment.
            package init(after: UInt64, start: UInt64, weight: UInt8, size: UInt64) {
                (self.after, self.start, self.weight, self.size) = (after, start, weight, size)
            }
        }

        /// How many segments of one weight are folded into one.
        package static let fold = 8

        /// With which segments a new one is folded, how many of the last ones: the eighth of a weight takes the seven others
        /// along, and so on.
        package var foldedCount: Int {
            var (count, weight): (Int, UInt8) = (0, 0)
            while true {
                let rest = segments.dropLast(count)
                let same = rest.reversed().prefix { $0.weight == weight }.count
                guard same >= Self.fold - 1, weight < .max else { return count }
                count += Self.fold - 1
                weight += 1
            }
        }

        // 1 tag, 2 basis, 3 reader (repeats), 4 name, 5 change u64, 6 content, 7 segment (repeats: 1 after u64, 2 start u64, 3 weight u8, 4
        // size u64), 8 whether it is stale u8, 9 traits (repeats: 1 hash, 2 traits),
        // 10 key of the digest, 11 what is held (1 basis, 2 vector, 3 digest, 4 what it was at first).
        func list(_ tag: SyncGroupTag) -> FieldList {
            var list = FieldList()
            list.append(1, tag.bytes)
            list.append(2, basis)
            for reader in readers { list.append(3, reader) }
            list.append(4, name)
            list.append(5, change)
            list.append(6, content)
            for segment in segments {
                var entry = FieldList()
                entry.append(1, segment.after)
                entry.append(2, segment.start)
                entry.append(3, segment.weight)
                entry.append(4, segment.size)
                list.append(7, entry)
            }
            if isStale { list.append(8, UInt8(1)) }
            for (hash, traits) in traits.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                var entry = FieldList()
                entry.append(1, hash)
                entry.append(2, traits)
                list.append(9, entry)
            }
            list.append(10, digestKey)
            if let held { list.append(11, held.list) }
            return list
        }

        init(_ list: FieldList) throws(FieldList.Malformed) {
            basis = Array(list.bytes(2) ?? [])
            readers = list.fields.filter { $0.number == 3 }.map { Array($0.bytes) }
            name = try list.text(4) ?? ""
            change = try list.integer(5) ?? 0
            content = Array(list.bytes(6) ?? [])
            for entry in try list.lists(7) {
                guard let after: UInt64 = try entry.integer(1), let start: UInt64 = try entry.integer(2),
                    let weight: UInt8 = try entry.integer(3), let size: UInt64 = try entry.integer(4)
                else { throw FieldList.Malformed() }
                segments.append(Segment(after: after, start: start, weight: weight, size: size))
            }
            isStale = list.bytes(8) != nil
            for entry in try list.lists(9) {
                guard let hash = entry.bytes(1), let traits = entry.bytes(2) else { throw FieldList.Malformed() }
                self.traits[Array(hash)] = Array(traits)
            }
            digestKey = Array(list.bytes(10) ?? [])
            held = try list.lists(11).first.map { (list) throws(FieldList.Malformed) in try Held(list) }
        }
    }
}

extension SyncState.ToldGroup.Held {
    fileprivate var list: FieldList {
        var list = FieldList()
        list.append(1, basis)
        list.append(2, vector.bytes)
        list.append(3, digest)
        list.append(4, first)
        return list
    }

    fileprivate init(_ list: FieldList) throws(FieldList.Malformed) {
        guard let basis = list.bytes(1), let vector = list.bytes(2), let digest = list.bytes(3),
            let first = list.bytes(4)
        else { throw FieldList.Malformed() }
        (self.basis, self.vector) = (Array(basis), SyncVector(bytes: Array(vector)))
        (self.digest, self.first) = (Array(digest), Array(first))
    }
}
