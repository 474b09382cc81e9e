package import KeyfobModel

/// Which vault lies in which folder, kept outside the vaults: whoever may write in such a folder can put another vault
/// there, and what opens it may be public.
///
/// One text file, `places`, with a line `VAULT FOLDER` for each, the folder percent-encoded. It holds no secret; losing it
/// loses only the knowledge of what was where.
package struct KnownPlaces: Sendable {
    private let path: String
    private let lock: String
    private let state: String

    /// The places in the folder `state` (`$XDG_STATE_HOME/keyfob`).
    package init(state: String) {
        self.state = state
        path = state + "/places"
        lock = state + "/places.lock"
    }

    /// Makes sure that nobody else writes in the folder `state`; what a link leads to counts.
    ///
    /// - Throws: `StoreError.unsafePath`.
    package func requireOwn() throws(StorageFailure) {
        try POSIXFile.status(state + "/.")?.requireOwn(state)
    }

    /// The vault that `folder` had when it was last unlocked; nil where none was.
    package func vault(in folder: String) throws(StorageFailure) -> VaultID? {
        let name = PercentEncoding.encode(Self.whole(folder))
        return try lines().first { $0.folder == name }?.vault
    }

    /// Takes note of the vault in `folder`, in place of any other.
    package func note(_ vault: VaultID, in folder: String) throws(StorageFailure) {
        // Nearly always it is known already, and costs no lock.
        guard try self.vault(in: folder) != vault else { return }
        let name = PercentEncoding.encode(Self.whole(folder))
        try POSIXFile.createDirectories(state)
        let held = try FileLock(lock)
        let lines = try lines().filter { $0.folder != name } + [(vault, name)]
        try POSIXFile.replace(path, with: Array(lines.map { "\($0.vault) \($0.folder)\n" }.joined().utf8))
        _ = consume held
    }

    /// All folders in which a vault was unlocked.
    package func folders() throws(StorageFailure) -> [String] {
        try lines().compactMap { line in
            PercentEncoding.decode(line.folder.utf8).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The folders in which a vault was unlocked.
    package func folders(of vault: VaultID) throws(StorageFailure) -> [String] {
        try lines().filter { $0.vault == vault }.compactMap { line in
            PercentEncoding.decode(line.folder.utf8).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// A folder's whole path: what is typed relative to a working directory is another folder in the next one.
    private static func whole(_ folder: String) -> String {
        folder.hasPrefix("/") ? folder : FileAccess.formerPath(folder) ?? folder
    }

    private func lines() throws(StorageFailure) -> [(vault: VaultID, folder: String)] {
        let text = try POSIXFile.read(path, limit: 1 << 20) ?? []
        return text.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let parts = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
            guard parts.count == 2, let vault = VaultID(hexadecimal: parts[0]) else { return nil }
            return (vault, parts[1])
        }
    }
}
