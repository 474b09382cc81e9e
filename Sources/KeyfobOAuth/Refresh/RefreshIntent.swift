package import KeyfobModel

/// The note, durable before a request is sent, that a refresh token is about to be used.
///
/// Whoever finds one after taking the lock knows that a refresh was interrupted.
package struct RefreshIntent: Hashable, Sendable {
    /// Tells this intent from others; random.
    package let id: String
    /// The refresh token about to be used.
    package let version: GrantVersion
    /// When it was written.
    package let writtenAt: Timestamp
    /// Whether its writer lived on and got no answer; otherwise it died.
    package var isUncertain: Bool

    /// An intent.
    package init(id: String, version: GrantVersion, writtenAt: Timestamp, isUncertain: Bool = false) {
        self.id = id
        self.version = version
        self.writtenAt = writtenAt
        self.isUncertain = isUncertain
    }
}
