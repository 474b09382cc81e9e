package import KeyfobModel

/// Which refresh token of a grant: the sign-in it comes from, and how often it was replaced since.
package struct GrantVersion: Hashable, Comparable, Sendable {
    /// Grows with every sign-in.
    package let epoch: UInt64
    /// Grows with every rotation within an epoch.
    package let generation: UInt64

    /// A version.
    package init(epoch: UInt64, generation: UInt64) {
        self.epoch = epoch
        self.generation = generation
    }

    /// The version that a grant is at.
    package init(_ grant: Grant) {
        self.init(epoch: grant.epoch, generation: grant.generation)
    }

    /// The version after a rotation.
    package var rotated: GrantVersion { GrantVersion(epoch: epoch, generation: generation &+ 1) }

    package static func < (left: GrantVersion, right: GrantVersion) -> Bool {
        (left.epoch, left.generation) < (right.epoch, right.generation)
    }
}

/// Which refresh token a request used: whose, and in which version.
package struct TokenIdentity: Hashable, Sendable {
    /// Whose refresh token it is.
    package enum Source: Hashable, Sendable {
        /// The client's own.
        case own
        /// Another client's of the same family.
        case family
    }

    /// Whose it is.
    package let source: Source
    /// Its version.
    package let version: GrantVersion

    /// An identity.
    package init(source: Source, version: GrantVersion) {
        self.source = source
        self.version = version
    }
}
