package import KeyfobModel
internal import KeyfobRecords
package import KeyfobVault

/// What a migration moves, and what it finds where it moves it to.
package struct MigrationTally: Equatable, Sendable {
    /// In the order in which the groups were made.
    package var groups: [Group] = []
    /// Items of the vault, or of one of its groups that is gone, which it does not hold any more: they are removed.
    package var removed = 0
    /// Items that were written later than what takes their place, and a header that was.
    ///
    /// They have been in use since the records were read last, so that these are an earlier state. None where a
    /// migration has left the items.
    package var newer = 0

    /// One group's records.
    package struct Group: Equatable, Sendable {
        package let name: AccessGroup
        /// How many records of each kind there are; kinds without any are left out.
        package let kinds: [RecordHeader.Kind: Int]
        /// How many of them are there already as they are.
        package var kept = 0
        /// How many of them take the place of another version.
        package var replaced = 0

        /// How many records there are.
        package var records: Int { kinds.values.reduce(0, +) }
        /// How many of them are new there.
        package var added: Int { records - kept - replaced }
    }
}

extension MigrationTally.Group {
    init(_ group: VaultCopy.Group) {
        name = group.name
        kinds = group.records.reduce(into: [:]) { $0[$1.print.kind, default: 0] += 1 }
    }
}
