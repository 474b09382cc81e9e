package import KeyfobModel
package import KeyfobVault

// What is gone from a group is found by its manifest, and named by what is left: clear headers, an index, other records.

extension RecordReading {
    /// What the group has lost, or has that it should not, as far as what is left of it tells.
    ///
    /// - Parameters:
    ///   - expected: What should be there; nil where nothing tells.
    ///   - actual: What is there.
    ///   - unopened: The rows that do not open, with the clear header of those that have one.
    ///   - gone: What the storage's index tells still of rows that are gone.
    package func losses(
        expected: GroupManifest?, actual: GroupManifest, unopened: [(row: Int64, header: RecordHeader?)],
        gone: [(kind: RecordHeader.Kind?, account: BlindValue?)]
    ) throws -> [Verification.Loss] {
        let isSound = expected.map { actual.describesSameRecords(as: $0) } ?? false
        guard !isSound || !unopened.isEmpty else { return [] }
        let names = try AccountNames(self)
        var losses = unopened.compactMap { row, header in
            header.map { header in
                Verification.Loss(
                    RecordLoss(
                        .unopened, RecordLoss.Kind(header.kind), account: names[header.index.account],
                        written: Timestamp(seconds: header.stamp.milliseconds / 1_000)), row: row)
            }
        }
        var unread = unopened.filter { $0.header == nil }.map(\.row)
        var isCountRight = true
        for kind in RecordHeader.Kind.allCases {
            guard let expected else { break }
            var difference = expected.count(of: kind) - actual.count(of: kind)
            if difference != 0 { isCountRight = false }
            // A row that cannot be read at all is one of those that the manifest misses.
            while difference > 0, let row = unread.popLast() {
                losses.append(Verification.Loss(RecordLoss(.unopened, RecordLoss.Kind(kind)), row: row))
                difference -= 1
            }
            if difference > 0 {
                losses += missing(kind, count: difference, names, gone).map { Verification.Loss($0) }
            } else if difference < 0 {
                losses.append(Verification.Loss(RecordLoss(.added, RecordLoss.Kind(kind), count: -difference)))
            }
        }
        losses += unread.map { Verification.Loss(RecordLoss(.unopened, nil), row: $0) }
        if expected == nil {
            losses.append(Verification.Loss(RecordLoss(.untold, nil, count: 0)))
        } else if !isSound, isCountRight, unopened.isEmpty {
            losses.append(Verification.Loss(RecordLoss(.replaced, nil)))
        }
        return losses
    }

    /// Missing records of one kind, by name where what is left names no more than are missing.
    private func missing(
        _ kind: RecordHeader.Kind, count: Int, _ names: AccountNames,
        _ gone: [(kind: RecordHeader.Kind?, account: BlindValue?)]
    ) -> [RecordLoss] {
        var accounts = gone.filter { $0.kind == kind }.compactMap { names[$0.account] }
        if kind == .account { accounts = Array(Set(accounts).union(names.withoutAccount)).sorted() }
        if accounts.count > count { accounts = [] }
        let named = accounts.map { RecordLoss(.missing, RecordLoss.Kind(kind), account: $0) }
        let rest = count - named.count
        return named + (rest > 0 ? [RecordLoss(.missing, RecordLoss.Kind(kind), count: rest)] : [])
    }
}

/// The accounts that the records of a group tell of, whichever of them are left.
private struct AccountNames {
    private var names: [BlindValue: AccountID] = [:]
    private var accounts: Set<AccountID> = []

    init(_ reader: some RecordReading) throws {
        try reader.forEachRow { _, result in
            guard let record = try? result.get(), let content = try? record.content(reader.keys),
                let id = content.key.account.flatMap({ AccountID($0) })
            else { return }
            if let value = record.header.index.account { names[value] = id }
            if content.key.kind == .account { accounts.insert(id) }
        }
    }

    /// The accounts that have tokens here and no record of their own, nor one of their removal.
    var withoutAccount: Set<AccountID> { Set(names.values).subtracting(accounts) }

    /// Whose blinded id it is.
    subscript(_ value: BlindValue?) -> AccountID? { value.flatMap { names[$0] } }
}

extension RecordLoss.Kind {
    /// What the record of this kind is to people.
    package init(_ kind: RecordHeader.Kind) {
        self =
            switch kind {
            case .account: .account
            case .accessToken: .accessToken
            case .refreshToken: .refreshToken
            case .idToken: .idToken
            case .appMetadata: .appMetadata
            case .foreign: .foreign
            case .setting: .setting
            case .tombstone: .tombstone
            case .clientSecret: .clientSecret
            case .journal: .journal
            }
    }
}

// A setting of the group, sealed and in its manifest as every record: whoever holds the group's key can write it, and it
// decides nothing but what is told. The owner's carries the owner's MAC.

extension RecordLoss {
    /// The name under which a group keeps what it has lost.
    package static let setting = "losses"
}

extension GroupWriter {
    /// Notes what the group has lost, after what was noted before.
    package func note(_ losses: [RecordLoss]) throws {
        guard !losses.isEmpty else { return }
        // What is no owner's word is not made the owner's.
        let earlier = try notedLosses().flatMap { record in
            try? record.decode(keys) { body throws(FieldList.Malformed) in try Setting(body, keys) }
        }
        let kept = earlier.flatMap { $0.writer == keys.ownWriter ? RecordLoss.losses(of: $0.value) : nil } ?? []
        try setSetting(RecordLoss.setting, to: RecordLoss.text(of: kept + losses), isThisDeviceOnly: true)
    }

    /// Forgets what the group has lost.
    ///
    /// It leaves no tombstone, which would go where the note itself never goes.
    package func forgetLosses() throws {
        if let record = try notedLosses() { try delete(record) }
    }

    /// Forgets what of it came back; what somebody else has noted stays as it is.
    package func forgetLosses(of returned: [RecordLoss.Returned]) throws {
        guard !returned.isEmpty, let record = try notedLosses(),
            let setting = try? record.decode(keys, { body throws(FieldList.Malformed) in try Setting(body, keys) }),
            setting.writer == keys.ownWriter
        else { return }
        let losses = RecordLoss.losses(of: setting.value)
        let rest = RecordLoss.remaining(of: losses, after: returned)
        guard rest != losses else { return }
        guard !rest.isEmpty else { return try delete(record) }
        try setSetting(RecordLoss.setting, to: RecordLoss.text(of: rest), isThisDeviceOnly: true)
    }

    private func notedLosses() throws -> StoredRecord? {
        try reader.records(.credential, keys.lookup(.setting(name: RecordLoss.setting, value: nil))).first
    }
}

extension VaultReading {
    /// What a group has lost, as it was noted there, and who noted it.
    ///
    /// - Throws: `incomplete` or `damaged` when that cannot be told for certain.
    package func losses(in keys: GroupKeys) throws -> (losses: [RecordLoss], writer: DecisionWriter) {
        guard let setting = try setting(RecordLoss.setting, in: keys) else { return ([], .unknown) }
        return (RecordLoss.losses(of: setting.value), setting.writer)
    }
}
