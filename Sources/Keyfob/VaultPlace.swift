internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobVault

/// Which folder of a vault is meant, however its path is spelled: through links, from another working directory, by another mount.
package struct VaultPlace: Equatable, Sendable {
    /// Its path without links and dots, also where it is gone.
    package let path: String
    /// The numbers of its device and its own; nil where it is gone, or cannot be seen.
    package let folder: String?
    private let state: String?

    /// The folder at `location`.
    package init(_ location: KeyringLocation) {
        path = FileAccess.formerPath(location.vault) ?? location.vault
        folder = FileIdentity(location.vault, following: true)?.text
        state = location.state
    }

    /// What another process has said of one.
    package init(path: String, folder: String?) { (self.path, self.folder, state) = (path, folder, nil) }

    /// Whether both tell the same.
    package static func == (one: VaultPlace, other: VaultPlace) -> Bool {
        one.path == other.path && one.folder == other.folder
    }

    /// Whether both mean one folder, or one that is there and one that was there before.
    package func isSame(as other: VaultPlace) -> Bool {
        path == other.path || folder != nil && folder == other.folder
    }

    /// The vaults of which it is known that the folder had them.
    var knownVaults: Set<VaultID> {
        guard let places = state.map({ KnownPlaces(state: $0) }), let folders = try? places.folders() else { return [] }
        let same = folders.filter { folder in
            folder == path || self.folder != nil && FileIdentity(folder, following: true)?.text == self.folder
        }
        return Set(same.compactMap { (try? places.vault(in: $0)) ?? nil })
    }
}
