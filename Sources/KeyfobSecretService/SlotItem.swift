/// The item that holds a slot's key.
package struct SlotItem: Equatable, Sendable {
    /// The vault's and the slot's ids, 32 hexadecimal digits each.
    package let vault: String
    package let slot: String

    package init(vault: String, slot: String) {
        self.vault = vault
        self.slot = slot
    }

    /// What it is found by: all of them together.
    package var attributes: [String: String] {
        ["xdg:schema": "io.keyfob.Slot", "vault": vault, "slot": slot, "version": "1"]
    }

    /// The number of bytes of its key.
    package static let keyLength = 32
}
