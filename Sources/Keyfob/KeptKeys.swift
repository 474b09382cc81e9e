internal import KeyfobFiles
internal import KeyfobKernelKeyring
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobVault

extension LockedKeyring {
    /// Forgets what earlier unlocks left in kernel keyrings, in whatever session of the user's, also from within a namespace
    /// of users.
    ///
    /// - Returns: Whether there was anything.
    /// - Throws: `unavailable` where the kernel lets this process forget nothing and `XDG_RUNTIME_DIR` is not known.
    public func forgetKeptKeys() throws(KeyringError) -> Bool {
        try SessionCache(vault: header.vault, runtime: location.runtime).removeEverywhere()
    }

    /// The same for the vault at a place, also where it cannot be read: by the folder that it was in when its key was kept.
    ///
    /// - Throws: As ``forgetKeptKeys()``; `unavailable` as well where keys are kept and nothing says of which vaults.
    public static func forgetKeptKeys(of location: KeyringLocation) throws(KeyringError) -> Bool {
        if let locked = try? LockedKeyring(at: location) {
            return locked.storage == .embedded ? try locked.forgetKeptKeys() : false
        }
        guard let runtime = location.runtime else {
            guard KernelKeyTable.serials(named: "keyfob:").isEmpty else {
                throw KeyringError(
                    .unavailable, "a key is kept, and without XDG_RUNTIME_DIR nothing says of which vault",
                    advice: .lockInSession)
            }
            return false
        }
        let notes = try KeyringError.translating { try RuntimeFolder(path: runtime).notes(in: SessionCache.notes) }
        var wasThere = false
        for vault in notes.compactMap({ SessionCache.noted($0, at: location.vault) }) {
            let removed = try SessionCache(vault: vault, runtime: runtime).removeEverywhere()
            wasThere = wasThere || removed
        }
        return wasThere
    }
}

extension SessionCache {
    /// The file of the runtime folder that says of which vaults keys are kept, and where those are.
    static let notes = "kept"

    /// Notes where the vault is, so that its key can be forgotten when it cannot be read any more.
    func note(_ folder: String, in runtime: String) {
        guard !folder.utf8.contains(UInt8(ascii: "\n")) else { return }
        _ = try? RuntimeFolder(path: runtime).takeNote("\(vault) \(folder)", in: Self.notes)
    }

    /// The vault that a note is of, where it was in this folder.
    static func noted(_ note: String, at folder: String) -> VaultID? {
        let parts = note.split(separator: " ", maxSplits: 1)
        return parts.last.map(String.init) == folder ? VaultID(hexadecimal: String(parts[0])) : nil
    }

    /// Forgets the key in every session.
    ///
    /// Where the kernel's calls are closed to this process, as in some containers, what all keys of the login are wrapped
    /// under is removed: those who can read one cannot open it any more.
    ///
    /// - Returns: Whether there was any.
    func removeEverywhere() throws(KeyringError) -> Bool {
        let wasElsewhere = KernelKeyTable.serials(named: family).count { KernelKeyring.forget(serial: $0) } > 0
        do throws(KernelKeyring.Failure) {
            return try remove() || wasElsewhere
        } catch {
            guard let folder = try? folder(), (try? folder.removeSecret()) == true else {
                guard wasElsewhere else { throw KeyringError(error).saying(advice: .lockInSession) }
                return true
            }
            return true
        }
    }
}

/// The keys that the kernel shows to this process: those that their owner may see, whatever session keeps them
/// (`/proc/keys`, proc_keys(5)).
enum KernelKeyTable {
    /// The numbers of the keys of the type `user` whose names begin so; none where there is no table.
    static func serials(named prefix: String, in table: String = "/proc/keys") -> [Int32] {
        guard case .bytes(let bytes, _) = FileAccess.read(table, limit: 1 << 24, following: false) else { return [] }
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            // Number, flags, uses, time left, rights, owner, group, type, name with its length.
            let fields = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard fields.count > 8, fields[7] == "user", fields[8].hasPrefix(prefix), fields[3] != "expd",
                // Neither revoked, dead nor invalidated.
                !fields[1].contains(where: { "RDi".contains($0) })
            else { return nil }
            return Int32(fields[0], radix: 16)
        }
    }
}
