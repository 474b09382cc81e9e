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
            case .sound(let kind): if kind != .journal { verification.opened += 1 }
            case .damaged(let row, let item, let loss):
                verification.losses.append(Verification.Loss(loss, row: row))
                verification.problems.append("group \(name): record in the item \(item.path) does not open")
            case .changed(let item, let record): verification.replaced.append(replaced(item, record, keys))
            case .earlier(let item, _, _):
                verification.opened += 1
                verification.problems.append(
                    "group \(name): an earlier version of Keyfob has written the item \(item.path); a repair writes it anew"
                )
            case .double(_, let record):
                verification.problems.append("group \(name): record \(record.short) is in two items")
            case .misfiled(let item, let record, _):
                verification.opened += 1
                verification.problems.append(
                    "group \(name): record \(record.header.record.short) is filed under other attributes than its own "
                        + "(\(item.path))")
            case .unfinished(let item):
                verification.problems.append(
                    "group \(name): the item \(item.path) is empty: it was not written in full, or another program has emptied it"
                )
            }
        }
        return verification
    }

    package func strayRowCount(groups: [GroupID]) throws -> Int { try strays(groups).count }

    package func repair(
        _ keys: GroupKeys, sequence: UInt64, seen: UInt64, name: String, now: Timestamp,
        naming: (RecordLoss) -> [RecordLoss]
    ) throws -> GroupRepair {
        let lost = try findings(keys).compactMap(\.lost)
        var repair = GroupRepair()
        repair.losses = lost.flatMap { item, loss in naming(loss).map { $0.noted(now, in: item.path) } }
        // First, so that nothing is put aside of which nobody knows; unless that note is what is damaged.
        let isNoted = try note(repair.losses, keys, sequence, now, isFirst: true)
        repair.files = try mend(keys, puttingAside: lost.map(\.item), now, &repair.takenOver)
        if !isNoted { _ = try note(repair.losses, keys, sequence, now, isFirst: false) }
        return repair
    }

    /// Mends what is wrong with a group.
    ///
    /// - Parameters:
    ///   - lost: What may be put aside: what was found to be damaged since is for the next repair.
    ///   - takenOver: Gets what was taken over.
    /// - Returns: What was put aside.
    private func mend(
        _ keys: GroupKeys, puttingAside lost: [SecretService.ItemPath], _ now: Timestamp,
        _ takenOver: inout [RecordLoss]
    ) throws -> [String] {
        let turn = try StorageTurn(at: self)
        try requireHere()
        var files = try quarantineLogs(now: now)
        for finding in try findings(keys) {
            switch finding {
            case .sound: break
            case .damaged(_, let item, let loss):
                if lost.contains(item) { files.append(try putAside(item, "damaged", loss)) }
            case .changed(let item, let record):
                if try takeOver(item, record, keys, now: now) { takenOver.append(replaced(item, record, keys)) }
            case .earlier(let item, let opened, let owner):
                let record = SealedRecord(header: opened.header, attributes: opened.attributes, secret: opened.secret)
                try writeAnew(item, record, owner, keys)
            case .double(let item, _), .unfinished(let item): try remove(item)
            case .misfiled(let item, _, let proper):
                try withService { service, _ in
                    try service.file(item, under: proper.attributes, label: proper.label)
                }
            }
        }
        _ = consume turn
        return files
    }

    /// Notes in a group what it has lost, but for what is noted already: whoever noted it may have been stopped then.
    ///
    /// - Returns: Whether it is noted.
    private func note(
        _ losses: [RecordLoss], _ keys: GroupKeys, _ sequence: UInt64, _ now: Timestamp, isFirst: Bool
    ) throws -> Bool {
        do {
            let known = losses.isEmpty ? [] : try self.losses(in: keys).losses.map(\.file)
            let new = losses.filter { !known.contains($0.file) }
            guard !new.isEmpty else { return true }
            _ = try change([keys], sequence: sequence, milliseconds: now.seconds * 1_000) { try $0[0].note(new) }
            return true
        } catch StoreError.damaged where isFirst {
            return false
        }
    }

    package func putStrayRowsAside(groups: [GroupKeys], sequence: UInt64, now: Timestamp) throws -> GroupRepair {
        var repair = GroupRepair()
        let attributes = try attributes(of: try strays(groups.map(\.group)))
        let lost = try strays(groups.map(\.group)).map { item in
            (item: item, loss: ItemAttributes.unopened(attributes[item] ?? [:], item.path))
        }
        repair.losses = lost.map { $0.loss.noted(now) }
        if let first = groups.first { _ = try note(repair.losses, first, sequence, now, isFirst: false) }
        let turn = try StorageTurn(at: self)
        try requireHere()
        let headers = try headerItems()
        repair.files = try headers.items.filter { $0 != headers.newest }.map { try putAside($0, "header") }
        let strays = try strays(groups.map(\.group))
        repair.files += try lost.filter { strays.contains($0.item) }.map { try putAside($0.item, "stray", $0.loss) }
        _ = consume turn
        return repair
    }

    /// What is to be said of one item.
    private enum Finding {
        case sound(RecordHeader.Kind)
        case damaged(row: Int64, SecretService.ItemPath, RecordLoss)
        /// It holds another token than was written with the record.
        case changed(SecretService.ItemPath, OpenedItem)
        /// It is in the form of earlier versions.
        case earlier(SecretService.ItemPath, OpenedItem, owner: ItemOwner?)
        /// The record is in a later item as well.
        case double(SecretService.ItemPath, RecordID)
        case misfiled(SecretService.ItemPath, StoredRecord, proper: (attributes: [String: String], label: String))
        /// The service ended while it made the item.
        case unfinished(SecretService.ItemPath)

        /// What has to be put aside.
        var lost: (item: SecretService.ItemPath, loss: RecordLoss)? {
            if case .damaged(_, let item, let loss) = self { (item, loss) } else { nil }
        }
    }

    /// The token that another program has put in the place of this record's.
    private func replaced(_ item: SecretService.ItemPath, _ opened: OpenedItem, _ keys: GroupKeys) -> RecordLoss {
        let content = try? ItemBody.decode(
            opened.record(row: row(of: item)).open(keys), opened.header.kind)
        return RecordLoss(
            .changed, RecordLoss.Kind(opened.header.kind), account: content?.key.account.flatMap { AccountID($0) },
            clientID: (content?.credential?.clientID).flatMap { $0 == Credential.noClient ? nil : $0 }, file: item.path)
    }

    private func findings(_ keys: GroupKeys) throws -> [Finding] {
        let names = try groupNames()
        let own = try ItemReading(storage: self, keys: keys).states(of: try items(of: keys.group), withSecrets: true)
        var latest: [RecordID: (version: ItemVersion, item: SecretService.ItemPath)] = [:]
        var owners: [BlindValue: ItemOwner] = [:]
        for found in own {
            let opened: OpenedItem
            switch found.state {
            case .record(let found), .earlier(let found): opened = found
            case .changed, .handMade, .foreign, .nothing: continue
            }
            let record = opened.record(row: row(of: found.item))
            if record.header.kind == .account, let value = record.header.index.account {
                owners[value] = try? ItemOwner(record, keys)
            }
            let known = latest[record.header.record]
            if known.map({ $0.version < record.version }) ?? true {
                latest[record.header.record] = (record.version, found.item)
            }
        }
        return try own.compactMap { found in
            let item = found.item
            switch found.state {
            case .nothing: return try attributesIfThere(of: item) == nil ? nil : .unfinished(item)
            // Of items of the vault none is.
            case .handMade: return nil
            case .changed(let opened) where !opened.header.kind.hasSecretBody: return .changed(item, opened)
            case .foreign, .changed:
                return .damaged(row: row(of: item), item, ItemAttributes.unopened(found.attributes, item.path))
            case .earlier(let opened):
                guard latest[opened.header.record]?.item == item else { return .double(item, opened.header.record) }
                return .earlier(item, opened, owner: opened.header.index.account.flatMap { owners[$0] })
            case .record(let opened):
                let record = opened.record(row: row(of: item))
                guard latest[record.header.record]?.item == item else { return .double(item, record.header.record) }
                // Another process may have removed it meanwhile.
                guard let found = try attributesIfThere(of: item) else { return nil }
                let owner = record.header.index.account.flatMap { owners[$0] } ?? ItemOwner(found)
                var proper = try ItemAttributes.describe(
                    record.header, try record.open(keys), group: names[keys.group] ?? .default, owner: owner)
                let isFiled = proper.attributes.allSatisfy { found[$0.key] == $0.value }
                for name in ["record", "encoding"] { proper.attributes[name] = found[name] }
                return isFiled ? .sound(record.header.kind) : .misfiled(item, record, proper: proper)
            }
        }
    }

    /// Takes the token that another program has put into an item for what the item's record tells of.
    ///
    /// - Returns: Whether there was one.
    private func takeOver(
        _ item: SecretService.ItemPath, _ opened: OpenedItem, _ keys: GroupKeys, now: Timestamp
    ) throws -> Bool {
        let old = opened.record(row: row(of: item))
        var header = old.header
        header.stamp = Stamp(milliseconds: now.seconds * 1_000, after: header.stamp)
        let body = try old.open(keys)
        let record: SealedRecord? = try withService { service, _ in
            var record: SealedRecord?
            try service.secrets(of: [item], areForeign: true) { _, content in
                guard case .success(let text) = consume content, let secret = ItemSecret.secret(in: text, as: .plain)
                else {
                    return
                }
                record = try keys.seal(header, attributes: body, secret: secret)
            }
            return record
        }
        guard let record else { return false }
        try writeAnew(item, record, try attributesIfThere(of: item).map { ItemOwner($0) }, keys)
        return true
    }

    /// Writes a record into the item that holds all of it in another form: as an earlier version has written it, or with a
    /// token that another program has put there.
    ///
    /// The attributes come first, so that the secret is there as it was, for another repair, until all is written.
    private func writeAnew(
        _ item: SecretService.ItemPath, _ record: SealedRecord, _ owner: ItemOwner?, _ keys: GroupKeys
    ) throws {
        let parts = try ItemParts(record, keys, group: try groupNames()[keys.group] ?? .default, owner: owner)
        try withCalls { service, _, hasBegun in
            try service.file(item, under: parts.attributes, label: parts.label)
            hasBegun = true
            try service.setSecret(of: item, to: parts.secret, as: .plain)
        }
    }

    /// The attributes of an item; nil when it is gone.
    private func attributesIfThere(of item: SecretService.ItemPath) throws -> [String: String]? {
        try withService { service, _ in try service.attributesIfThere(of: item) }
    }

    private func groupNames() throws -> [GroupID: AccessGroup] {
        try openHeader().unlocked().groupNames
    }

    /// The items of the vault that are in none of its groups.
    private func strays(_ groups: [GroupID]) throws -> [SecretService.ItemPath] {
        let items = try recordItems()
        let attributes = try attributes(of: items)
        return items.filter { item in
            guard let attributes = attributes[item] else { return false }
            return group(of: attributes).map { !groups.contains($0) } ?? true
        }
    }

    /// Leaves an item where it is, under attributes by which nobody looks for it.
    ///
    /// - Parameter loss: What it was; nil for no record.
    /// - Returns: What the owner can find it by.
    func putAside(_ item: SecretService.ItemPath, _ why: String, _ loss: RecordLoss? = nil) throws -> String {
        let subject = loss?.subject ?? why
        try withService { service, _ in
            let attributes = ItemAttributes.putAside(try service.attributes(of: item), of: vault, why)
            try service.setAttributes(of: item, to: attributes, label: "Keyfob: put aside: \(subject)")
        }
        return "\(item.path) (\(subject))"
    }
}
