internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobVault

/// Every record of a vault as it was at one moment, sealed in memory, with its print.
struct VaultCopy: Sendable {
    /// The sequence of the header that was current.
    let sequence: UInt64
    let groups: [Group]

    /// One group's records, in the order in which they were stored.
    struct Group: Sendable {
        let keys: GroupKeys
        let name: AccessGroup
        /// What the storage says of the group; nil where it keeps no such list.
        let manifest: GroupManifest?
        let records: [Record]
        /// Those of accounts, by their blinded ids.
        let accounts: [BlindValue: SealedRecord]
    }

    struct Record: Sendable {
        let sealed: SealedRecord
        let print: RecordPrint
    }

    /// Reads all groups of a vault whose header is current.
    ///
    /// - Throws: `damaged` or `incomplete` where one record does not open or is missing, `staleKeys` where another
    ///   process has changed the header.
    init(
        _ vault: borrowing UnlockedVault, in storage: any VaultStorage, _ printer: RecordPrinter
    ) throws {
        var groups: [Group] = []
        for group in vault.groups {
            groups.append(
                try storage.snapshot(group.keys) { reader in try Group(reader, name: group.name, printer) })
        }
        self.groups = groups
        sequence = vault.sequence
    }

    /// How many records there are.
    var count: Int { groups.reduce(0) { $0 + $1.records.count } }

    /// Whether both hold the same versions of the same records in the same groups.
    func holdsSameRecords(as other: VaultCopy) -> Bool {
        groups.count == other.groups.count
            && zip(groups, other.groups).allSatisfy { mine, theirs in
                mine.keys.group == theirs.keys.group && mine.name == theirs.name && mine.prints == theirs.prints
            }
    }
}

extension VaultCopy.Group {
    init(_ reader: any RecordReading, name: AccessGroup, _ printer: RecordPrinter) throws {
        let keys = reader.keys
        var found = GroupManifest()
        var records: [VaultCopy.Record] = []
        try reader.forEachRow { _, result in
            let record = try result.get()
            let secret: CommittingAEAD.Box?
            do {
                secret = record.secretCommitment == nil ? nil : try reader.sealedSecret(record)
            } catch StoreError.damaged where record.isMadeByHand {
                // Somebody has made an item without a token: there is nothing to be moved.
                return
            }
            found.insert(record.element(keys))
            let sealed = SealedRecord(
                header: record.header, attributes: record.attributes, secret: secret,
                traits: record.elementWithTraits(keys).traits)
            records.append(VaultCopy.Record(sealed: sealed, print: try printer.print(sealed, keys)))
        }
        manifest = try reader.manifest()
        guard manifest?.describesSameRecords(as: found) ?? true else { throw StoreError.incomplete(group: keys.group) }
        self.keys = keys
        self.name = name
        self.records = records
        accounts = Dictionary(
            records.map(\.sealed).filter { $0.header.kind == .account }.compactMap { record in
                record.header.index.account.map { ($0, record) }
            }
        ) { first, _ in first }
    }

    /// The prints by record.
    var prints: [RecordID: RecordPrint] {
        Dictionary(records.map { ($0.sealed.header.record, $0.print) }) { first, _ in first }
    }
}
