package import KeyfobFiles
package import KeyfobRecords
package import KeyfobSQLite

/// A vault that has been found on disk.
package enum FoundVault {
    /// With its records in a database of its own.
    case embedded(VaultDatabaseReader, StoredHeader)
    /// With its records at the Secret Service.
    case delegated(StoragePlaceFile)

    /// Finds the vault in a folder, and reads its header.
    ///
    /// - Parameter open: Opens its database.
    /// - Throws: `StoreError`.
    package init(
        in directory: VaultDirectory, open: (VaultDirectory) throws(StorageFailure) -> VaultDatabaseReader
    ) throws(StorageFailure) {
        if let place = try StoragePlaceFile.read(directory) {
            self = .delegated(place)
        } else {
            let database = try open(directory)
            self = .embedded(database, try database.storedHeader())
        }
    }
}
