package import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
package import KeyfobSecretService
internal import KeyfobSodium
package import KeyfobVault

extension SecretServiceStorage {
    /// The vault's key and its header; made again from what the records' items tell where that item is gone.
    ///
    /// The records need neither: what is lost is what the selection has learned, and recipients of backups.
    ///
    /// - Parameters:
    ///   - milliseconds: Now, since 1970; a sequence that no header of the vault has had.
    ///   - device: The id of this copy of the vault, where it is made again.
    /// - Returns: The header, and whether it was made again.
    package func openOrRebuildHeader(
        milliseconds: Int64, device: UInt64
    ) throws -> FoundHeader {
        do {
            return FoundHeader(header: try openHeader(), isRebuilt: false)
        } catch DesktopError.service(.noItem, _) {
            let turn = try StorageTurn(at: self)
            try requireHere()
            let made = try rebuilt(milliseconds: milliseconds, device: device)
            _ = consume turn
            return FoundHeader(header: made, isRebuilt: true)
        }
    }

    private func rebuilt(milliseconds: Int64, device: UInt64) throws -> OpenHeader {
        do {
            // Another process may have been faster.
            return try openHeader()
        } catch DesktopError.service(.noItem, _) {
            let groups = try groupsOfItems()
            let vault = try UnlockedVault.rebuilt(
                self.vault, groups: groups, sequence: UInt64(clamping: milliseconds))
            let made = try OpenHeader(vault, device: device)
            try storeHeader(made)
            return made
        }
    }

    /// Whether none of the items can be read that are to hold the header, and it can be made again.
    ///
    /// - Throws: ``DesktopError``.
    package static func hasDamagedHeader(
        _ place: StoragePlaceFile, in directory: VaultDirectory, _ access: SecretServiceAccess
    ) throws -> Bool {
        let service = try connect(access)
        let collection = try home(of: place.vault, known: place.collection, service).collection
        let storage = SecretServiceStorage(
            directory: directory, vault: place.vault, service: service, collection: collection)
        let found = try storage.headerItems()
        guard !found.items.isEmpty, found.newest == nil else { return false }
        return try !storage.groupsOfItems().isEmpty
    }

    /// Puts the items aside that are to hold the header, where none of them can be read: then it is made again.
    ///
    /// - Returns: What the owner can find them by.
    /// - Throws: ``DesktopError``, with `noItem` where the service has nothing of the vault.
    package static func putDamagedHeaderAside(
        _ place: StoragePlaceFile, in directory: VaultDirectory, _ access: SecretServiceAccess
    ) throws -> [String] {
        let service = try connect(access)
        let collection = try home(of: place.vault, known: place.collection, service).collection
        let storage = SecretServiceStorage(
            directory: directory, vault: place.vault, service: service, collection: collection)
        let turn = try StorageTurn(at: storage)
        try storage.requireHere()
        let found = try storage.headerItems()
        let aside = found.newest == nil ? try found.items.map { try storage.putAside($0, "header") } : []
        _ = consume turn
        return aside
    }

    /// A header, and whether it had to be made again.
    package struct FoundHeader: ~Copyable {
        package let header: OpenHeader
        package let isRebuilt: Bool
    }

    /// The groups that the records' items tell of, `default` first.
    private func groupsOfItems() throws -> [(id: GroupID, name: AccessGroup)] {
        var found: [(id: GroupID, name: AccessGroup)] = []
        let items = try recordItems()
        let all = try attributes(of: items)
        for attributes in items.compactMap({ all[$0] }) {
            guard let id = group(of: attributes),
                let name = try? attributes["group"].map(AccessGroup.init) ?? .default
            else { continue }
            if !found.contains(where: { $0.id == id || $0.name == name }) { found.append((id, name)) }
        }
        guard !found.isEmpty else { throw DesktopError.service(.noItem, partly: false) }
        return found.filter { $0.name == .default } + found.filter { $0.name != .default }
    }
}
