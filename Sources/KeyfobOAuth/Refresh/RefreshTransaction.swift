package import KeyfobModel

/// One refresh among many processes: lock, read again, write an intent, send one request, commit durably, release.
///
/// It does no input or output. ``next`` says what to do, ``receive(_:now:)`` takes what became of it; an event that
/// does not fit changes nothing. At no point is a lock on the database held across a request.
package struct RefreshTransaction: Hashable, Sendable {
    /// Why somebody refreshes, and what they saw.
    package struct Request: Hashable, Sendable {
        /// The refresh token that was to be used when the decision fell.
        package var token: TokenIdentity
        /// When the caller began, so that the failures of a round are shared by all who wait for it.
        package var startedAt: Timestamp
        /// Whether a stored access token of the same version will not do.
        package var isForced: Bool
        /// Whether the caller still has a good access token.
        package var canWait: Bool
        /// Whether a refresh token that was replaced stays good at this provider.
        package var reuseIsTolerated: Bool
        /// Tells this refresh from others; random.
        package var intentID: String
        /// What the meaning of a refusal depends on.
        package var asked: Asked

        /// A request.
        package init(
            token: TokenIdentity, startedAt: Timestamp, isForced: Bool = false, canWait: Bool = false,
            reuseIsTolerated: Bool = false, intentID: String, asked: Asked = Asked()
        ) {
            self.token = token
            self.startedAt = startedAt
            self.isForced = isForced
            self.canWait = canWait
            self.reuseIsTolerated = reuseIsTolerated
            self.intentID = intentID
            self.asked = asked
        }
    }

    /// What a request asks for, as far as the meaning of a refusal depends on it.
    package struct Asked: Hashable, Sendable {
        /// Whose error codes are met.
        package var provider = RefusalCircumstances.Provider.other
        /// Whether the tenant is the account's home; true where the provider has no tenants.
        package var isHome = true
        /// The scopes, without those of OpenID Connect; none where no request names any.
        package var scopes: ScopeSet = []
        /// Whether claims are asked for.
        package var hasClaims = false
        /// Whether a token that this request gave is stored.
        package var wasServed = false
        /// The scopes that are asked for at home where no last good request is known of.
        package var defaultScopes: ScopeSet = []
        /// Whether the person questions what was remembered, by forcing a new token.
        package var questions = false

        /// What a provider without tenants is asked for, whose requests name no scopes.
        package init() {}
    }

    /// How often a commit is tried.
    package static let commitLimit = 3

    /// What to do.
    package private(set) var next = RefreshStep.acquireLock
    private let request: Request
    /// The version that was read under the lock.
    private var version: GrantVersion
    /// Whether an earlier refresh of this version was interrupted.
    package private(set) var isRecovering = false
    private var replaces = false
    private var commits = 0
    /// Why an answer was refused that had a new refresh token.
    private var flaw: ProviderFailure?
    /// A refusal that nobody knows, while the home tenant is asked whether the grant lasts.
    private var doubt: JudgedRefusal?
    /// The scopes of the last good request, read under the lock.
    private var lastGood: ScopeSet
    /// What the end will be, once the lock is released.
    private var result: RefreshResult?

    /// Begins a refresh.
    package init(_ request: Request) {
        self.request = request
        self.version = request.token.version
        lastGood = request.asked.defaultScopes
    }

    /// The end of an intent that nobody has to know of.
    private var dropIntent: RefreshStep { .endIntent(request.intentID, nil, mayBeUsedUp: false) }

    private var token: TokenIdentity { TokenIdentity(source: request.token.source, version: version) }

    /// Takes what became of ``next`` and gives the step after it.
    @discardableResult
    package mutating func receive(_ event: RefreshEvent, now: Timestamp) -> RefreshStep {
        next = following(event, now) ?? next
        return next
    }

    private mutating func following(_ event: RefreshEvent, _ now: Timestamp) -> RefreshStep? {
        switch (next, event) {
        case (.acquireLock, .lockAcquired): return .readGrant
        case (.acquireLock, .lockUnavailable): return .finished(.busy)
        case (.acquireLock, .storeFailed): return .finished(.storeFailed)
        case (.readGrant, .grant(let snapshot)): return begin(snapshot, now)
        case (.readGrant, .storeFailed): return release(.storeFailed)
        case (.writeIntent, .done): return .sendRequest(version)
        case (.writeIntent, .conflict(let snapshot)): return release(Self.result(of: snapshot))
        case (.writeIntent, .storeFailed): return release(.storeFailed)
        case (.sendRequest, .answered(let replaces)), (.sendProbe, .answered(let replaces)):
            self.replaces = replaces
            return commit(now)
        case (.sendRequest, .failed(let failure)): return end(failure, now)
        case (.sendProbe, .failed(let failure)): return endProbe(failure, now)
        case (.sendProbe, .storeFailed): return doubt.map { refuse($0, now) }
        case (.sendRequest, .failedButReplaced(let failure)), (.sendProbe, .failedButReplaced(let failure)):
            (flaw, replaces) = (failure, true)
            return commit(now)
        case (.sendRequest, .storeFailed):
            result = .storeFailed
            return dropIntent
        case (.commit(let commit), .done):
            version = commit.version
            return release(doubt.map { .refused(token, $0) } ?? .refreshed(commit.version))
        case (.keepRefreshToken(let commit, _), .done):
            version = commit.version
            return release(doubt.map { .refused(token, $0) } ?? .failed(token, flaw ?? .outcomeUnknown))
        case (.commit, .conflict(let snapshot)), (.keepRefreshToken, .conflict(let snapshot)): return discard(snapshot)
        case (.commit, .storeFailed), (.keepRefreshToken, .storeFailed):
            return commits < Self.commitLimit ? commit(now) : unsaved()
        case (.recordRefusal, .conflict(let snapshot)):
            result = Self.result(of: snapshot)
            return dropIntent
        case (.revokeReceived, .done): return dropIntent
        case (.recordRefusal, .done), (.recordRefusal, .storeFailed), (.endIntent, .done), (.endIntent, .storeFailed):
            return .releaseLock
        case (.releaseLock, .done): return result.map { .finished($0) }
        default: return nil
        }
    }

    /// Decides by what is stored now.
    private mutating func begin(_ snapshot: GrantSnapshot, _ now: Timestamp) -> RefreshStep {
        guard snapshot.state == .active else { return release(.ended(snapshot.state)) }
        let isNewer = snapshot.version > request.token.version
        if snapshot.hasFreshAccessToken, isNewer || !request.isForced { return release(.adopted(snapshot.version)) }
        version = snapshot.version
        lastGood = snapshot.served ?? lastGood
        if let refusal = snapshot.refusal,
            refusal.isShared(
                by: request.startedAt, isForced: request.asked.questions, hasWaited: snapshot.wasWaitedFor, now: now)
        {
            return release(.refused(token, refusal.judged))
        }
        if let failure = snapshot.failure, failure.version == version,
            let shared = failure.shared(
                by: request.startedAt, isForced: request.isForced, hasWaited: snapshot.wasWaitedFor, now: now)
        {
            return release(.failed(token, shared))
        }
        if let intent = snapshot.intent, intent.version == version {
            isRecovering = snapshot.rotates != false && !request.reuseIsTolerated
            if isRecovering, request.canWait { return release(.keptOld(intent)) }
        }
        return .writeIntent(RefreshIntent(id: request.intentID, version: version, writtenAt: now))
    }

    private mutating func commit(_ now: Timestamp) -> RefreshStep {
        commits += 1
        let commit = RefreshCommit(
            expected: version, version: replaces ? version.rotated : version, replacesRefreshToken: replaces,
            intent: request.intentID, refusal: doubt)
        guard let flaw else { return .commit(commit) }
        let replaced = TokenIdentity(source: token.source, version: commit.version)
        return .keepRefreshToken(commit, RefreshFailure(flaw, of: replaced, at: now))
    }

    private mutating func unsaved() -> RefreshStep {
        guard !replaces else { return release(.notDurable) }
        result = doubt.map { .refused(token, $0) } ?? .refreshedUnsaved
        return dropIntent
    }

    /// After a request that gave nothing.
    private mutating func end(_ failure: ProviderFailure, _ now: Timestamp) -> RefreshStep {
        let asked = request.asked
        let isLastGood = asked.isHome && !asked.hasClaims && asked.scopes.ofResources == lastGood.ofResources
        let ruling = ruling(
            on: failure, isHome: asked.isHome,
            wasServed: isLastGood || asked.provider == .other && asked.wasServed)
        guard ruling.reach != .provider else { return endUnjudged(failure, now) }
        let refusal = JudgedRefusal(failure, ruling)
        guard ruling.needsProbe else { return refuse(refusal, now) }
        doubt = refusal
        return .sendProbe(version, lastGood)
    }

    /// After the home tenant has not served its last good request either.
    private mutating func endProbe(_ failure: ProviderFailure, _ now: Timestamp) -> RefreshStep? {
        guard let doubt else { return nil }
        let ruling = ruling(on: failure, isHome: true, wasServed: true)
        guard ruling.reach != .grant else { return refuse(JudgedRefusal(failure, .grantEnds), now) }
        // Whatever else it says, it says nothing of the grant.
        return refuse(doubt, now, besides: failure)
    }

    private func ruling(on failure: ProviderFailure, isHome: Bool, wasServed: Bool) -> RefusalRuling {
        RefusalTable.ruling(
            on: failure,
            RefusalCircumstances(
                request.asked.provider, isHome: isHome, wasServed: wasServed, source: request.token.source))
    }

    /// After a refusal of which it is known how far it reaches.
    ///
    /// - Parameter other: What became of a request that was to show it.
    private mutating func refuse(
        _ refusal: JudgedRefusal, _ now: Timestamp, besides other: ProviderFailure? = nil
    ) -> RefreshStep {
        result = .refused(token, refusal)
        let isOver = refusal.ruling.reach == .grant
        // What an interrupted refresh left in doubt, only a token or the end of this one settles.
        return .recordRefusal(
            StoredChange.after(refusal, of: token, wasInterrupted: isRecovering),
            other.flatMap { RefreshFailure($0, of: token, at: now) }, intent: request.intentID,
            mayBeUsedUp: !isOver && (isRecovering || other?.mayHaveBeenProcessed == true))
    }

    /// After an answer that refuses nothing in particular, or none.
    private mutating func endUnjudged(_ failure: ProviderFailure, _ now: Timestamp) -> RefreshStep {
        result = .failed(token, failure)
        if case .refusedWithoutReason(let refusal) = failure {
            let changes = StoredChange.after(wordless: refusal, of: token, wasInterrupted: isRecovering)
            if !changes.isEmpty {
                return .recordRefusal(changes, nil, intent: request.intentID, mayBeUsedUp: false)
            }
        }
        return .endIntent(
            request.intentID, RefreshFailure(failure, of: token, at: now),
            mayBeUsedUp: failure.mayHaveBeenProcessed || isRecovering)
    }

    /// After tokens for a grant that is not what it was: signed out, or another sign-in's.
    private mutating func discard(_ snapshot: GrantSnapshot) -> RefreshStep {
        result = Self.result(of: snapshot)
        let isOver = snapshot.state != .active
        return isOver && replaces ? .revokeReceived : dropIntent
    }

    /// What a grant is that is not what it was when it was read.
    private static func result(of snapshot: GrantSnapshot) -> RefreshResult {
        snapshot.state == .active ? .superseded(snapshot.version) : .ended(snapshot.state)
    }

    private mutating func release(_ result: RefreshResult) -> RefreshStep {
        self.result = result
        return .releaseLock
    }
}
