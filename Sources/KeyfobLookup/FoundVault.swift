package import KeyfobModel
package import KeyfobFiles
package import KeyfobRecords
package import KeyfobSQLite
package import KeyfobVault

/// A vault that has been found on disk.
package enum FoundVault {
    /// With its records in a database of its own.
    case embedded(VaultDatabaseReader, StoredHeader)
    /// With its records at the Secret Service.
    case delegated(StoragePlaceFile)

    /// Finds the vault in a folder, and reads its header.
    ///
    /// - Throws: `StoreError`.
    package init(in directory: VaultDirectory) throws {
        if let place = try StoragePlaceFile.read(directory) {
            self = .delegated(place)
        } else {
            let database = try VaultDatabaseReader(directory)
            self = .embedded(database, try database.storedHeader())
        }
    }
}

extension LookupState {
    /// The state of a vault that has just been unlocked, compared with what was seen of it before.
    package init(
        opening vault: consuming UnlockedVault, in storage: any VaultReading, _ mark: HighWaterMark,
        warnings: [Warning]
    ) {
        var vault = vault
        var warnings = warnings
        var marks = (try? mark.marks()) ?? HighWaterMark.Marks()
        // To the key of one group the header is not authentic: its sequence says nothing.
        if vault.opensWholeVault {
            let seen = marks.sequence(of: nil)
            // Another process may have changed the header, and the mark, since the header was read.
            if vault.sequence < seen { try? storage.refresh(&vault) }
            if vault.sequence < seen {
                warnings.append(
                    Warning(
                        .rolledBack,
                        "the vault has been taken back to an earlier state (header \(vault.sequence), seen \(seen))",
                        advice: .acceptRollback(first: false)))
            } else if vault.sequence > seen {
                try? mark.raise([(nil, vault.sequence)])
                marks.raise([(nil, vault.sequence)])
            }
        }
        self.init(vault: vault, marks: marks, warnings: warnings)
    }
}
