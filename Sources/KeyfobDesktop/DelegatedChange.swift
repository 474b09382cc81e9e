internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSecretService
internal import KeyfobSodium
internal import KeyfobVault

/// A change of a vault that the Secret Service keeps: noted first, and made item by item when all of it is known.
///
/// First what is new, then what takes the place of something, then the header, last what goes. So whatever stops it in
/// the middle, what was there before is there still, or what came instead of it.
final class DelegatedChange: StorageChange {
    private let storage: SecretServiceStorage
    private let ownDevice: UInt64
    private var groups: [GroupID: ItemChange] = [:]
    private var removed: [SecretService.ItemPath] = []
    private var renamed: [GroupID] = []

    init(_ storage: SecretServiceStorage, device: UInt64) {
        self.storage = storage
        ownDevice = device
    }

    func begin(_ keys: GroupKeys) { groups[keys.group] = ItemChange(storage, keys) }

    func records(_ keys: GroupKeys) -> any RecordWriting {
        if let change = groups[keys.group] { return change }
        let change = ItemChange(storage, keys)
        groups[keys.group] = change
        return change
    }

    func removeRecords(of group: GroupID) throws -> Int {
        let items = try storage.withService { service, collection in
            try service.search(ItemAttributes.every(storage.vault, group), in: collection).items
        }
        removed += items
        return items.count
    }

    func rename(_ group: GroupID, to name: AccessGroup) { renamed.append(group) }

    func expectMany() {}

    func device() -> UInt64 { ownDevice }

    /// Makes the change.
    ///
    /// - Parameters:
    ///   - names: What the groups are called by now.
    ///   - header: Writes the header, where it has changed.
    /// - Throws: ``DesktopError``, which tells whether a part was made.
    func commit(names: [GroupID: AccessGroup], header: () throws -> Void) throws {
        let changes = groups.values.sorted { $0.keys.group.description < $1.keys.group.description }
        var created: [SecretService.ItemPath] = []
        do {
            for change in changes { try change.create(in: names, &created) }
        } catch {
            // What is undone was never there; what cannot be undone is there besides what was.
            let left = created.filter { (try? storage.remove($0)) == nil }
            throw Self.error(error, partly: !left.isEmpty || Self.isOutcomeUnknown(error))
        }
        do {
            for change in changes { try change.replace(in: names) }
            try header()
            for change in changes { try change.deleteItems() }
            for item in removed { try storage.remove(item) }
            for group in renamed { try storage.relabel(group, names) }
        } catch {
            throw Self.error(error, partly: true)
        }
    }

    /// Whether an item may have been made although the service did not say so.
    private static func isOutcomeUnknown(_ error: any Error) -> Bool {
        guard case DesktopError.service(let reason, _) = error else { return false }
        return reason == .timedOut || reason == .noService
    }

    private static func error(_ error: any Error, partly: Bool) -> any Error {
        switch error {
        case DesktopError.service(let reason, _): DesktopError.service(reason, partly: partly)
        default: error
        }
    }
}
