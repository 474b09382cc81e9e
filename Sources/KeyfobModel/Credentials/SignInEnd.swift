/// When a sign-in ends by the known lifetime of its refresh token, and from when on the owner is to be told.
public struct SignInEnd: Hashable, Sendable {
    /// When the refresh token stops being valid, unless a refresh brings another before.
    public let endsOn: Timestamp
    /// From when on it is worth a warning: a fifth of the lifetime before the end, but at most a week, so that a token
    /// that lives for hours is not always about to end.
    public let noticeOn: Timestamp

    private static let week: Int64 = 7 * 86_400

    /// The end of a refresh token; nil for one that is not known to end, or cannot be used anyway.
    public init?(_ token: Credential) {
        guard token.kind == .refreshToken, (token.grant ?? Grant()).state == .active, let end = token.expiresOn else {
            return nil
        }
        self.init(until: end, from: token.cachedAt)
    }

    /// The end of tokens that somebody stored and that nothing renews: that of the last one; nil where one does not end.
    package init?(stored ends: [(from: Timestamp?, until: Timestamp?)]) {
        var last: (from: Timestamp?, until: Timestamp)?
        for end in ends {
            guard let until = end.until else { return nil }
            if last.map({ $0.until < until }) ?? true { last = (end.from, until) }
        }
        guard let last else { return nil }
        self.init(until: last.until, from: last.from)
    }

    private init(until end: Timestamp, from begin: Timestamp?) {
        let (life, overflow) = end.seconds.subtractingReportingOverflow(begin?.seconds ?? 0)
        let isKnown = begin != nil && !overflow
        endsOn = end
        noticeOn = end.advanced(by: -(isKnown ? min(Self.week, max(0, life) / 5) : Self.week))
    }

    /// Whether the owner is to be told at `now`.
    public func isNear(_ now: Timestamp) -> Bool { noticeOn <= now }
}
