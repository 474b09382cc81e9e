package import KeyfobModel
internal import KeyfobSodium

/// The file in a vault's folder that says that its records lie with the Secret Service.
///
///     keyfob-storage 1
///     place secret-service
///     vault 0123456789abcdef0123456789abcdef
///     collection /org/freedesktop/secrets/collection/login
///
/// While it is there, a database in the same folder is what was before, and is not looked at.
package struct StoragePlaceFile: Equatable, Sendable {
    /// Which vault it is.
    package let vault: VaultID
    /// The D-Bus path of the collection that it was made in; nil where nobody has noted it.
    package let collection: String?

    package init(vault: VaultID, collection: String? = nil) {
        self.vault = vault
        self.collection = collection
    }

    private static let limit = 4_096

    /// What the file says; nil where there is none, and the vault is a database.
    ///
    /// - Throws: `damaged`, `unsafePath`, `inputOutput`.
    package static func read(_ directory: VaultDirectory) throws(StorageFailure) -> StoragePlaceFile? {
        guard try POSIXFile.status(directory.storage) != nil else { return nil }
        try directory.check()
        try directory.checkFile(directory.storage)
        let text = String(decoding: try POSIXFile.read(directory.storage, limit: limit) ?? [], as: UTF8.self)
        let lines = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        let collection = lines.count == 4 && lines[3].count == 2 && lines[3][0] == "collection" ? lines[3][1] : nil
        guard lines.count == (collection == nil ? 3 : 4), lines[0] == ["keyfob-storage", "1"],
            lines[1] == ["place", "secret-service"],
            lines[2].count == 2, lines[2][0] == "vault", let vault = VaultID(hexadecimal: lines[2][1])
        else { throw StoreError.damaged(what: "\(directory.storage) (where the records are)") }
        return StoragePlaceFile(vault: vault, collection: collection)
    }

    /// Makes sure that the records lie still where a storage has found them.
    ///
    /// - Throws: `movedAway`.
    package static func require(_ place: StoragePlace, _ directory: VaultDirectory) throws(StorageFailure) {
        let isDelegated = try POSIXFile.status(directory.storage) != nil
        guard isDelegated == (place == .secretService) else { throw StoreError.movedAway }
    }

    /// Writes the file: from then on the records lie with the Secret Service.
    package func write(_ directory: VaultDirectory) throws(StorageFailure) {
        try POSIXFile.replace(directory.storage, with: Array(text.utf8))
    }

    /// Writes the file of a new vault, unless there is one by now.
    ///
    /// - Throws: `alreadyThere`, and what writing can throw.
    package func writeNew(_ directory: VaultDirectory) throws(StorageFailure) {
        var file = try NewFile.begin(directory.storage)
        try Array(text.utf8).withBytes { bytes throws(StorageFailure) in try file.write(bytes) }
        try file.synchronize()
        try file.putInPlace()
    }

    private var text: String {
        let place = collection.map { "collection \($0)\n" } ?? ""
        return "keyfob-storage 1\nplace secret-service\nvault \(vault)\n\(place)"
    }

    /// Removes the file: from then on the records lie in the database.
    package static func remove(_ directory: VaultDirectory) throws(StorageFailure) {
        try POSIXFile.remove(directory.storage)
    }
}
