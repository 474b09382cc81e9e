package import KeyfobModel

/// What the undo journal keeps of one item: how it was before a command, and what the command left of it.
///
/// Of an item that had a secret, the record's own secret is that one.
package struct JournalItem: Sendable {
    /// The run of the command.
    package let entry: JournalEntry
    /// The kind of the item's record.
    package let kind: RecordHeader.Kind
    /// The item's record before the command; nil where the command added the item.
    package private(set) var former: Former?
    /// The body of an item that the command added.
    package private(set) var added: FieldList?
    /// The version that the command left; nil where it left none.
    package var left: ItemVersion?
    /// What tells what the command left from anything else, whatever its version is; nil where it left none, or nobody says.
    package var leftDigest: [UInt8]?
    /// Whether the command left a secret.
    package var leavesSecret = false
    /// Whether the command left a newer refresh token of the same sign-in, whose provider may end it where this one is used.
    package var isReplaced = false
    /// What the item held before the command, or what the command added.
    package let content: ItemContent

    /// A record before a command.
    package struct Former: Sendable {
        /// The body, with the owner's mark and what this build does not know.
        package let body: FieldList
        /// The flags of the header.
        package let flags: UInt16
        /// How many bytes its secret has; 0 where it had none.
        package let secretCount: Int

        /// A record with this body.
        package init(body: FieldList, flags: UInt16, secretCount: Int) {
            (self.body, self.flags, self.secretCount) = (body, flags, secretCount)
        }

        /// Whether it had a secret.
        package var hasSecret: Bool { secretCount > 0 }
    }

    /// An item that the command took away or changed.
    package init(
        _ entry: JournalEntry, _ kind: RecordHeader.Kind, former: Former, left: ItemVersion?
    ) throws(FieldList.Malformed) {
        self.init(entry, kind, former: former, try ItemBody.decode(former.body, kind), left: left)
    }

    /// The same, of which somebody knows already what it held.
    package init(
        _ entry: JournalEntry, _ kind: RecordHeader.Kind, former: Former, _ content: ItemContent, left: ItemVersion?
    ) {
        (self.entry, self.kind, self.former, self.left) = (entry, kind, former, left)
        added = nil
        self.content = content
    }

    /// The same of an item that was not there before the command.
    package func withoutFormer(added body: FieldList) -> JournalItem {
        var item = self
        (item.former, item.added) = (nil, body)
        return item
    }

    /// An item that the command added.
    package init(
        _ entry: JournalEntry, _ kind: RecordHeader.Kind, added: FieldList, left: ItemVersion
    ) throws(FieldList.Malformed) {
        self.entry = entry
        self.kind = kind
        self.added = added
        self.left = left
        former = nil
        content = try ItemBody.decode(added, kind)
    }
}

/// The attributes of a record of the undo journal.
///
/// 1 id of the entry (16 bytes), 2 command of at most 64 bytes, 3 when it ran i64, 4 kind of the item's record u8; of an item that was there
/// before: 5 its flags u16, 6 its body, 7 how many bytes its secret has u32; 8 the body of an item that the command added;
/// 9 the version that the command left (1 stamp u64, 2 device u64), absent where it left none; 10 the hash of what it left,
/// 16 bytes; 11 u8 1 where it left a secret;
/// 12 u8 1 where it left a newer refresh token of the same sign-in.
package enum JournalBody {
    private static let body: UInt16 = 6

    /// The body for an item.
    package static func encode(_ item: JournalItem) -> FieldList {
        var list = FieldList()
        list.append(1, item.entry.id.bytes)
        list.append(2, item.entry.command)
        list.append(3, item.entry.time.seconds)
        list.append(4, item.kind.rawValue)
        if let former = item.former {
            list.append(5, former.flags)
            list.append(body, former.body.encoded())
            if former.hasSecret { list.append(7, UInt32(clamping: former.secretCount)) }
        }
        if let added = item.added { list.append(8, added.encoded()) }
        if let left = item.left {
            var version = FieldList()
            version.append(1, left.stamp.value)
            version.append(2, left.device)
            list.append(9, version)
        }
        if let digest = item.leftDigest { list.append(10, digest) }
        if item.leavesSecret { list.append(11, UInt8(1)) }
        if item.isReplaced { list.append(12, UInt8(1)) }
        return list
    }

    /// The item that a body tells of.
    package static func decode(_ list: FieldList) throws(FieldList.Malformed) -> JournalItem {
        let (seconds, kind): (Int64?, UInt8?) = (try list.integer(3), try list.integer(4))
        guard let id = list.bytes(1).flatMap({ JournalID($0) }), let seconds,
            let kind = kind.flatMap(RecordHeader.Kind.init(rawValue:)), kind != .tombstone, kind != .journal
        else { throw FieldList.Malformed() }
        let command = try list.requiredText(2)
        guard command.utf8.count <= JournalEntry.commandLimit else { throw FieldList.Malformed() }
        let entry = JournalEntry(id: id, command: command, time: Timestamp(seconds: seconds))
        let left = try list.lists(9).first.map(version)
        var item = try self.item(list, entry, kind, left)
        item.leftDigest = list.bytes(10).map(Array.init)
        item.leavesSecret = list.bytes(11) != nil
        item.isReplaced = list.bytes(12) != nil
        return item
    }

    private static func item(
        _ list: FieldList, _ entry: JournalEntry, _ kind: RecordHeader.Kind, _ left: ItemVersion?
    ) throws(FieldList.Malformed) -> JournalItem {
        if let bytes = list.bytes(body) {
            let (flags, count): (UInt16?, UInt32?) = (try list.integer(5), try list.integer(7))
            let former = JournalItem.Former(
                body: try FieldList(encoded: bytes), flags: flags ?? 0, secretCount: Int(count ?? 0))
            return try JournalItem(entry, kind, former: former, left: left)
        }
        guard let bytes = list.bytes(8), let left else { throw FieldList.Malformed() }
        return try JournalItem(entry, kind, added: try FieldList(encoded: bytes), left: left)
    }

    /// The same body for keys that come after `old`: a decision of the owner's in it is signed with these.
    package static func carried(_ list: FieldList, from old: GroupKeys, to new: GroupKeys) -> FieldList {
        guard let item = try? decode(list), item.kind == .setting, let former = item.former else { return list }
        var carried = list.without(body)
        carried.append(body, SettingBody.carried(former.body, from: old, to: new).encoded())
        return carried
    }

    private static func version(_ list: FieldList) throws(FieldList.Malformed) -> ItemVersion {
        guard let stamp: UInt64 = try list.integer(1), let device: UInt64 = try list.integer(2) else {
            throw FieldList.Malformed()
        }
        return ItemVersion(stamp: Stamp(value: stamp), device: device)
    }
}
