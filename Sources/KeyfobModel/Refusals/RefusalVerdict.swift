/// A refused token request as this machine remembers it, so that nobody asks the provider for the same again in the next
/// minutes, and a person can continue.
///
/// It is kept with the grant whose refresh token was used. It is never synced, exported or backed up, and it ends with the
/// next success of what it is about, and with the next sign-in.
public struct RefusalVerdict: Hashable, Sendable {
    /// Names the continuation; random hexadecimal digits.
    public let id: String
    /// How far it reaches.
    public let reach: RefusalReach
    /// Whether a verdict about a tenant is about one client there, and not about the person.
    public let isOfClient: Bool
    /// What a person can do; nil where nothing is known to help.
    public let remedy: RefusalRemedy?
    /// What was asked for.
    public let request: RefusedRequest
    /// What the provider said.
    public let answer: Answer
    /// When it was said.
    public let time: Timestamp

    /// What a provider says when it refuses (RFC 6749, section 5.2).
    public struct Answer: Hashable, Sendable {
        /// The status code.
        public let status: Int
        /// The error's name.
        public let error: String?
        /// Microsoft's finer name.
        public let suberror: String?
        /// Microsoft's numbers.
        public let codes: [Int64]
        /// The sentence for people, made harmless.
        public let text: String?
        /// The `claims` with which a sign-in is to be asked for, JSON.
        public let claims: String?

        /// An answer.
        public init(
            status: Int, error: String? = nil, suberror: String? = nil, codes: [Int64] = [], text: String? = nil,
            claims: String? = nil
        ) {
            self.status = status
            self.error = error
            self.suberror = suberror
            self.codes = codes
            self.text = text
            self.claims = claims
        }
    }

    /// A verdict.
    public init(
        id: String, reach: RefusalReach, isOfClient: Bool = false, remedy: RefusalRemedy?, request: RefusedRequest,
        answer: Answer, time: Timestamp
    ) {
        self.id = id
        self.reach = reach
        self.isOfClient = isOfClient
        self.remedy = remedy
        self.request = request
        self.answer = answer
        self.time = time
    }

    /// For how many seconds the provider is not asked for the same.
    public static let pause: Int64 = 300
    /// For how many seconds it is kept: that long a person can continue.
    public static let lifetime: Int64 = 3_600
    /// How many digits an id has.
    package static let idLength = 8
    /// How many a grant keeps, the newest.
    package static let limit = 8

    /// Until when the provider is not asked for the same.
    public var pausedUntil: Timestamp { time.advanced(by: Self.pause) }

    /// Whether it is kept at `now`; one from the future says that the clock was set back.
    public func isKept(at now: Timestamp) -> Bool { time <= now && now < time.advanced(by: Self.lifetime) }

    /// Whether `other` would be refused likewise.
    ///
    /// One about the sign-in is told by the grant's state.
    package func covers(_ other: RefusedRequest) -> Bool {
        switch reach {
        case .request: request.isSame(as: other)
        case .tenant: request.isAtTenant(of: other) && (!isOfClient || request.clientID == other.clientID)
        case .client: request.clientID == other.clientID
        case .provider, .grant: false
        }
    }

    /// Whether tokens for `other`, which granted these scopes, show that it does not hold any more.
    package func isSettled(by other: RefusedRequest, granted: ScopeSet) -> Bool {
        switch reach {
        case .request:
            let wanted = request.scopes.ofResources
            let isGranted = !wanted.isEmpty && request.claims == nil && wanted.isSubset(of: granted)
            return request.isSame(as: other)
                || isGranted && request.clientID == other.clientID && request.isAtTenant(of: other)
        case .tenant, .client: return covers(other)
        case .provider, .grant: return true
        }
    }

    /// Whether somebody who asks for the same, and began at `startedAt`, is told it, and the provider is not asked.
    ///
    /// Whoever began before it, or in the same second and had to wait, shares it. Whoever comes later asks after the pause, or
    /// at once where a new token is forced.
    package func isShared(by startedAt: Timestamp, isForced: Bool, hasWaited: Bool, now: Timestamp) -> Bool {
        guard time <= now else { return false }
        return startedAt < time || hasWaited && startedAt == time || !isForced && now < pausedUntil
    }
}

extension Grant {
    /// Adds a verdict in the place of an older one about the same, and drops those that are kept no longer.
    package mutating func remember(_ verdict: RefusalVerdict) {
        refusals.removeAll { old in
            old.reach == verdict.reach && (old.reach == .grant || old.covers(verdict.request))
                || !old.isKept(at: verdict.time)
        }
        refusals.append(verdict)
        refusals.removeFirst(max(0, refusals.count - RefusalVerdict.limit))
    }

    /// Drops the verdicts that tokens for `request`, which granted these scopes, have refuted.
    package mutating func settle(_ request: RefusedRequest, granted: ScopeSet) {
        refusals.removeAll { $0.isSettled(by: request, granted: granted) }
    }
}
