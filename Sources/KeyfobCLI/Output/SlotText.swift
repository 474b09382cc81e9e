internal import Keyfob

/// Slots in words.
enum SlotText {
    /// `key-file 3fa9c1d2`, with the group that it opens.
    static func of(_ slot: Keyring.Slot) -> String {
        slot.kind + " " + slot.id + (slot.isRecoveryKey ? " (recovery key)" : "")
            + (slot.group.map { " of group '\($0)'" } ?? "")
    }

    /// Several, one behind the other.
    static func list(_ slots: [Keyring.Slot]) -> String { slots.map(of).joined(separator: ", ") }
}
