/// What a sign-in gave: the right that a refresh token stands for.
public struct Grant: Hashable, Sendable {
    /// Whether the grant can be used.
    public var state: State
    /// Grows with every sign-in.
    public var epoch: UInt64
    /// Grows with every rotation of the refresh token within an epoch.
    public var generation: UInt64
    /// Whether the provider replaces the refresh token at each use; nil where nobody knows.
    public var rotates: Bool?
    /// The note of a refresh on this machine that has not ended, or whose end nobody knows.
    public var intent: RefreshIntent?
    /// Why the last refresh on this machine gave nothing.
    public var failure: RefreshFailure?
    /// The requests that the provider refused on this machine, the oldest first.
    public var refusals: [RefusalVerdict] = []
    /// The scopes of the last request at the home tenant that gave tokens on this machine; nil where none is known of.
    public var served: ScopeSet?
    /// The highest epoch that other machines of a sync have told of, where it is above ``epoch``; else 0.
    ///
    /// A sign-in on this machine begins an epoch above it, and a sign-out ends all up to it.
    public var known: UInt64 = 0
    /// The highest epoch that a sign-out has ended before this one began, on whichever machine; 0 where none has.
    ///
    /// A machine whose own sign-in began in that epoch, or before it, is signed out as soon as it hears of this.
    public var ended: UInt64

    /// A grant.
    public init(
        state: State = .active, epoch: UInt64 = 1, generation: UInt64 = 1, rotates: Bool? = nil,
        intent: RefreshIntent? = nil, failure: RefreshFailure? = nil, ended: UInt64 = 0
    ) {
        self.state = state
        self.epoch = epoch
        self.generation = generation
        self.rotates = rotates
        self.intent = intent
        self.failure = failure
        self.ended = ended
    }

    /// The version of its refresh token.
    public var version: GrantVersion { GrantVersion(epoch: epoch, generation: generation) }

    /// The grant without what concerns this machine alone: the note of a refresh, what became of the last ones, and what was
    /// refused.
    public var elsewhere: Grant {
        var grant = Grant(state: state, epoch: epoch, generation: generation, rotates: rotates, ended: ended)
        grant.known = known
        return grant
    }

    /// The highest epoch that this machine knows of: its own, or another's.
    package var latestEpoch: UInt64 { max(epoch, known) }

    /// The highest epoch that a sign-out has ended, this one included.
    package var latestEnded: UInt64 { state == .signedOut ? max(epoch, ended) : ended }

    /// The grant after the person signed out, which ends all epochs that this machine knows of.
    package var signedOut: Grant {
        Grant(state: .signedOut, epoch: latestEpoch, generation: generation, rotates: rotates)
    }

    /// The state of a grant; a grant that ended keeps a state instead of vanishing.
    public enum State: Hashable, Sendable {
        /// The refresh token can be used.
        case active
        /// The person signed out.
        case signedOut
        /// The provider wants the person to sign in; the text says why.
        case needsSignIn(reason: String)

        /// The state's name in documents: `active`, `signedOut` or `needsSignIn`.
        public var name: String {
            switch self {
            case .active: "active"
            case .signedOut: "signedOut"
            case .needsSignIn: "needsSignIn"
            }
        }
    }
}
