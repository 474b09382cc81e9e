package import KeyfobModel
package import KeyfobSodium
package import KeyfobVault

/// What a vault knows of its sync: kept in the vault's folder, sealed by a key that the vault key alone gives.
package struct SyncState: Hashable, Sendable {
    /// What is known of another device.
    package struct Peer: Hashable, Sendable {
        /// The highest head that was seen of it.
        package var head: SeenHead
        /// What it calls itself.
        package var name: String
        /// When it made that head, by its clock.
        package var time: Timestamp
        /// The files of that head.
        package var files: [SyncHead.GroupFile]
        /// How far what it tells of each group was merged here.
        package var merged: [SyncGroupTag: UInt64] = [:]
        /// How far it says to have taken in what this device tells.
        package var acknowledged: [SyncGroupTag: UInt64] = [:]
        /// When the groups got their names, as it knows them.
        package var named: [SyncGroupTag: ItemVersion] = [:]
        /// Whether what it shows next counts, whatever was seen: somebody has accepted it.
        package var beginsAnew = false
        /// When that head arrived, by this machine's clock.
        package var arrived: Timestamp?
        /// What stands for what it held of the groups in that head.
        package var held: [SyncGroupTag: ToldDigest] = [:]
        /// With what it hides that, from its files.
        package var digestKeys: [SyncGroupTag: [UInt8]] = [:]

        /// What is known of a device whose head this is.
        package init(head: SeenHead, name: String, time: Timestamp, files: [SyncHead.GroupFile]) {
            (self.head, self.name, self.time, self.files) = (head, name, time, files)
        }
    }

    /// What a device tells of what it holds of a group.
    package struct ToldDigest: Hashable, Sendable {
        /// What it had taken in by then.
        package let vector: SyncVector
        /// What ``GroupDigest/masked(_:with:)`` gave.
        package let digest: [UInt8]

        /// What was told.
        package init(vector: SyncVector, digest: [UInt8]) { (self.vector, self.digest) = (vector, digest) }
    }

    /// What this device has published.
    package struct Own: Hashable, Sendable {
        /// The last head.
        package var head: SeenHead
        /// The files of that head.
        package var files: [SyncHead.GroupFile]
        /// What is known of what the files tell.
        package var told: [SyncGroupTag: ToldGroup]
        /// What stands for who takes part, as that head has it.
        package var roster: [UInt8]
        /// Whether it was seen at the remote since.
        package var isConfirmed: Bool
        /// When that head was made.
        package var time: Timestamp?
        /// What that head tells of what is held of the groups.
        package var held: [SyncGroupTag: ToldDigest] = [:]

        /// What was published.
        package init(
            head: SeenHead, files: [SyncHead.GroupFile], told: [SyncGroupTag: ToldGroup] = [:], roster: [UInt8],
            isConfirmed: Bool
        ) {
            (self.head, self.files, self.told) = (head, files, told)
            (self.roster, self.isConfirmed) = (roster, isConfirmed)
        }
    }

    /// A head that did not open.
    package struct Damage: Hashable, Sendable {
        /// What stands for its bytes.
        package let hash: [UInt8]
        /// When it was seen first.
        package let time: Timestamp

        /// One that did not open.
        package init(hash: [UInt8], time: Timestamp) { (self.hash, self.time) = (hash, time) }
    }

    /// A device that a person trusts here, because its words were given.
    package struct Root: Hashable, Sendable {
        /// Its id, which the words are.
        package let id: SyncDeviceID
        /// For which groups.
        package var scope: SyncScope
        /// The names of these groups, where they are some: their tags are not known before the sync is.
        package var groups: [AccessGroup]
        /// The device, once its head was seen.
        package var device: SyncDevice?

        /// A device that is trusted.
        package init(id: SyncDeviceID, scope: SyncScope, groups: [AccessGroup] = [], device: SyncDevice? = nil) {
            (self.id, self.scope, self.groups, self.device) = (id, scope, groups, device)
        }
    }

    /// Where the state is carried: a folder, or a git repository.
    package var remote: String
    /// What this device calls itself.
    package var name: String
    /// What stands for the machine and the place of the vault, so that a copy notices that it is one.
    package var place: [UInt8]
    /// The sync; nil as long as no trusted device has told of it.
    package var sync: SyncID?
    /// Whom a person trusts here.
    package var roots: [Root] = []
    /// What members have said of who takes part, in the order in which it came.
    package var statements: [SyncStatement] = []
    /// What is known of others.
    package var peers: [SyncDeviceID: Peer] = [:]
    /// What devices that were let in had called themselves when they asked: it counts until one has told its name otherwise.
    package var askedNames: [SyncDeviceID: String] = [:]
    /// What this device has published; nil before the first time.
    package var own: Own?
    /// What is wrong, and was not accepted.
    package var findings: [SyncFinding] = []
    /// Whose decisions were ever taken in, by their numbers, and for which groups; of those that are out, for none.
    package var decided: [UInt64: SyncScope] = [:]
    /// Heads that did not open, and since when.
    package var damaged: [SyncDeviceID: Damage] = [:]
    /// By whose numbers the vault had decisions before this began.
    package var natives: Set<UInt64> = []
    /// What was removed so long ago that it is told no more.
    package var removals = SyncRemovals()
    /// When old removals were last looked for.
    package var collected: Timestamp?
    /// What this vault had decided before another device decided otherwise, by group and name: it comes back when that one goes.
    package var displaced: [SyncGroupTag: [String: String]] = [:]
    /// The groups of the vault.
    package var groups: [SyncGroupTag: LocalGroup] = [:]
    /// The groups that were removed, and when: they come back from nobody.
    package var removedGroups: [SyncGroupTag: ItemVersion] = [:]
    /// Whether this device goes on from the head that it is seen to have written last: somebody has accepted that its own
    /// record of that was set back.
    package var resumes = false
    /// The groups of which the vault may have lost what this device had told: that is read once more, and nothing is told of
    /// them before.
    package var unread: Set<SyncGroupTag> = []
    /// How often this was written; nothing that is older than what was seen of it is gone on from.
    package var sequence: UInt64 = 0
    /// When it was synchronised the last time.
    package var last: Timestamp?

    /// The state of a device that begins.
    package init(remote: String, name: String, place: [UInt8]) {
        (self.remote, self.name, self.place) = (remote, name, place)
    }

    /// What another device calls itself; empty where nobody knows.
    package func name(of id: SyncDeviceID) -> String {
        let name = peers[id]?.name ?? ""
        return name.isEmpty ? askedNames[id] ?? "" : name
    }

    /// Keeps of another sync, which the vault was in before, what holds in each.
    package mutating func keep(_ before: SyncState) {
        for number in before.decided.keys { decided[number] = SyncScope.none }
        removals = before.removals
    }

    /// Has all be read once more that was told, by whomever: the vault may have lost it.
    package mutating func readAgain() {
        unread = Set(own?.files.map(\.group) ?? [])
        own?.told = [:]
        for id in peers.keys { peers[id]?.merged = [:] }
    }

    /// Has all be read once more that was told of a group, by whomever: it is not here any more.
    package mutating func forget(_ tag: SyncGroupTag) {
        groups[tag] = nil
        own?.told[tag] = nil
        if own?.files.contains(where: { $0.group == tag }) == true { unread.insert(tag) }
        for id in peers.keys { peers[id]?.merged[tag] = nil }
    }

    /// Notes a finding, once of each kind for each device, and group where it is about one.
    package mutating func note(_ finding: SyncFinding) {
        guard
            !findings.contains(where: {
                $0.kind == finding.kind && $0.device == finding.device && $0.group == finding.group
            })
        else { return }
        findings.append(finding)
    }
}

// 1 remote, 2 name, 3 place, 4 sync, 5 root (repeats: 1 id, 2 scope, 3 device, 4 group's name (repeats)), 6 statement
// (repeats), 7 peer (repeats), 8 own, 9 finding (repeats), 10 whose decisions were taken in (repeats: 1 number u64, 2
// scope), 11 last i64, 12 number of the own copy of the vault u64, 13 a number from before u64 (repeats), 14 sequence u64, 15 a head
// that did not open (repeats: 1 id, 2 hash, 3 time i64), 16 what was removed (repeats), 17 when old removals were looked for i64,
// 18 a decision of this vault's that another's has replaced (repeats: 1 group, 2 name, 3 value), 19 a group of the vault (repeats),
// 20 one that was removed (repeats), 21 whether it goes on from what is seen of it u8, 22 a group of which what was told is read
// once more (repeats), 23 what a device had called itself (repeats: 1 id, 2 name).
extension SyncState {
    /// The state and this device's secrets: the secrets stand first, 64 bytes.
    package func encoded(with identity: borrowing SyncIdentity) -> SecretBytes {
        var list = FieldList()
        list.append(1, remote)
        list.append(2, name)
        list.append(3, place)
        if let sync { list.append(4, sync.bytes) }
        for root in roots { list.append(5, root.list) }
        for statement in statements { list.append(6, statement.signed.list) }
        for (id, peer) in peers.sorted(by: { $0.key < $1.key }) { list.append(7, peer.list(id)) }
        if let own { list.append(8, own.list) }
        for finding in findings { list.append(9, finding.list) }
        for (number, scope) in decided.sorted(by: { $0.key < $1.key }) {
            var entry = FieldList()
            entry.append(1, number)
            entry.append(2, scope.list)
            list.append(10, entry)
        }
        list.append(11, last?.seconds)
        list.append(12, identity.device.number)
        for number in natives.sorted() { list.append(13, number) }
        list.append(14, sequence)
        for (id, damage) in damaged.sorted(by: { $0.key < $1.key }) {
            var entry = FieldList()
            entry.append(1, id.bytes)
            entry.append(2, damage.hash)
            entry.append(3, damage.time.seconds)
            list.append(15, entry)
        }
        for removal in removals.lists { list.append(16, removal) }
        list.append(17, collected?.seconds)
        for (tag, values) in displaced.sorted(by: { $0.key < $1.key }) {
            for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                var entry = FieldList()
                entry.append(1, tag.bytes)
                entry.append(2, name)
                entry.append(3, value)
                list.append(18, entry)
            }
        }
        for (tag, group) in groups.sorted(by: { $0.key < $1.key }) { list.append(19, group.list(tag)) }
        for change in removedGroups.mapValues({ SyncGroupChange(removed: $0) }).lists() { list.append(20, change) }
        if resumes { list.append(21, UInt8(1)) }
        for tag in unread.sorted() { list.append(22, tag.bytes) }
        for (id, name) in askedNames.sorted(by: { $0.key < $1.key }) {
            var entry = FieldList()
            entry.append(1, id.bytes)
            entry.append(2, name)
            list.append(23, entry)
        }
        let bytes = list.encoded()
        return SecretBytes(count: Self.secretCount + bytes.count) { span in
            identity.secret.withBytes { span.copy(from: $0) }
            identity.seed.withBytes { span.copy(from: $0, at: X25519.count) }
            bytes.withBytes { span.copy(from: $0, at: Self.secretCount) }
        }
    }

    private static let secretCount = X25519.count + Ed25519.keyCount

    /// What ``encoded(with:)`` gave.
    package static func decoded(
        _ bytes: borrowing SecretBytes
    ) throws(FieldList.Malformed) -> (state: SyncState, number: UInt64) {
        guard bytes.count > secretCount else { throw FieldList.Malformed() }
        let count = bytes.count
        let rest = bytes.withBytes { [UInt8]($0.extracting(secretCount..<count)) }
        let list = try FieldList(encoded: rest[...])
        guard let place = list.bytes(3), let number: UInt64 = try list.integer(12) else { throw FieldList.Malformed() }
        var state = SyncState(
            remote: try list.requiredText(1), name: try list.requiredText(2), place: Array(place))
        state.sync = list.bytes(4).flatMap { SyncID($0) }
        for root in try list.lists(5) { state.roots.append(try Root(root)) }
        for statement in try list.lists(6) { state.statements.append(try SyncStatement(SignedBytes(statement))) }
        for peer in try list.lists(7) {
            guard let id = peer.bytes(1).flatMap({ SyncDeviceID($0) }) else { throw FieldList.Malformed() }
            state.peers[id] = try Peer(peer)
        }
        state.own = try list.lists(8).first.map { (list) throws(FieldList.Malformed) in try Own(list) }
        for finding in try list.lists(9) { state.findings.append(try SyncFinding(finding)) }
        for entry in try list.lists(10) {
            guard let number: UInt64 = try entry.integer(1), let scope = try entry.lists(2).first else {
                throw FieldList.Malformed()
            }
            state.decided[number] = try SyncScope(scope)
        }
        for field in list.fields where field.number == 13 {
            state.natives.insert(field.bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) })
        }
        state.sequence = try list.integer(14) ?? 0
        for entry in try list.lists(15) {
            guard let id = entry.bytes(1).flatMap({ SyncDeviceID($0) }), let hash = entry.bytes(2),
                let seconds: Int64 = try entry.integer(3)
            else { throw FieldList.Malformed() }
            state.damaged[id] = Damage(hash: Array(hash), time: Timestamp(seconds: seconds))
        }
        state.removals = try SyncRemovals(try list.lists(16))
        let collected: Int64? = try list.integer(17)
        state.collected = collected.map(Timestamp.init(seconds:))
        for entry in try list.lists(18) {
            guard let tag = entry.bytes(1).flatMap({ SyncGroupTag($0) }) else { throw FieldList.Malformed() }
            state.displaced[tag, default: [:]][try entry.requiredText(2)] = try entry.requiredText(3)
        }
        for entry in try list.lists(19) {
            guard let tag = entry.bytes(1).flatMap({ SyncGroupTag($0) }) else { throw FieldList.Malformed() }
            state.groups[tag] = try LocalGroup(entry)
        }
        state.removedGroups = try [SyncGroupTag: SyncGroupChange](try list.lists(20)).compactMapValues(\.removed)
        state.resumes = list.bytes(21) != nil
        for field in list.fields where field.number == 22 {
            guard let tag = SyncGroupTag(field.bytes) else { throw FieldList.Malformed() }
            state.unread.insert(tag)
        }
        for entry in try list.lists(23) {
            guard let id = entry.bytes(1).flatMap({ SyncDeviceID($0) }) else { throw FieldList.Malformed() }
            state.askedNames[id] = try entry.requiredText(2)
        }
        let last: Int64? = try list.integer(11)
        state.last = last.map(Timestamp.init(seconds:))
        return (state, number)
    }

    /// The secrets of this device, out of what ``encoded(with:)`` gave.
    ///
    /// - Parameter number: The number of the copy of the vault.
    package static func identity(_ bytes: borrowing SecretBytes, number: UInt64) -> SyncIdentity? {
        SyncIdentity(
            secret: bytes.extracting(0..<X25519.count), seed: bytes.extracting(X25519.count..<secretCount),
            number: number)
    }
}

extension SeenHead {
    // 1 sequence u64, 2 hash, 3 hash before (repeats).
    fileprivate var list: FieldList {
        var list = FieldList()
        list.append(1, mark.sequence)
        list.append(2, mark.hash)
        for hash in previous { list.append(3, hash) }
        return list
    }

    fileprivate init(_ list: FieldList?) throws(FieldList.Malformed) {
        guard let list, let sequence: UInt64 = try list.integer(1), let hash = list.bytes(2) else {
            throw FieldList.Malformed()
        }
        self.init(
            SyncHead.Mark(sequence: sequence, hash: Array(hash)),
            previous: list.fields.filter { $0.number == 3 }.map { Array($0.bytes) })
    }
}

extension SyncState.Root {
    fileprivate var list: FieldList {
        var list = FieldList()
        list.append(1, id.bytes)
        list.append(2, scope.list)
        if let device { list.append(3, device.list) }
        for group in groups { list.append(4, group.name) }
        return list
    }

    fileprivate init(_ list: FieldList) throws(FieldList.Malformed) {
        guard let id = list.bytes(1).flatMap({ SyncDeviceID($0) }), let scope = try list.lists(2).first else {
            throw FieldList.Malformed()
        }
        self.init(
            id: id, scope: try SyncScope(scope),
            groups: list.fields.filter { $0.number == 4 }.compactMap { field in
                try? AccessGroup(String(decoding: field.bytes, as: UTF8.self))
            },
            device: try list.lists(3).first.map { (list) throws(FieldList.Malformed) in try SyncDevice(list) })
    }
}

extension FieldList {
    // 1 group, 2 position u64.
    fileprivate init(_ group: SyncGroupTag, _ position: UInt64) {
        self.init()
        append(1, group.bytes)
        append(2, position)
    }

    fileprivate func positions(_ number: UInt16) throws(Malformed) -> [SyncGroupTag: UInt64] {
        var found: [SyncGroupTag: UInt64] = [:]
        for list in try lists(number) {
            guard let tag = list.bytes(1).flatMap({ SyncGroupTag($0) }), let position: UInt64 = try list.integer(2)
            else { throw Malformed() }
            found[tag] = position
        }
        return found
    }

    // 1 group, 2 vector, 3 digest.
    fileprivate mutating func append(_ number: UInt16, _ held: [SyncGroupTag: SyncState.ToldDigest]) {
        for (tag, held) in held.sorted(by: { $0.key < $1.key }) {
            var entry = FieldList()
            entry.append(1, tag.bytes)
            entry.append(2, held.vector.bytes)
            entry.append(3, held.digest)
            append(number, entry)
        }
    }

    fileprivate func digests(_ number: UInt16) throws(Malformed) -> [SyncGroupTag: SyncState.ToldDigest] {
        var found: [SyncGroupTag: SyncState.ToldDigest] = [:]
        for entry in try lists(number) {
            guard let tag = entry.bytes(1).flatMap({ SyncGroupTag($0) }), let vector = entry.bytes(2),
                let digest = entry.bytes(3)
            else { throw Malformed() }
            found[tag] = .init(vector: SyncVector(bytes: Array(vector)), digest: Array(digest))
        }
        return found
    }

    fileprivate func groupFiles(_ number: UInt16) throws(Malformed) -> [SyncHead.GroupFile] {
        var files: [SyncHead.GroupFile] = []
        for list in try lists(number) { files.append(try SyncHead.GroupFile(list)) }
        return files
    }
}

extension SyncState.Peer {
    // 1 id, 2 head, 3 name, 4 time i64, 5 file (repeats), 6 merged (repeats), 7 whether it begins anew u8, 8 arrived i64, 9
    // acknowledged (repeats), 10 when a group was named (repeats), 11 what it held of a group (repeats),
    // 12 with what it hides that (repeats: 1 group, 2 key).
    fileprivate func list(_ id: SyncDeviceID) -> FieldList {
        var list = FieldList()
        list.append(1, id.bytes)
        list.append(2, head.list)
        list.append(3, name)
        list.append(4, time.seconds)
        for file in files { list.append(5, file.list) }
        for (tag, place) in merged.sorted(by: { $0.key < $1.key }) { list.append(6, FieldList(tag, place)) }
        if beginsAnew { list.append(7, UInt8(1)) }
        list.append(8, arrived?.seconds)
        for (tag, place) in acknowledged.sorted(by: { $0.key < $1.key }) { list.append(9, FieldList(tag, place)) }
        for change in named.mapValues({ SyncGroupChange(named: $0) }).lists() { list.append(10, change) }
        list.append(11, held)
        for (tag, key) in digestKeys.sorted(by: { $0.key < $1.key }) {
            var entry = FieldList()
            entry.append(1, tag.bytes)
            entry.append(2, key)
            list.append(12, entry)
        }
        return list
    }

    fileprivate init(_ list: FieldList) throws(FieldList.Malformed) {
        let seconds: Int64? = try list.integer(4)
        self.init(
            head: try SeenHead(try list.lists(2).first), name: try list.requiredText(3),
            time: Timestamp(seconds: seconds ?? 0), files: try list.groupFiles(5))
        merged = try list.positions(6)
        acknowledged = try list.positions(9)
        named = try [SyncGroupTag: SyncGroupChange](try list.lists(10)).compactMapValues(\.named)
        beginsAnew = list.bytes(7) != nil
        let arrival: Int64? = try list.integer(8)
        arrived = arrival.map(Timestamp.init(seconds:))
        held = try list.digests(11)
        for entry in try list.lists(12) {
            guard let tag = entry.bytes(1).flatMap({ SyncGroupTag($0) }), let key = entry.bytes(2) else {
                throw FieldList.Malformed()
            }
            digestKeys[tag] = Array(key)
        }
    }
}

extension SyncState.Own {
    // 1 head, 2 file (repeats), 3 what is known of a group's (repeats), 4 roster, 5 whether it is confirmed u8, 7 time i64,
    // 8 what it tells of what is held of a group (repeats).
    fileprivate var list: FieldList {
        var list = FieldList()
        list.append(1, head.list)
        for file in files { list.append(2, file.list) }
        for (tag, told) in told.sorted(by: { $0.key < $1.key }) { list.append(3, told.list(tag)) }
        list.append(4, roster)
        list.append(5, UInt8(isConfirmed ? 1 : 0))
        list.append(7, time?.seconds)
        list.append(8, held)
        return list
    }

    fileprivate init(_ list: FieldList) throws(FieldList.Malformed) {
        let confirmed: UInt8? = try list.integer(5)
        var told: [SyncGroupTag: SyncState.ToldGroup] = [:]
        for entry in try list.lists(3) {
            guard let tag = entry.bytes(1).flatMap({ SyncGroupTag($0) }) else { throw FieldList.Malformed() }
            told[tag] = try SyncState.ToldGroup(entry)
        }
        self.init(
            head: try SeenHead(try list.lists(1).first), files: try list.groupFiles(2), told: told,
            roster: Array(list.bytes(4) ?? []), isConfirmed: confirmed == 1)
        held = try list.digests(8)
        let seconds: Int64? = try list.integer(7)
        time = seconds.map(Timestamp.init(seconds:))
    }
}
