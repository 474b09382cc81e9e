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

        /// A request.
        package init(
            token: TokenIdentity, startedAt: Timestamp, isForced: Bool = false, canWait: Bool = false,
            reuseIsTolerated: Bool = false, intentID: String
        ) {
            self.token = token
            self.startedAt = startedAt
            self.isForced = isForced
            self.canWait = canWait
            self.reuseIsTolerated = reuseIsTolerated
            self.intentID = intentID
        }
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
    /// What the end will be, once the lock is released.
    private var result: RefreshResult?

    /// Begins a refresh.
    package init(_ request: Request) {
        self.request = request
        self.version = request.token.version
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
        case (.readGrant, .grant(let snapshot)): return begin(snapshot, now)
        case (.readGrant, .storeFailed): return release(.storeFailed)
        case (.writeIntent, .done): return .sendRequest(version)
        case (.writeIntent, .conflict(let snapshot)): return release(Self.result(of: snapshot))
        case (.writeIntent, .storeFailed): return release(.storeFailed)
        case (.sendRequest, .answered(let replaces)):
            self.replaces = replaces
            return commit(now)
        case (.sendRequest, .failed(let failure)): return end(failure, now)
        case (.sendRequest, .failedButReplaced(let failure)):
            (flaw, replaces) = (failure, true)
            return commit(now)
        case (.sendRequest, .storeFailed):
            result = .storeFailed
            return dropIntent
        case (.commit(let commit), .done): return release(.refreshed(commit.version))
        case (.keepRefreshToken(let commit, _), .done):
            version = commit.version
            return release(.failed(token, flaw ?? .outcomeUnknown))
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
            intent: request.intentID)
        guard let flaw else { return .commit(commit) }
        let replaced = TokenIdentity(source: token.source, version: commit.version)
        return .keepRefreshToken(commit, RefreshFailure(flaw, of: replaced, at: now))
    }

    private mutating func unsaved() -> RefreshStep {
        guard !replaces else { return release(.notDurable) }
        result = .refreshedUnsaved
        return dropIntent
    }

    /// After a request that gave nothing.
    private mutating func end(_ failure: ProviderFailure, _ now: Timestamp) -> RefreshStep {
        result = .failed(token, failure)
        let changes = StoredChange.after(failure, of: token, wasInterrupted: isRecovering)
        guard changes.isEmpty else { return .recordRefusal(changes, intent: request.intentID) }
        // What an interrupted refresh left in doubt, only a token or a refusal of this one settles.
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
