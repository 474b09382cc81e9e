/// Where a keyring's files are: as somebody named them, or as the XDG base directories have it.
package struct StandardPlaces {
    /// The vault's folder.
    package let vault: String
    /// The folder of what is remembered outside the vault.
    package let state: String
    /// The folder of what lives as long as a login; nil where nothing can be kept for one.
    package let runtime: String?

    /// There is no home directory, and this variable is not set either.
    package struct Homeless: Error {
        package let variable: String
    }

    /// The places.
    ///
    /// - Parameters:
    ///   - named: The vault's folder where somebody named one; `KEYFOB_VAULT` comes after it.
    ///   - variable: The environment.
    package init(vault named: String?, _ variable: (String) -> String?) throws(Homeless) {
        let home = variable("HOME").flatMap { $0.isEmpty ? nil : $0 }
        func base(_ name: String, _ fallback: String) throws(Homeless) -> String {
            // The XDG specification: a relative path is to be ignored.
            if let path = variable(name), path.hasPrefix("/") { return path + "/keyfob" }
            guard let home else { throw Homeless(variable: name) }
            return home + fallback + "/keyfob"
        }
        if var path = [named, variable("KEYFOB_VAULT")].compactMap({ $0 }).first(where: { !$0.isEmpty }) {
            while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
            vault = path
        } else {
            vault = try base("XDG_DATA_HOME", "/.local/share")
        }
        runtime = variable("XDG_RUNTIME_DIR").flatMap { $0.hasPrefix("/") ? $0 + "/keyfob" : nil }
        state = try base("XDG_STATE_HOME", "/.local/state")
    }
}
