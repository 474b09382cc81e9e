internal import KeyfobLookup

/// Where a keyring's files are.
public struct KeyringLocation: Hashable, Sendable {
    /// The vault's folder.
    public var vault: String
    /// The folder of what is remembered outside the vault: the highest sequence numbers seen.
    public var state: String
    /// The folder of what lives as long as a login; nil where nothing can be kept for one.
    public var runtime: String?

    /// A location.
    public init(vault: String, state: String, runtime: String? = nil) {
        self.vault = vault
        self.state = state
        self.runtime = runtime
    }

    /// The location that the XDG base directories give: `$XDG_DATA_HOME/keyfob` and
    /// `$XDG_STATE_HOME/keyfob`, with `~/.local/share` and `~/.local/state` as defaults, and
    /// `$XDG_RUNTIME_DIR/keyfob`, which has none.
    ///
    /// - Parameters:
    ///   - environment: The environment variables.
    ///   - vault: The vault's folder where somebody named one; `KEYFOB_VAULT` comes after it.
    /// - Throws: ``KeyringError/Code/configuration`` without a home directory.
    public static func standard(
        environment: [String: String], vault: String? = nil
    ) throws(KeyringError) -> KeyringLocation {
        do {
            let places = try StandardPlaces(vault: vault) { environment[$0] }
            return KeyringLocation(vault: places.vault, state: places.state, runtime: places.runtime)
        } catch {
            throw KeyringError(
                .configuration, "neither HOME nor \(error.variable) is set", advice: .nameVault)
        }
    }
}
