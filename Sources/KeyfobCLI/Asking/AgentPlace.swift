internal import Keyfob
internal import KeyfobFiles
internal import KeyfobLookup

/// Where the agent of a vault listens: a socket in the folder that lives as long as the login.
struct AgentPlace {
    /// The folder, `$XDG_RUNTIME_DIR/keyfob`.
    let folder: String
    /// The socket: `agent` for the vault that is there unless another is named, else `agent-` and 16 digits of the vault's id.
    let socket: String

    /// The place for the vault at `location`; nil without a folder for the login.
    ///
    /// - Parameter environment: The variables that say which vault is the usual one.
    /// - Throws: as finding the vault does, where it is another than the usual one.
    init?(_ location: KeyringLocation, _ environment: [String: String]) throws(KeyringError) {
        guard let folder = location.runtime else { return nil }
        self.folder = folder
        var others = environment
        others["KEYFOB_VAULT"] = nil
        let usual = try KeyringLocation.standard(environment: others)
        // However the path is spelled.
        if location.vault == usual.vault || VaultPlace(location).isSame(as: VaultPlace(usual)) {
            socket = folder + "/agent"
        } else {
            socket = try folder + "/agent-" + LockedKeyring(at: location).vaultID.prefix(16)
        }
    }

    /// A place of another name.
    init(folder: String, socket: String) { (self.folder, self.socket) = (folder, socket) }

    /// Makes the folder where it is missing.
    ///
    /// - Throws: `configuration` where others have a part in it, `unavailable`.
    func prepare() throws(KeyringError) {
        do {
            try RuntimeFolder(path: folder).prepare()
        } catch {
            throw KeyringError(ofRuntimeFolder: error)
        }
    }
}
