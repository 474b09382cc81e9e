internal import KeyfobFiles
package import KeyfobModel
package import KeyfobRecords
internal import KeyfobSecretService
internal import KeyfobSodium
package import KeyfobVault

extension SecretServiceStorage {
    package func integrityProblems() throws -> [String] {
        let items = try headerItems().items
        let headers = items.count > 1 ? ["Secret Service: \(items.count) items hold the vault's header"] : []
        return try headers + logProblems()
    }

    package func verify(_ keys: GroupKeys, name: String) throws -> Verification {
        var verification = Verification()
        for finding in try findings(keys) {
            switch finding {
            case .sound: verification.opened += 1
            case .damaged(let row, let item):
                verification.losses.append(Verification.Loss(RecordLoss(.unopened, nil), row: row))
                verification.problems.append("group \(name): the item \(item.path) holds what Keyfob did not write")
            case .double(_, let record):
                verification.problems.append("group \(name): record \(record.short) is in two items")
            case .misfiled(let item, let record, _):
                verification.opened += 1
                verification.problems.append(
                    "group \(name): record \(record.header.record.short) is filed under other attributes than its own "
                        + "(\(item.path))")
            case .unfinished(let item):
                verification.problems.append(
                    "group \(name): the item \(item.path) is empty; its record was never there")
            }
        }
        return verification
    }

    package func strayRowCount(groups: [GroupID]) throws -> Int { try strays(groups).count }

    package func repair(
        _ keys: GroupKeys, sequence: UInt64, seen: UInt64, name: String, now: Timestamp,
        naming: (RecordLoss) -> [RecordLoss]
    ) throws -> GroupRepair {
        let turn = try FileLock(directory.recordsLock, orBusyAfter: Self.patience)
        try requireHere()
        var repair = GroupRepair()
        repair.files = try quarantineLogs(now: now)
        for finding in try findings(keys) {
            switch finding {
            case .sound: break
            case .damaged(_, let item): repair.files.append(try putAside(item, "damaged"))
            case .double(let item, _), .unfinished(let item): try remove(item)
            case .misfiled(let item, _, let proper):
                try withService { service, _ in
                    try service.setAttributes(of: item, to: proper.attributes, label: proper.label)
                }
            }
        }
        _ = consume turn
        return repair
    }

    // What was put aside stays where it was, under a label that says so: there is no loss to note.
    package func putStrayRowsAside(groups: [GroupKeys], sequence: UInt64, now: Timestamp) throws -> GroupRepair {
        let turn = try FileLock(directory.recordsLock, orBusyAfter: Self.patience)
        try requireHere()
        let headers = try headerItems()
        var repair = GroupRepair()
        repair.files = try headers.items.filter { $0 != headers.newest }.map { try putAside($0, "header") }
        repair.files += try strays(groups.map(\.group)).map { try putAside($0, "stray") }
        _ = consume turn
        return repair
    }

    /// What is to be said of one item.
    private enum Finding {
        case sound
        case damaged(row: Int64, SecretService.ItemPath)
        /// The record is in a later item as well.
        case double(SecretService.ItemPath, RecordID)
        case misfiled(SecretService.ItemPath, StoredRecord, proper: (attributes: [String: String], label: String))
        /// The service ended while it made the item.
        case unfinished(SecretService.ItemPath)
    }

    private func findings(_ keys: GroupKeys) throws -> [Finding] {
        let names = try groupNames()
        let records = ItemRecords(storage: self, keys: keys)
        // An item that has lost its group's attribute tells in what it holds which group's it is.
        let unfiled = try records.all(try unfiledItems(Array(names.keys))).filter { (try? $0.record.get()) != nil }
        let items = try records.items([:])
        let own = try records.all(items)
        let read = Set(try own.map { try item(row: $0.row) })
        let unfinished = try items.filter { try !read.contains($0) && attributesIfThere(of: $0) != nil }
        let rows = own + unfiled
        var latest: [RecordID: (version: ItemVersion, row: Int64)] = [:]
        for case (let row, .success(let record)) in rows {
            let known = latest[record.header.record]
            if known.map({ $0.version < record.version }) ?? true {
                latest[record.header.record] = (record.version, row)
            }
        }
        return try unfinished.map { .unfinished($0) }
            + rows.compactMap { row, result in
                let item = try self.item(row: row)
                guard let record = try? result.get() else { return .damaged(row: row, item) }
                guard latest[record.header.record]?.row == row else { return .double(item, record.header.record) }
                let proper = try ItemAttributes.describe(
                    record.header, try record.open(keys), group: names[keys.group] ?? .default)
                // Another process may have removed it meanwhile.
                guard let found = try attributesIfThere(of: item) else { return nil }
                let isFiled = proper.attributes.allSatisfy { found[$0.key] == $0.value }
                return isFiled ? .sound : .misfiled(item, record, proper: proper)
            }
    }

    /// The attributes of an item; nil when it is gone.
    private func attributesIfThere(of item: SecretService.ItemPath) throws -> [String: String]? {
        do {
            return try withService { service, _ in try service.attributes(of: item) }
        } catch DesktopError.service(.noItem, _) {
            return nil
        }
    }

    private func groupNames() throws -> [GroupID: AccessGroup] {
        try openHeader().unlocked().groupNames
    }

    /// The items of the vault that are in none of its groups.
    private func strays(_ groups: [GroupID]) throws -> [SecretService.ItemPath] {
        let unfiled = try unfiledItems(groups)
        return try withService { service, _ in
            var strays: [SecretService.ItemPath] = []
            try service.secrets(of: unfiled) { item, content in
                switch consume content {
                case .success(let bytes):
                    if Self.isEmptied(bytes) { return }
                    if let group = OpenRecord.group(of: bytes, in: vault), groups.contains(group) { return }
                    strays.append(item)
                case .failure(.noItem): break
                case .failure(.damaged): strays.append(item)
                case .failure(let error): throw error
                }
            }
            return strays
        }
    }

    /// The items of the vault whose attributes tell of none of its groups.
    private func unfiledItems(_ groups: [GroupID]) throws -> [SecretService.ItemPath] {
        try withService { service, collection in
            var filed: Set<SecretService.ItemPath> = []
            for group in groups {
                filed.formUnion(try service.items(ItemAttributes.every(vault, group), in: collection))
            }
            return try service.items(ItemAttributes.every(vault), in: collection).filter { !filed.contains($0) }
        }
    }

    /// Leaves an item where it is, under attributes by which nobody looks for it.
    ///
    /// - Returns: What the owner can find it by.
    func putAside(_ item: SecretService.ItemPath, _ why: String) throws -> String {
        try withService { service, _ in
            let attributes = ItemAttributes.nobodys(try service.attributes(of: item))
                .merging(["xdg:schema": ItemAttributes.record, "aside": "\(vault)", "kind": why]) { $1 }
            try service.setAttributes(of: item, to: attributes, label: "Keyfob: put aside (\(why))")
        }
        return "\(item.path) (kind \(why))"
    }
}
