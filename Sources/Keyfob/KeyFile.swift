internal import KeyfobFiles
package import KeyfobModel
package import KeyfobSodium

/// A key file, and where it may not be.
package enum KeyFile {
    /// What the file holds, or a systemd credential of that name.
    ///
    /// - Parameters:
    ///   - credentials: `$CREDENTIALS_DIRECTORY`.
    ///   - advice: What to do where there is no such file.
    ///   - notice: Called where nothing comes through a pipe for a second.
    /// - Throws: `configuration` for a file in the vault's own folder or open to others, `noSuchFile`, `inputOutput`.
    package static func read(
        _ named: String, vault: String, credentials: String?, ifMissing advice: Advice?, notice: (() -> Void)? = nil
    ) throws(KeyringError) -> SecretBytes {
        let path = try path(of: named, vault: vault, credentials: credentials)
        do {
            return try SecretFile.read(path, notice: notice)
        } catch {
            let error = KeyringError(path, error)
            guard error.code == .noSuchFile, (try? POSIXFile.status(path) == nil) == true else { throw error }
            throw KeyringError(error.code, error.message, advice: advice)
        }
    }

    /// The path of a key file: the file, or a systemd credential of that name.
    ///
    /// - Throws: `configuration` for a file in the vault's own folder, where a thief of the vault finds it.
    package static func path(of named: String, vault: String, credentials: String?) throws(KeyringError) -> String {
        guard let path = SecretFile.keyPath(of: named, vault: vault, credentials: credentials) else {
            throw KeyringError(
                .configuration, "the key file is in the vault's folder, and whoever takes the vault takes it too",
                advice: .moveKeyFile)
        }
        return path
    }
}
