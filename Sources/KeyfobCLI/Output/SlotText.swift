internal import Keyfob

/// Slots in words.
enum SlotText {
    /// `key-file 3fa9c1d2`, with the group that it opens.
    static func of(_ slot: Keyring.Slot) -> String {
        kind(of: slot) + " " + slot.id + (slot.group.map { " of group '\($0)'" } ?? "")
    }

    /// The kind as `keyfob slot add` calls it.
    static func kind(of slot: Keyring.Slot) -> String { slot.isRecoveryKey ? "recovery-key" : slot.kind }

    /// What a slot opens: while the desktop's keyring keeps the records, that keyring is the vault's key.
    static func opened(by slot: Keyring.Slot, _ storage: StoragePlace) -> String {
        if let group = slot.group { return "group \(group)" }
        return switch storage {
        case .embedded: "the vault"
        case .secretService: slot.kind == "recipient" ? "backups" : "the vault, once it is moved back"
        }
    }

    /// Several, one behind the other.
    static func list(_ slots: [Keyring.Slot]) -> String { slots.map(of).joined(separator: ", ") }

    /// With what they open, one behind the other: `--key-file FILE (slot 3fa9c1d2)`.
    static func ways(_ slots: [Keyring.Slot]) -> String {
        Quantity.list(
            slots.map { slot in
                let way =
                    switch slot.kind {
                    case "passphrase": "a passphrase"
                    case "key-file": "--key-file FILE"
                    case "recipient": "--identity FILE"
                    default: "the desktop's keyring"
                    }
                return "\(way) (\(slot.isRecoveryKey ? "the recovery key, " : "")slot \(slot.id))"
            })
    }
}
