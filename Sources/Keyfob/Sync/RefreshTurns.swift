/// Where machines that share a refresh token take turns to redeem it, and tell each other of the access token.
///
/// What is told there is sealed and signed: the place reads nothing, and is trusted with no more than whose turn it is. Each
/// call ends after a moment.
package struct RefreshTurns: Sendable {
    /// What is there under one name at one moment.
    package struct Sight: Hashable, Sendable {
        /// What was told last, and has not expired.
        package let token: [UInt8]?
        /// What tells that from what was told before.
        package let version: String
        /// Whether it is somebody's turn.
        package let isTaken: Bool

        /// What is there.
        package init(token: [UInt8]?, version: String, isTaken: Bool) {
            (self.token, self.version, self.isTaken) = (token, version, isTaken)
        }
    }

    /// This machine's turn.
    package struct Turn: Hashable, Sendable {
        /// What the place knows it by: one that ends by itself, and when it began.
        package let lease: String
        /// When it began.
        package let version: String

        /// A turn.
        package init(lease: String, version: String) { (self.lease, self.version) = (lease, version) }
    }

    /// What came of taking a turn.
    package enum Attempt: Hashable, Sendable {
        case taken(Turn)
        /// Somebody else has it, or has told something since.
        case lost
        /// The place takes nothing, or does not answer: there is no use in waiting.
        case refused
    }

    /// What is there under a name; nil where the place cannot be reached.
    package let look: @Sendable (_ name: [UInt8]) async -> Sight?
    /// Takes the turn.
    package let take: @Sendable (_ name: [UInt8], Sight) async -> Attempt
    /// Ends the turn, and tells something that goes after so many seconds, unless the turn has ended before.
    package let end: @Sendable (_ name: [UInt8], Turn, _ token: [UInt8]?, _ seconds: Int64) async -> Void
    /// The longest wait for somebody else's turn: a turn and a half, so that who follows one that was killed is waited for.
    package let patience: Duration

    /// A place.
    package init(
        patience: Duration, look: @escaping @Sendable (_ name: [UInt8]) async -> Sight?,
        take: @escaping @Sendable (_ name: [UInt8], Sight) async -> Attempt,
        end: @escaping @Sendable (_ name: [UInt8], Turn, _ token: [UInt8]?, _ seconds: Int64) async -> Void
    ) {
        (self.patience, self.look, self.take, self.end) = (patience, look, take, end)
    }
}
