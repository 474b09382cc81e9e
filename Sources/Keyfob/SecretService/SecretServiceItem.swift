internal import KeyfobModel
internal import KeyfobSecretService
internal import KeyfobVault

/// What the Secret Service has for one slot of a vault.
public struct SecretServiceItem: Hashable, Sendable {
    /// The first eight hexadecimal digits of the slot's id.
    public let slot: String
    /// Whether it opens the vault.
    public let state: State
    /// How many items say that they are the slot's; one is right.
    ///
    /// 0 where it cannot be told.
    public let items: Int
    /// Why it does not open the vault; nil where it does.
    public let problem: KeyringError?

    /// Whether an item opens the vault.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// One of the items opens the vault.
        case opens
        /// There are items, and none opens the vault.
        case foreign
        /// There is no item.
        case missing
        /// The item, or the collection that it is in, is locked.
        case locked
        /// The service cannot be asked.
        case unavailable
    }

    init(slot: SlotID, _ outcome: consuming SlotKeySearch.Outcome) {
        self.slot = slot.short
        switch consume outcome {
        case .opened(_, let items):
            (state, self.items, problem) = (.opens, items, nil)
        case .foreign(let items, let error):
            (state, self.items, problem) = (.foreign, items, KeyringError(foreignItemOf: slot, error))
        case .failed(let error):
            state =
                switch error {
                case .noItem, .noCollection: .missing
                case .locked, .needsPrompt, .promptDismissed: .locked
                default: .unavailable
                }
            (items, problem) = (0, KeyringError(error))
        }
    }

    /// The service cannot be asked.
    init(slot: SlotID, unavailable problem: KeyringError) {
        self.slot = slot.short
        (state, items, self.problem) = (.unavailable, 0, problem)
    }
}
