package import KeyfobModel

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
