internal import KeyfobKernelKeyring
internal import KeyfobModel
internal import KeyfobSodium
internal import KeyfobVault

/// The unlocking key of a vault in the session's kernel keyring.
///
///     slot id 16 (zeros: the vault key) ‖ key 32
enum SessionCache {
    static func store(_ unlocking: borrowing UnlockingKey, vault: VaultID, seconds: UInt32) throws(KeyringError) {
        let slot = unlocking.slot?.bytes ?? [UInt8](repeating: 0, count: 16)
        let payload = SecretBytes(count: 48) { span in
            slot.withBytes { span.copy(from: $0) }
            unlocking.key.withBytes { span.copy(from: $0, at: 16) }
        }
        do {
            try SessionKeyring.store(payload, name: name(vault), seconds: seconds)
        } catch {
            throw KeyringError(error)
        }
    }

    /// The key, or nil when there is none, including where the session has no keyring.
    static func read(vault: VaultID) throws(KeyringError) -> UnlockingKey? {
        guard let payload = try? SessionKeyring.read(name: name(vault)), payload.count == 48 else { return nil }
        let slot = payload.withBytes { [UInt8]($0.extracting(0..<16)) }
        let isVaultKey = slot.allSatisfy { $0 == 0 }
        return UnlockingKey(slot: isVaultKey ? nil : SlotID(slot), key: payload.extracting(16..<48))
    }

    static func remove(vault: VaultID) throws(KeyringError) -> Bool {
        do {
            return try SessionKeyring.remove(name: name(vault))
        } catch .noSessionKeyring {
            return false
        } catch {
            throw KeyringError(error)
        }
    }

    private static func name(_ vault: VaultID) -> String { "keyfob:\(vault)" }
}

extension KeyringError {
    fileprivate init(_ failure: SessionKeyring.Failure) {
        switch failure {
        case .noSessionKeyring:
            self.init(
                .unavailable, "this session has no kernel keyring of its own",
                hint: "log in through PAM with pam_keyinit, or start a shell with 'keyctl session'")
        case .unavailable(let number):
            self.init(.unavailable, "the kernel offers no keyring here: \(Self.text(ofErrno: number))")
        case .quotaExceeded:
            self.init(.unavailable, "the kernel's quota of keys is used up (see /proc/key-users)")
        }
    }
}
