package import KeyfobModel
package import KeyfobSodium

/// One group's key of one epoch and what is derived from it, in one guarded region.
package final class GroupKeys: Sendable {
    private static let count = 32
    private static let record = Subkey.Purpose("KeyfobGK", 1)
    private static let index = Subkey.Purpose("KeyfobGK", 2)
    private static let manifest = Subkey.Purpose("KeyfobGK", 3)
    private static let name = Subkey.Purpose("KeyfobGK", 4)
    private static let usage = Subkey.Purpose("KeyfobGK", 5)
    private static let audit = Subkey.Purpose("KeyfobGK", 6)
    private static let element = Subkey.Purpose("KeyfobGK", 7)
    private static let tree = Subkey.Purpose("KeyfobGK", 8)
    private static let usageTag = Subkey.Purpose("KeyfobGK", 9)
    private static let tokenUse = Subkey.Purpose("KeyfobGK", 10)

    /// The vault that the group is in.
    package let vault: VaultID
    /// The group.
    package let group: GroupID
    /// How often the group's key has been replaced, from 1.
    package let epoch: UInt32

    /// What shows the owner's decisions; nil for who does not hold the vault key.
    let owner: VaultKeys?

    /// Group key, record key, index key, manifest key, name key, usage key, audit key, element key, tree key, usage tag key, token use
    /// key.
    private let keys: SecretBytes

    /// The keys under `groupKey`, which must have 32 bytes.
    package convenience init(vault: VaultID, group: GroupID, epoch: UInt32, groupKey: borrowing SecretBytes) {
        self.init(vault: vault, group: group, epoch: epoch, groupKey: groupKey, owner: nil)
    }

    init(vault: VaultID, group: GroupID, epoch: UInt32, groupKey: borrowing SecretBytes, owner: VaultKeys?) {
        self.owner = owner
        self.vault = vault
        self.group = group
        self.epoch = epoch
        self.keys = groupKey.withBytes { key in
            SecretBytes(count: 11 * Self.count) { span in
                span.copy(from: key)
                let purposes = [
                    Self.record, Self.index, Self.manifest, Self.name, Self.usage, Self.audit, Self.element, Self.tree,
                    Self.usageTag, Self.tokenUse,
                ]
                for (position, purpose) in purposes.enumerated() {
                    Subkey.derive(purpose, from: key, into: &span, at: (position + 1) * Self.count)
                }
            }
        }
    }

    /// A copy of the group key itself, to be wrapped for somebody.
    func groupKey() -> SecretBytes { keys.extracting(0..<Self.count) }

    func withRecordKey<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result { try withKey(1, body) }

    func withIndexKey<Result>(_ body: (RawSpan) -> Result) -> Result { withKey(2, body) }

    func withManifestKey<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result { try withKey(3, body) }

    func withNameKey<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result { try withKey(4, body) }

    func withUsageKey<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result { try withKey(5, body) }

    func withElementKey<Result>(_ body: (RawSpan) -> Result) -> Result { withKey(7, body) }

    func withTreeKey<Result>(_ body: (RawSpan) -> Result) -> Result { withKey(8, body) }

    func withUsageTagKey<Result>(_ body: (RawSpan) -> Result) -> Result { withKey(9, body) }

    func withTokenUseKey<Result>(_ body: (RawSpan) -> Result) -> Result { withKey(10, body) }

    /// What shows that somebody with the group's key has written this in its audit: 32 bytes.
    package func auditCode(of content: [UInt8]) -> [UInt8] {
        withKey(6) { key in content.withBytes { BLAKE2b.mac($0, key: key, count: Self.count) } }
    }

    private func withKey<Result: ~Copyable, Failure: Error>(
        _ position: Int, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try keys.withBytes { (keys) throws(Failure) in
            try body(keys.extracting(position * Self.count..<(position + 1) * Self.count))
        }
    }
}
