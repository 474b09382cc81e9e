package import KeyfobFiles
internal import KeyfobModel
package import KeyfobRecords
package import KeyfobSecretService
internal import KeyfobSodium
package import KeyfobVault

/// What the Secret Service holds of a vault, in whatever collection.
struct ServiceInventory: Sendable {
    /// The items that are to hold a record, in the order in which they were made.
    var items: [Item] = []
    /// The items that are to hold the header.
    var headers: [SecretService.ItemPath] = []

    struct Item: Sendable {
        let path: SecretService.ItemPath
        /// The hash of what it holds; nil where that is not Keyfob's.
        let digest: [UInt8]?
        /// The record in it, and its group; nil where it is none of a group that is known.
        let record: RecordID?
        let group: GroupID?
        let version: ItemVersion?

        /// Whether the record in it was written later than `other`.
        func isNewer(than other: ItemVersion) -> Bool { version.map { $0 > other } ?? false }
    }
}

extension SecretServiceStorage {
    /// Finds the collection where a vault's items are, if they are in one, or else the default one, and unlocks it.
    ///
    /// Nothing is written.
    ///
    /// - Throws: ``DesktopError``.
    package static func destination(
        for vault: borrowing UnlockedVault, in directory: VaultDirectory, _ access: SecretServiceAccess
    ) throws -> SecretServiceStorage {
        let id = vault.header.vault
        let service = try connect(access)
        let collection: String = try translating { () throws(SecretServiceError) in
            // A locked collection may keep its items to itself.
            let usual = try service.defaultCollection()
            try service.unlock(usual)
            let items = try Self.items(of: id, service)
            let collections = Set(items.map(\.collection))
            guard collections.count == 1, let only = collections.first else { return usual.path }
            try service.unlock(only)
            return only
        }
        return SecretServiceStorage(directory: directory, vault: id, service: service, collection: collection)
    }

    /// Finds the items of a vault whose records lie in a database, to remove them; nil where there are none.
    ///
    /// - Throws: ``DesktopError``.
    package static func leftovers(
        of vault: borrowing UnlockedVault, in directory: VaultDirectory, _ access: SecretServiceAccess
    ) throws -> SecretServiceStorage? {
        let storage = try destination(for: vault, in: directory, access)
        return try storage.allItems().isEmpty ? nil : storage
    }

    /// Reads every item of the vault.
    ///
    /// - Parameter copy: The records that are looked for, and the keys of all groups.
    func inventory(_ copy: VaultCopy, _ printer: RecordPrinter) throws -> ServiceInventory {
        let keys = Dictionary(copy.groups.map { ($0.keys.group, $0.keys) }) { first, _ in first }
        return try withService { service, _ in
            var inventory = ServiceInventory()
            inventory.headers = try service.search(ItemAttributes.header(of: vault), in: nil).items
            let found = try Self.records(of: vault, service)
                .sorted { ($0.path.utf8.count, $0.path) < ($1.path.utf8.count, $1.path) }
            var attributes: [SecretService.ItemPath: [String: String]] = [:]
            for item in found { attributes[item] = try service.attributesIfThere(of: item) }
            try service.secrets(of: found.filter { attributes[$0] != nil }, areForeign: true) { path, content in
                switch consume content {
                case .success(let text):
                    inventory.items.append(Self.item(path, attributes[path] ?? [:], text, keys, printer))
                case .failure(.noItem): break
                case .failure(.damaged):
                    inventory.items.append(
                        ServiceInventory.Item(path: path, digest: nil, record: nil, group: nil, version: nil))
                case .failure(let error): throw error
                }
            }
            return inventory
        }
    }

    /// Makes sure that `copy` holds, in this version or a later one, what every item of the vault holds, in whatever
    /// collection and under whatever attributes: an item that nobody has read may not go with the others.
    ///
    /// - Parameter mayHaveLost: Whether `copy` may have lost a record since; the item is older then than its latest.
    /// - Throws: `damaged`.
    func requireAll(in copy: VaultCopy, _ printer: RecordPrinter, mayHaveLost: Bool = false) throws {
        let records = copy.groups.flatMap(\.records)
        let latest = mayHaveLost ? records.map(\.print.version).max() : nil
        let versions = Dictionary(records.map { ($0.sealed.header.record, $0.print.version) }) { first, _ in first }
        for item in try inventory(copy, printer).items {
            guard let known = item.record.flatMap({ versions[$0] ?? latest }), !item.isNewer(than: known) else {
                throw StoreError.damaged(
                    what: "the vault (the desktop keyring's item \(item.path.path) holds what no record does)")
            }
        }
    }

    /// Removes every item of a vault whose records lie in a database that holds all of them.
    ///
    /// - Throws: `damaged` where an item holds what is newer than the database, or what Keyfob did not write; nothing is
    ///   removed then.
    package func removeEverything(
        heldBy vault: borrowing UnlockedVault, in database: any VaultStorage, progress: (Int, Int) -> Void
    ) throws -> Int {
        let printer = RecordPrinter()
        try requireAll(in: try VaultCopy(vault, in: database, printer), printer, mayHaveLost: true)
        return try removeEverything(progress: progress)
    }

    /// What an item says that it holds, with its hash if it does.
    private static func item(
        _ path: SecretService.ItemPath, _ attributes: [String: String], _ text: borrowing SecretBytes,
        _ keys: [GroupID: GroupKeys], _ printer: RecordPrinter
    ) -> ServiceInventory.Item {
        guard let rest = OpenRecord.bytes(attributes), let vault = keys.values.first?.vault,
            let group = OpenRecord.group(of: rest, in: vault), let keys = keys[group],
            let record = try? OpenRecord(rest, keys)
        else { return ServiceInventory.Item(path: path, digest: nil, record: nil, group: nil, version: nil) }
        let header = record.header
        let secret =
            record.content == .nothing ? nil : ItemSecret.secret(in: text) { record.accepts($0) }
        let hasSecret = secret != nil
        let digest = hasSecret || record.content == .nothing ? printer.digest(rest, secret) : nil
        return ServiceInventory.Item(
            path: path, digest: digest, record: header.record, group: header.group,
            version: ItemVersion(stamp: header.stamp, device: header.device))
    }
}
