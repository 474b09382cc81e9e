/// Which refresh token of a grant: the sign-in it comes from, and how often it was replaced since.
public struct GrantVersion: Hashable, Comparable, Sendable {
    /// Grows with every sign-in.
    public let epoch: UInt64
    /// Grows with every rotation within an epoch.
    public let generation: UInt64

    /// A version.
    public init(epoch: UInt64, generation: UInt64) {
        self.epoch = epoch
        self.generation = generation
    }

    /// The version that a grant is at.
    public init(_ grant: Grant) {
        self.init(epoch: grant.epoch, generation: grant.generation)
    }

    /// The version after a rotation.
    public var rotated: GrantVersion { GrantVersion(epoch: epoch, generation: generation &+ 1) }

    /// Whether `left` is the older.
    public static func < (left: GrantVersion, right: GrantVersion) -> Bool {
        (left.epoch, left.generation) < (right.epoch, right.generation)
    }
}
