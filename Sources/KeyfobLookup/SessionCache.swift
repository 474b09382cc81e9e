package import KeyfobFiles
package import KeyfobKernelKeyring
package import KeyfobModel
internal import KeyfobSodium
package import KeyfobVault

/// The unlocking key of a vault in a kernel keyring, wrapped under a secret in the folder of the login.
///
/// Two walls, because each has a gap: the kernel's permissions do not last beyond the kernel, and the folder's file is
/// there for every process of the user.
package struct SessionCache: Sendable {
    package let vault: VaultID
    private let runtime: String?

    /// What is kept of `vault`; `runtime` is `$XDG_RUNTIME_DIR/keyfob`, nil without one.
    package init(vault: VaultID, runtime: String?) {
        self.vault = vault
        self.runtime = runtime
    }

    /// There is no folder whose content ends with the login.
    package struct NoRuntimeFolder: Error {
        package init() {}
    }

    /// The key, or nil when there is none that can be opened, including where there is no keyring.
    package func read() -> UnlockingKey? {
        for keyring in KernelKeyring.allCases {
            if let kept = found(in: keyring), let key = open(kept) { return key }
        }
        return nil
    }

    /// Until when a key that can be opened is kept in `keyring`; nil where there is none.
    package func end(in keyring: KernelKeyring) -> Timestamp? {
        guard let kept = found(in: keyring), open(kept) != nil else { return nil }
        return Timestamp(seconds: kept.until)
    }

    /// Forgets the key, wherever it is kept.
    ///
    /// - Returns: Whether it was.
    package func remove() throws(KernelKeyring.Failure) -> Bool {
        var wasThere = false
        for keyring in KernelKeyring.allCases {
            do {
                let removed = try keyring.remove(name: name)
                wasThere = wasThere || removed
            } catch .noSessionKeyring {
                continue
            } catch {
                throw error
            }
        }
        return wasThere
    }

    /// Whether a key is kept, be it that nothing here opens it.
    package var isKept: Bool { KernelKeyring.allCases.contains { found(in: $0) != nil } }

    private func found(in keyring: KernelKeyring) -> KeptKey? {
        (try? keyring.read(name: name)).flatMap { KeptKey($0) }
    }

    private func open(_ kept: KeptKey) -> UnlockingKey? {
        guard let folder = try? folder(), let secret = try? folder.secret() else { return nil }
        return kept.open(vault: vault, user: KernelKeyring.owner, secret: secret)
    }

    /// Users who share a session have keys of their own.
    package var name: String { "\(family)\(KernelKeyring.owner)" }

    /// How the names of all keys of the vault begin.
    package var family: String { "keyfob:\(vault):" }

    package func folder() throws(NoRuntimeFolder) -> RuntimeFolder {
        guard let runtime else { throw NoRuntimeFolder() }
        return RuntimeFolder(path: runtime)
    }
}

extension LockedVault {
    /// Unlocks with what an earlier unlock left in a kernel keyring.
    ///
    /// - Throws: `noSuchSlot`, `corrupted`, `wrongKey`.
    package consuming func unlock(with cached: borrowing UnlockingKey) throws(VaultError) -> UnlockedVault {
        if let slot = cached.slot { return try unlock(slot: slot, ownKey: cached.key) }
        return try unlock(vaultKey: cached.key)
    }
}
