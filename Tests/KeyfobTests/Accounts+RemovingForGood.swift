import Keyfob

extension Keyring.Accounts {
    /// Removes an account without keeping anything for an undo, as the bare storage does it.
    ///
    /// - Returns: How many records went.
    func removeForGood(
        _ account: AccountID, from group: AccessGroup, unbinds: Bool = false
    ) throws(KeyringError) -> Int {
        try remove(account, from: group, unbinds: unbinds, undo: .none).records
    }
}
