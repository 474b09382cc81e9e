package import KeyfobModel
internal import KeyfobVault

/// What became of a group in a sync, beside its items.
///
/// A group keeps its tag for ever: its name is only what it is called. What was removed does not come back under the same
/// tag; a later group of that name has another one.
package struct SyncGroupChange: Hashable, Sendable {
    /// When it got the name that it has; nil where it has the one that it began with.
    package var named: ItemVersion?
    /// When it was removed; nil where it was not.
    package var removed: ItemVersion?

    /// A change.
    package init(named: ItemVersion? = nil, removed: ItemVersion? = nil) {
        (self.named, self.removed) = (named, removed)
    }

    /// 1 tag, 2 and 3 stamp u64 and device u64 of its name, 4 and 5 of its removal.
    func list(_ tag: SyncGroupTag) -> FieldList {
        var list = FieldList()
        list.append(1, tag.bytes)
        list.append(version: named, 2)
        list.append(version: removed, 4)
        return list
    }

    init(_ list: FieldList) throws(FieldList.Malformed) {
        (named, removed) = (try list.version(2), try list.version(4))
    }
}

extension [SyncGroupTag: SyncGroupChange] {
    func lists() -> [FieldList] { sorted { $0.key < $1.key }.map { $0.value.list($0.key) } }

    init(_ lists: [FieldList]) throws(FieldList.Malformed) {
        self.init()
        for list in lists.prefix(Self.limit) {
            guard let tag = list.bytes(1).flatMap({ SyncGroupTag($0) }) else { throw FieldList.Malformed() }
            self[tag] = try SyncGroupChange(list)
        }
    }

    /// Of how many groups something is told.
    package static var limit: Int { 4_096 }
}

extension SyncState {
    /// A group of the vault, as the sync knows it.
    package struct LocalGroup: Hashable, Sendable {
        /// Which one it is.
        package let id: GroupID
        /// What it was called here last.
        package var name: AccessGroup
        /// When it got that name; nil for the one that it began with.
        package var named: ItemVersion?

        /// A group.
        package init(id: GroupID, name: AccessGroup, named: ItemVersion? = nil) {
            (self.id, self.name, self.named) = (id, name, named)
        }

        /// 1 tag, 2 and 3 stamp u64 and device u64 of its name, 6 id, 7 name.
        func list(_ tag: SyncGroupTag) -> FieldList {
            var list = SyncGroupChange(named: named).list(tag)
            list.append(6, id.bytes)
            list.append(7, name.name)
            return list
        }

        init(_ list: FieldList) throws(FieldList.Malformed) {
            guard let id = list.bytes(6).flatMap({ GroupID(Array($0)) }),
                let name = try? AccessGroup(try list.requiredText(7))
            else { throw FieldList.Malformed() }
            self.init(id: id, name: name, named: try list.version(2))
        }
    }

    /// The tag of a group of the vault, whatever it is called by now; nil for one that is not known yet.
    package func tag(of id: GroupID) -> SyncGroupTag? { groups.first { $0.value.id == id }?.key }

    /// The tag of a group of the vault.
    package func tag(of name: AccessGroup, in sync: SyncID) -> SyncGroupTag {
        groups.first { $0.value.name == name }?.key ?? unusedTag(for: name, in: sync)
    }

    /// The tag that a group gets which is new here: the first that no other one here has, none that was removed had, and none that
    /// others call something else, as it is another group by now.
    package func unusedTag(for name: AccessGroup, in sync: SyncID) -> SyncGroupTag {
        var number: UInt64 = 0
        var tag = SyncGroupTag(name, in: sync)
        while groups[tag] != nil || removedGroups[tag] != nil || peers.values.contains(where: { $0.named[tag] != nil })
        {
            number += 1
            tag = SyncGroupTag(name, in: sync, number: number)
        }
        return tag
    }

    /// What there is to tell of the groups that somebody shares.
    package func groupChanges(in scope: SyncScope) -> [SyncGroupTag: SyncGroupChange] {
        var changes: [SyncGroupTag: SyncGroupChange] = [:]
        for (tag, group) in groups where group.named != nil && scope.contains(tag) {
            changes[tag] = SyncGroupChange(named: group.named)
        }
        for (tag, version) in removedGroups where scope.contains(tag) {
            changes[tag] = SyncGroupChange(removed: version)
        }
        return changes
    }
}

extension FieldList {
    mutating func append(version: ItemVersion?, _ number: UInt16) {
        guard let version else { return }
        append(number, version.stamp.value)
        append(number + 1, version.device)
    }

    func version(_ number: UInt16) throws(Malformed) -> ItemVersion? {
        guard let stamp: UInt64 = try integer(number), let device: UInt64 = try integer(number + 1) else { return nil }
        return ItemVersion(stamp: Stamp(value: stamp), device: device)
    }
}
