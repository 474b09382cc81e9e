extension LockedKeyring {
    /// Unlocks the keyring with a key that is kept: by an earlier unlock in a kernel keyring, or else by the Secret Service,
    /// where the vault has a slot for it.
    ///
    /// - Parameter secretService: How to reach it; nil where it is not to be asked.
    /// - Throws: As ``unlock(with:)``; where no key is kept, an error that ``KeyringError/meansNoKeyIsKept``.
    public consuming func unlockWithKeptKey(
        secretService: SecretServiceOptions?
    ) throws(KeyringError) -> Keyring {
        let (location, clock, hasService) = (self.location, self.clock, hasSecretServiceSlot)
        do throws(KeyringError) {
            return try unlock(with: .session)
        } catch  where error.code == .locked {
            guard hasService, let secretService else { throw error }
            return try LockedKeyring(at: location, clock: clock).unlock(with: .secretService(secretService))
        }
    }
}

extension KeyringError {
    /// Whether a keyring could not be unlocked with a key that is kept, and one that is given might do.
    public var meansNoKeyIsKept: Bool { [.locked, .unavailable, .cancelled, .wrongKey].contains(code) }
}
