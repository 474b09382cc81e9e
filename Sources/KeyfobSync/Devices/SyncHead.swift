package import KeyfobModel
internal import KeyfobSodium
package import KeyfobVault

/// What a device has come to, signed by it: which files hold its groups, and what it has seen of the others.
package struct SyncHead: Hashable, Sendable {
    /// How many hashes of earlier heads go along.
    package static let previousLimit = 32
    /// How many bytes of a head's hash go along.
    package static let hashCount = 16

    /// A head, as others tell of it.
    package struct Mark: Hashable, Sendable {
        /// Its sequence.
        package let sequence: UInt64
        /// The first 16 bytes of its hash.
        package let hash: [UInt8]

        /// A mark.
        package init(sequence: UInt64, hash: [UInt8]) { (self.sequence, self.hash) = (sequence, hash) }
    }

    /// The device whose head it is.
    package var device: SyncDevice
    /// Grows by one with each head.
    package var sequence: UInt64
    /// The hashes of the heads before it, the last one first: of all, or as many as go along.
    package var previous: [[UInt8]]
    /// When it was made, by the device's clock.
    package var time: Timestamp
    /// What the device calls itself.
    package var name: String
    /// The files of its groups.
    package var files: [GroupFile]
    /// The highest heads that it has seen of others.
    package var seen: [SyncDeviceID: Mark]
    /// What it knows of who takes part.
    package var statements: [SyncStatement]
    /// How far it has taken in what each device tells of each group.
    package var acknowledged: [SyncDeviceID: [SyncGroupTag: UInt64]]
    /// The groups that were renamed or removed.
    package var groups: [SyncGroupTag: SyncGroupChange]
    /// What stands for what it holds of each group in the state that this head tells, as ``GroupDigest/masked(_:with:)`` gives it.
    package var digests: [SyncGroupTag: [UInt8]]

    /// A head.
    package init(
        device: SyncDevice, sequence: UInt64, previous: [[UInt8]], time: Timestamp, name: String, files: [GroupFile],
        seen: [SyncDeviceID: Mark], statements: [SyncStatement],
        acknowledged: [SyncDeviceID: [SyncGroupTag: UInt64]] = [:], groups: [SyncGroupTag: SyncGroupChange] = [:],
        digests: [SyncGroupTag: [UInt8]] = [:]
    ) {
        (self.device, self.sequence, self.previous, self.time) = (device, sequence, previous, time)
        (self.name, self.files, self.seen, self.statements) = (name, files, seen, statements)
        (self.acknowledged, self.groups, self.digests) = (acknowledged, groups, digests)
    }

    /// The hash by which others know a head with this body.
    package static func hash(of signed: SignedBytes) -> [UInt8] {
        Array(BLAKE2b.hash(signed.body, count: 32).prefix(hashCount))
    }

    /// The sync that a head with this body says it is of; whoever learns it from there checks the signature then.
    package static func sync(of signed: SignedBytes) -> SyncID? {
        (try? FieldList(encoded: signed.body[...]))?.bytes(1).flatMap { SyncID($0) }
    }

    /// The head, signed.
    ///
    /// 1 sync, 2 device, 3 sequence u64, 4 hash of an earlier head (repeats), 5 time i64, 6 name, 7 file (repeats), 8 what it
    /// has seen of a device (repeats: 1 id, 2 sequence u64, 3 hash), 9 statement (repeats), 10 what it has taken in (repeats: 1 id
    /// of a device, 2 group, 3 how far u64), 11 what became of a group (repeats), 12 what stands for what
    /// it holds of a group (repeats: 1 group, 2 digest).
    package func signed(by identity: borrowing SyncIdentity, in sync: SyncID) -> SignedBytes {
        var body = FieldList()
        body.append(1, sync.bytes)
        body.append(2, device.list)
        body.append(3, sequence)
        for hash in previous.prefix(Self.previousLimit) { body.append(4, hash) }
        body.append(5, time.seconds)
        body.append(6, name)
        for file in files.sorted() { body.append(7, file.list) }
        for (id, mark) in seen.sorted(by: { $0.key < $1.key }) {
            var list = FieldList()
            list.append(1, id.bytes)
            list.append(2, mark.sequence)
            list.append(3, mark.hash)
            body.append(8, list)
        }
        for statement in statements { body.append(9, statement.signed.list) }
        for (id, groups) in acknowledged.sorted(by: { $0.key < $1.key }) {
            for (group, position) in groups.sorted(by: { $0.key < $1.key }) {
                var list = FieldList()
                list.append(1, id.bytes)
                list.append(2, group.bytes)
                list.append(3, position)
                body.append(10, list)
            }
        }
        for list in groups.lists() { body.append(11, list) }
        for (group, digest) in digests.sorted(by: { $0.key < $1.key }) {
            var list = FieldList()
            list.append(1, group.bytes)
            list.append(2, digest)
            body.append(12, list)
        }
        return identity.sign(body.encoded(), as: .head, in: sync)
    }

    /// Reads a head of a sync; who signed it is checked elsewhere.
    package init(_ signed: SignedBytes, in sync: SyncID) throws(FieldList.Malformed) {
        let body = try FieldList(encoded: signed.body[...])
        guard let id = body.bytes(1), id.elementsEqual(sync.bytes), let device = try body.lists(2).first,
            let sequence: UInt64 = try body.integer(3), let seconds: Int64 = try body.integer(5)
        else { throw FieldList.Malformed() }
        let previous = body.fields.filter { $0.number == 4 }.map { Array($0.bytes) }
        // With fewer of them it could hide that it has two histories.
        guard sequence > 0, UInt64(previous.count) == min(sequence - 1, UInt64(Self.previousLimit)),
            previous.allSatisfy({ $0.count == Self.hashCount })
        else { throw FieldList.Malformed() }
        var files: [GroupFile] = []
        for list in try body.lists(7) { files.append(try GroupFile(list)) }
        guard files.allSatisfy({ max($0.position, $0.sequence) <= sequence }) else { throw FieldList.Malformed() }
        // Of each group one file has everything.
        let wholes = files.filter { !$0.isSegment }.map(\.group)
        guard Set(wholes).count == wholes.count, Set(files.map(\.group)).count == wholes.count else {
            throw FieldList.Malformed()
        }
        var seen: [SyncDeviceID: Mark] = [:]
        for list in try body.lists(8) {
            guard let id = list.bytes(1).flatMap({ SyncDeviceID($0) }), let sequence: UInt64 = try list.integer(2),
                let hash = list.bytes(3), hash.count == Self.hashCount
            else { throw FieldList.Malformed() }
            seen[id] = Mark(sequence: sequence, hash: Array(hash))
        }
        // One that is too long, or that a newer Keyfob makes, is passed over.
        let statements = try body.lists(9).prefix(SyncRoster.statementLimit).compactMap { list in
            (try? SignedBytes(list)).flatMap { try? SyncStatement($0) }
        }
        var acknowledged: [SyncDeviceID: [SyncGroupTag: UInt64]] = [:]
        for list in try body.lists(10) {
            guard let id = list.bytes(1).flatMap({ SyncDeviceID($0) }),
                let group = list.bytes(2).flatMap({ SyncGroupTag($0) }), let position: UInt64 = try list.integer(3)
            else { throw FieldList.Malformed() }
            acknowledged[id, default: [:]][group] = position
        }
        var digests: [SyncGroupTag: [UInt8]] = [:]
        for list in try body.lists(12) {
            guard let group = list.bytes(1).flatMap({ SyncGroupTag($0) }), let digest = list.bytes(2),
                digest.count == GroupDigest.hashCount
            else { throw FieldList.Malformed() }
            digests[group] = Array(digest)
        }
        self.init(
            device: try SyncDevice(device), sequence: sequence, previous: previous, time: Timestamp(seconds: seconds),
            name: try body.text(6) ?? "", files: files, seen: seen, statements: statements, acknowledged: acknowledged,
            groups: try [SyncGroupTag: SyncGroupChange](try body.lists(11)), digests: digests)
    }
}

/// A head that was seen, as far as later ones are compared with it.
package struct SeenHead: Hashable, Sendable {
    /// Its sequence and hash.
    package let mark: SyncHead.Mark
    /// The hashes of those before it, the last one first.
    package let previous: [[UInt8]]

    /// A head that was seen.
    package init(_ mark: SyncHead.Mark, previous: [[UInt8]]) { (self.mark, self.previous) = (mark, previous) }

    /// What a head is to what was seen of its device before.
    package enum Verdict: Hashable, Sendable {
        /// It is the same.
        case same
        /// It follows.
        case newer
        /// It is an earlier one of the same history.
        case older
        /// It is of another history: somebody else has the device's keys too, or had them.
        case forked
    }

    /// What a head with this mark, after these others, is.
    package func verdict(on other: SeenHead) -> Verdict {
        if other.mark.sequence == mark.sequence { return other.mark.hash == mark.hash ? .same : .forked }
        let isNewer = other.mark.sequence > mark.sequence
        let (later, earlier) = isNewer ? (other, self) : (self, other)
        let distance = later.mark.sequence - earlier.mark.sequence
        if distance <= UInt64(later.previous.count), later.previous[Int(distance) - 1] != earlier.mark.hash {
            return .forked
        }
        return isNewer ? .newer : .older
    }
}
