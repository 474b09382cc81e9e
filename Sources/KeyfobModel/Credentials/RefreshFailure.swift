/// Why the last refresh on this machine gave nothing, for all who wanted the same at the time.
///
/// It ends with the next refresh that succeeds, and is never synced.
public struct RefreshFailure: Hashable, Sendable {
    /// What went wrong.
    public let kind: Kind
    /// The status of the answer; 0 where none came.
    public let status: Int
    /// What was wrong with the answer, in Keyfob's words; often empty.
    public let detail: String
    /// The refresh token that was used.
    public let version: GrantVersion
    /// When it ended.
    public let time: Timestamp
    /// Until when the provider asked to wait.
    public let retryAt: Timestamp?

    /// A failure.
    public init(
        _ kind: Kind, status: Int = 0, detail: String = "", version: GrantVersion, time: Timestamp,
        retryAt: Timestamp? = nil
    ) {
        self.kind = kind
        self.status = status
        self.detail = detail
        self.version = version
        self.time = time
        self.retryAt = retryAt
    }

    /// What can go wrong that another process would meet as well.
    public enum Kind: String, Sendable, CaseIterable {
        /// A refusal that names no error.
        case refusedWithoutReason
        /// The provider asked to wait.
        case throttled
        /// The provider is out of order.
        case serverDown
        /// A status that no token endpoint should answer.
        case unexpectedStatus
        /// An answer that is not what the protocol says.
        case protocolViolation
        /// Nothing was sent.
        case unreachable
        /// Sent, and no answer came.
        case outcomeUnknown
    }

    /// What is to be known after `previous` and this: a provider that was not asked has not taken its refusal back.
    package func replacing(_ previous: RefreshFailure?) -> RefreshFailure {
        guard let previous, previous.kind == .refusedWithoutReason, previous.version == version else { return self }
        return kind == .unreachable ? previous : self
    }

    /// The same about the refresh token as another group counts its versions.
    package func about(_ version: GrantVersion) -> RefreshFailure {
        RefreshFailure(kind, status: status, detail: detail, version: version, time: time, retryAt: retryAt)
    }

    /// How long a provider that refused without a reason is not asked again, in seconds.
    public static let refusalPause: Int64 = 600
}

extension Grant {
    /// The state as people are told it: a grant that the provider refused without a reason lasts, and needs a sign-in
    /// unless the provider thinks better of it.
    public var apparentState: State {
        guard state == .active, let failure, failure.version == version, failure.kind == .refusedWithoutReason else {
            return state
        }
        return .needsSignIn(
            reason: "refused, reason unknown (status \(failure.status)); "
                + "the provider is asked again at most every \(RefreshFailure.refusalPause / 60) minutes")
    }
}
