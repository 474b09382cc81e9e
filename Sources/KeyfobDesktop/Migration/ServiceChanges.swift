internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSecretService
internal import KeyfobSodium
internal import KeyfobVault

/// What has to be done so that the Secret Service holds a vault's records, and nothing else of the vault.
struct ServiceChanges: Sendable {
    /// Records that have no item.
    var created: [(group: VaultCopy.Group, record: VaultCopy.Record)] = []
    /// Items that hold another version of a record, or the right one under other attributes.
    var overwritten: [(item: SecretService.ItemPath, group: VaultCopy.Group, record: VaultCopy.Record)] = []
    /// Items that hold no record of the vault, or one that another item holds.
    var removed: [SecretService.ItemPath] = []
    /// Items that the header cannot be in; and whether it is in no other.
    var removedHeaders: [SecretService.ItemPath] = []
    var writesHeader = false
    var tally = MigrationTally()

    /// How many items change.
    var count: Int { created.count + overwritten.count + removed.count }

    /// Whether all is as it is to be.
    var isEmpty: Bool { count == 0 && removedHeaders.isEmpty && !writesHeader }
}

extension SecretServiceStorage {
    /// Compares what the service holds with `copy` and the header of `vault`.
    func changes(
        _ vault: borrowing UnlockedVault, device: UInt64, _ copy: VaultCopy, _ printer: RecordPrinter
    ) throws -> ServiceChanges {
        MigrationObservation.willTake(.compare)
        let inventory = try inventory(copy, printer)
        var changes = ServiceChanges()
        // Items in another collection are never looked at later.
        let isHome = { (item: SecretService.ItemPath) in item.collection == self.collection }
        var items: [RecordID: [ServiceInventory.Item]] = [:]
        for item in inventory.items {
            if let record = item.record, isHome(item.path) { items[record, default: []].append(item) }
        }
        var used: Set<SecretService.ItemPath> = []
        for group in copy.groups {
            var tally = MigrationTally.Group(group)
            for record in group.records {
                let candidates = items[record.sealed.header.record] ?? []
                if candidates.contains(where: { $0.isNewer(than: record.print.version) }) { changes.tally.newer += 1 }
                let same = candidates.first { $0.digest == record.print.digest }
                guard let item = same ?? candidates.first else {
                    changes.created.append((group, record))
                    continue
                }
                used.insert(item.path)
                if same != nil, try isFiled(item.path, group, record) {
                    tally.kept += 1
                } else {
                    tally.replaced += 1
                    changes.overwritten.append((item.path, group, record))
                }
            }
            changes.tally.groups.append(tally)
            // What the group has not got, and was written after all that it has.
            let latest = group.records.map(\.print.version).max()
            changes.tally.newer += inventory.items.count { item in
                item.group == group.keys.group && !used.contains(item.path)
                    && latest.map { item.isNewer(than: $0) } ?? true
            }
        }
        changes.removed = inventory.items.map(\.path).filter { !used.contains($0) }
        changes.tally.removed = changes.removed.count
        try compareHeaders(inventory.headers, vault, device, &changes)
        return changes
    }

    /// Whether an item has the attributes that a record is searched by.
    private func isFiled(
        _ item: SecretService.ItemPath, _ group: VaultCopy.Group, _ record: VaultCopy.Record
    ) throws -> Bool {
        let proper = try parts(group, record).attributes
        let found = try withService { service, _ in try service.attributes(of: item) }
        return proper.allSatisfy { found[$0.key] == $0.value }
    }

    private func parts(_ group: VaultCopy.Group, _ record: VaultCopy.Record) throws -> ItemParts {
        do {
            return try ItemParts(
                record.sealed, group.keys, group: group.name, owner: try owner(of: record.sealed, in: group))
        } catch {
            throw StoreError.damaged(what: "record \(record.sealed.header.record.short)")
        }
    }

    private func owner(of record: SealedRecord, in group: VaultCopy.Group) throws -> ItemOwner? {
        guard let value = record.header.index.account, record.header.kind != .account,
            let account = group.accounts[value]
        else { return nil }
        return ItemOwner(try AccountBody.decode(group.keys.openAttributes(account.header, account.attributes)))
    }

    private func compareHeaders(
        _ headers: [SecretService.ItemPath], _ vault: borrowing UnlockedVault, _ device: UInt64,
        _ changes: inout ServiceChanges
    ) throws {
        let home = try headerItems().newest
        changes.removedHeaders = headers.filter { $0 != home }
        changes.writesHeader = true
        guard home != nil else { return }
        let wanted = try OpenHeader(vault, device: device)
        guard let found = try? openHeader() else { return }
        changes.writesHeader =
            found.device != device || found.header != wanted.header || !found.vaultKey.isEqual(to: wanted.vaultKey)
            // What was written down of a change before this one is to make nothing anew.
            || !changes.removed.isEmpty || !changes.overwritten.isEmpty
        if let other = try? LockedVault(headerBytes: found.header), other.sequence > vault.sequence {
            changes.tally.newer += 1
        }
    }

    /// Makes the changes: what is new first, what goes last, and then the header.
    func make(
        _ changes: ServiceChanges, _ vault: borrowing UnlockedVault, device: UInt64, progress: (Int, Int) -> Void
    ) throws {
        var done = 0
        func step(_ body: () throws -> Void) throws {
            MigrationObservation.willTake(.item)
            try body()
            done += 1
            progress(done, changes.count)
        }
        for (group, record) in changes.created {
            try step {
                _ = try create(
                    record.sealed, group.keys, group: group.name, owner: try owner(of: record.sealed, in: group))
            }
        }
        for (item, group, record) in changes.overwritten {
            let parts = try parts(group, record)
            try step {
                try withService { service, _ in
                    try service.setSecret(of: item, to: parts.secret, as: .plain)
                    try service.file(item, under: parts.attributes, label: parts.label)
                }
            }
        }
        for item in changes.removed { try step { try remove(item) } }
        for item in changes.removedHeaders { try remove(item) }
        if changes.writesHeader {
            MigrationObservation.willTake(.item)
            try storeHeader(try OpenHeader(vault, device: device))
        }
    }
}
