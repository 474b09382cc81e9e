public import Keyfob

/// Told what becomes of the broker's door; each on a thread of its own.
public struct BrokerNotices: Sendable {
    /// The bus has gone away; the door opens again once there is one.
    public var lost: @Sendable () -> Void = {}
    /// It has opened again.
    public var isBack: @Sendable () -> Void = {}
    /// It has closed for good: with why, or nil where it was to.
    public var ended: @Sendable (KeyringError?) -> Void = { _ in }

    /// Those that tell nobody.
    public init() {}
}
