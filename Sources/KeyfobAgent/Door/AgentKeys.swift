package import Keyfob
package import KeyfobSodium

/// What an agent's owner does with the vault's keys: told by the same user's programs, whichever they are.
package struct AgentKeys: Sendable {
    /// Opens the vault of this id with an unlocking key for so many seconds.
    package let unlock:
        @Sendable (_ vault: String, borrowing SecretBytes, _ seconds: Int64) throws(KeyringError) -> Void
    /// Forgets the keys; whether there were any.
    package let lock: @Sendable () -> Bool
    /// The vault's folder, whether and of which vault keys are held, and until when.
    package let status: @Sendable () -> Status

    /// What is told of the keys.
    package struct Status: Sendable {
        package let place: VaultPlace
        package let isOpen: Bool
        /// The id of the vault whose keys are held.
        package let id: String?
        package let until: Timestamp?

        package init(place: VaultPlace, isOpen: Bool, id: String?, until: Timestamp?) {
            (self.place, self.isOpen, self.id, self.until) = (place, isOpen, id, until)
        }
    }

    package init(
        unlock:
            @escaping @Sendable (_ vault: String, borrowing SecretBytes, _ seconds: Int64) throws(KeyringError) -> Void,
        lock: @escaping @Sendable () -> Bool, status: @escaping @Sendable () -> Status
    ) {
        (self.unlock, self.lock, self.status) = (unlock, lock, status)
    }
}
