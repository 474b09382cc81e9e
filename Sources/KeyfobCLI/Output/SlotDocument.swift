internal import Keyfob

/// A slot in a document.
struct SlotDocument: Encodable {
    let id: String
    let kind: String
    let created: String
    let group: String?
    let kdfMemory: UInt64?
    let kdfOperations: UInt32?
    let recipient: String?
    let isRecoveryKey: Bool?

    init(_ slot: Keyring.Slot) {
        id = slot.id
        kind = slot.kind
        created = slot.created.rfc3339
        group = slot.group?.name
        kdfMemory = slot.memory
        kdfOperations = slot.operations
        recipient = slot.recipient
        isRecoveryKey = slot.isRecoveryKey ? true : nil
    }
}
