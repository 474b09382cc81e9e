package import KeyfobSodium

/// A key file that a keyring is to be opened with, and who has named it.
package struct NamedKeyFile {
    private let name: String
    private let isUsual: Bool

    /// The one that is named, or the usual one for vaults that have such slots; nil where there is neither.
    ///
    /// - Parameter usual: What `KEYFOB_KEY_FILE` says.
    package init?(_ named: String?, usual: String?, for locked: borrowing LockedKeyring) {
        if let named {
            (name, isUsual) = (named, false)
        } else if let usual, !usual.isEmpty, locked.storage == .embedded {
            (name, isUsual) = (usual, true)
        } else {
            return nil
        }
    }

    /// What the file holds, or a systemd credential of that name.
    ///
    /// - Parameter credentials: `$CREDENTIALS_DIRECTORY`.
    /// - Parameter notice: Called with the file's name where nothing comes through a pipe for a second.
    /// - Throws: As ``KeyFile/read(_:vault:credentials:ifMissing:notice:)``.
    package func read(
        _ location: KeyringLocation, for locked: borrowing LockedKeyring, credentials: String?,
        notice: ((String) -> Void)? = nil
    ) throws(KeyringError) -> SecretBytes {
        try KeyFile.read(
            name, vault: location.vault, credentials: credentials,
            ifMissing: locked.hasRecoveryKey ? .replaceLostKey("key-file") : nil,
            notice: notice.map { notice in { notice(name) } })
    }

    /// The error where the file does not open the vault, with its name and what named it; any other error as it is.
    package func naming(_ error: KeyringError) -> KeyringError {
        guard error.code == .wrongKey else { return error }
        let message = "the key file \(name)\(isUsual ? " (KEYFOB_KEY_FILE)" : "") does not open the vault"
        guard isUsual, case .giveOtherKey(let kinds)? = error.advice else {
            return error.saying(message, advice: error.advice)
        }
        return error.saying(message, advice: .unsetKeyFile(kinds))
    }
}
