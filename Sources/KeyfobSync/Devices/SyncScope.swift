package import KeyfobModel
internal import KeyfobSodium
package import KeyfobVault

/// What stands for a group in a sync, so that a device which does not share it does not learn its name.
package struct SyncGroupTag: Hashable, Comparable, Sendable {
    /// How many bytes there are.
    package static let count = 16
    /// The bytes.
    package let bytes: [UInt8]

    /// The tag with these bytes; nil for another number of them.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        self.bytes = Array(bytes)
    }

    /// The tag of a group that begins with a name in a sync.
    ///
    /// - Parameter number: How many groups that began with the name there were before.
    package init(_ group: AccessGroup, in sync: SyncID, number: UInt64 = 0) {
        var text = Array("keyfob sync group v1".utf8) + sync.bytes + Array(group.name.utf8)
        // No name holds a zero byte.
        if number > 0 { text += [0] + Array("\(number)".utf8) }
        bytes = BLAKE2b.hash(text, count: 16)
    }

    /// Orders by the bytes.
    package static func < (left: SyncGroupTag, right: SyncGroupTag) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

/// Which groups a device shares, and so for which it decides.
package enum SyncScope: Hashable, Sendable {
    /// All there are and will be.
    case whole
    /// These.
    case groups(Set<SyncGroupTag>)

    /// None.
    package static var none: SyncScope { .groups([]) }

    /// Whether there is a group in it.
    package var isEmpty: Bool { self == .none }

    /// How many groups it names.
    package var count: Int {
        switch self {
        case .whole: 0
        case .groups(let groups): groups.count
        }
    }

    /// Whether a group is in it.
    package func contains(_ group: SyncGroupTag) -> Bool {
        switch self {
        case .whole: true
        case .groups(let groups): groups.contains(group)
        }
    }

    /// What is in both.
    package func intersection(_ other: SyncScope) -> SyncScope {
        switch (self, other) {
        case (.whole, _): other
        case (_, .whole): self
        case (.groups(let mine), .groups(let theirs)): .groups(mine.intersection(theirs))
        }
    }

    /// What is in either.
    package func union(_ other: SyncScope) -> SyncScope {
        guard case .groups(let mine) = self, case .groups(let theirs) = other else { return .whole }
        return .groups(mine.union(theirs))
    }

    /// Whether all of another one is in it.
    package func covers(_ other: SyncScope) -> Bool { union(other) == self }

    /// 1 whether it is whole u8, 2 a group's tag (repeats).
    package var list: FieldList {
        var list = FieldList()
        switch self {
        case .whole: list.append(1, UInt8(1))
        case .groups(let groups): for group in groups.sorted() { list.append(2, group.bytes) }
        }
        return list
    }

    /// The scope that ``list`` describes.
    package init(_ list: FieldList) throws(FieldList.Malformed) {
        if list.bytes(1) != nil {
            self = .whole
            return
        }
        var groups: Set<SyncGroupTag> = []
        for field in list.fields where field.number == 2 {
            guard let tag = SyncGroupTag(field.bytes) else { throw FieldList.Malformed() }
            groups.insert(tag)
        }
        self = .groups(groups)
    }
}
