internal import Keyfob
internal import KeyfobFiles
internal import KeyfobSodium

extension KeyFile {
    /// Makes a new file with a random key, and the folders for it.
    ///
    /// - Parameter hint: What to do where the file is there already.
    /// - Returns: What the file holds.
    /// - Throws: `configuration` for a file in the vault's own folder, `alreadyExists`, `inputOutput`.
    static func make(
        _ named: String, vault: String, whenThere hint: String
    ) throws(KeyringError) -> SecretBytes {
        let path = try path(of: named, vault: vault, credentials: nil)
        if let end = path.lastIndex(of: "/"), end > path.startIndex {
            try? POSIXFile.createDirectories(String(path[..<end]))
        }
        let file = try OutputFile(path, hint: hint)
        let key = SecretBytes.random(count: 32)
        try key.withBytes { (bytes) throws(KeyringError) in try file.write(bytes) }
        try file.commit()
        return key
    }
}
