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
    /// - Parameter isPlain: Whether one that is not as it should be is an error; then nothing is changed or waited for.
    /// - Throws: `StoreError`.
    package init(in directory: VaultDirectory, isPlain: Bool = false) throws(StorageFailure) {
        if let place = try StoragePlaceFile.read(directory) {
            self = .delegated(place)
        } else {
            let database =
                if isPlain { try VaultDatabaseReader(plain: directory) } else { try VaultDatabaseReader(directory) }
            self = .embedded(database, try database.storedHeader())
        }
    }
}
