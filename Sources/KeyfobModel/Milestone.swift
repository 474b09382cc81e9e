/// How far a vault's header, or one of its groups, has come, and a digest of what it was then.
package struct Milestone: Hashable, Sendable {
    /// The group; nil for the header.
    package let group: GroupID?
    /// How often it has changed.
    package let sequence: UInt64
    /// The epoch of the group's key; 0 for the header.
    package let epoch: UInt32
    /// 32 bytes that differ from those of any other state, of the same sequence too; nil where they are not known.
    package let digest: [UInt8]?

    /// The length of a digest in bytes.
    package static let digestCount = 32

    /// A milestone.
    package init(group: GroupID?, epoch: UInt32 = 0, sequence: UInt64, digest: [UInt8]?) {
        self.group = group
        self.epoch = epoch
        self.sequence = sequence
        self.digest = digest
    }
}
