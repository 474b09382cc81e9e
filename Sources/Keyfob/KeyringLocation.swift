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
        let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 }
        func base(_ variable: String, _ fallback: String) throws(KeyringError) -> String {
            // The XDG specification: a relative path is to be ignored.
            if let path = environment[variable], path.hasPrefix("/") { return path + "/keyfob" }
            guard let home else {
                throw KeyringError(
                    .configuration, "neither HOME nor \(variable) is set", advice: .nameVault)
            }
            return home + fallback + "/keyfob"
        }
        let named = [vault, environment["KEYFOB_VAULT"]].compactMap(\.self).first { !$0.isEmpty }
        let folder: String
        if let named {
            folder = withoutTrailingSlash(named)
        } else {
            folder = try base("XDG_DATA_HOME", "/.local/share")
        }
        let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 + "/keyfob" : nil }
        return KeyringLocation(
            vault: folder, state: try base("XDG_STATE_HOME", "/.local/state"), runtime: runtime)
    }

    private static func withoutTrailingSlash(_ path: String) -> String {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}
