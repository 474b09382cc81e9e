/// The note, durable before a request is sent, that a refresh token is about to be used.
///
/// Whoever finds one after taking the lock knows that a refresh was interrupted: its process died, or no answer came.
public struct RefreshIntent: Hashable, Sendable {
    /// Tells this intent from others; random.
    public let id: String
    /// The refresh token about to be used.
    public let version: GrantVersion
    /// When it was written.
    public let writtenAt: Timestamp

    /// An intent.
    public init(id: String, version: GrantVersion, writtenAt: Timestamp) {
        self.id = id
        self.version = version
        self.writtenAt = writtenAt
    }

    /// The same note about the refresh token as another group counts its versions.
    package func about(_ version: GrantVersion) -> RefreshIntent {
        RefreshIntent(id: id, version: version, writtenAt: writtenAt)
    }
}
