internal import KeyfobModel

/// The decision about a request for a token: a function of what is stored and of what was tried.
///
/// The shell reads what is stored anew before each call, so that what another process did meanwhile counts: a newer
/// refresh token is tried, a fresh access token is taken.
package enum SilentPlan {
    /// What the caller allows.
    package struct Options: Hashable, Sendable {
        /// Whether the stored access token does not count: a new one is wanted, or one with certain claims.
        package var ignoresStored: Bool
        /// Whether an access token may be used in its extended lifetime.
        package var allowsExtendedLifetime: Bool

        /// Options.
        package init(ignoresStored: Bool = false, allowsExtendedLifetime: Bool = false) {
            self.ignoresStored = ignoresStored
            self.allowsExtendedLifetime = allowsExtendedLifetime
        }
    }

    /// A refresh that gave nothing.
    package struct Attempt: Hashable, Sendable {
        /// With which refresh token.
        package let token: TokenIdentity
        /// Why.
        package let failure: ProviderFailure
        /// How far that reaches, where the provider refused.
        package let ruling: RefusalRuling?

        /// An attempt.
        package init(token: TokenIdentity, failure: ProviderFailure, ruling: RefusalRuling? = nil) {
            self.token = token
            self.failure = failure
            self.ruling = ruling
        }

        /// Whether another refresh token might fare better: this one is over, refused without a word, or of another family.
        var leavesOthers: Bool {
            guard let ruling else {
                if case .refusedWithoutReason = failure { return true }
                return false
            }
            return ruling.reach == .grant || isMismatch
        }

        /// That a client is in no family says nothing about the person.
        var isMismatch: Bool { failure.refusal?.suberror == "client_mismatch" }
    }

    /// How many refresh tokens one request tries.
    package static let attemptLimit = 4

    /// What to do next.
    package static func decide(
        _ situation: SilentSituation, after attempts: [Attempt] = [], options: Options = Options()
    ) -> SilentAction {
        guard situation.hasAccount else { return .needsSignIn(.noAccount) }
        if situation.own?.state == .signedOut { return .needsSignIn(.signedOut) }
        let access = options.ignoresStored ? AccessTokenState.none : situation.accessToken
        if access == .fresh { return .useCached }
        if let last = attempts.last, !last.leavesOthers { return conclude(situation, access, last, options) }
        let tried = attempts.map(\.token)
        if let next = situation.candidates.first(where: { !tried.contains($0) }) {
            if attempts.count < attemptLimit { return .refresh(next) }
            return access == .aging ? .useOld(.needsSignIn(.noRefreshToken)) : .retryLater(.contention)
        }
        return conclude(situation, access, attempts.last { !$0.isMismatch } ?? attempts.last, options)
    }

    private static func conclude(
        _ situation: SilentSituation, _ access: AccessTokenState, _ attempt: Attempt?, _ options: Options
    ) -> SilentAction {
        if access == .aging { return .useOld(attempt.map { .failed($0.failure) } ?? .needsSignIn(reason(situation))) }
        guard let attempt else { return .needsSignIn(reason(situation)) }
        let failure = attempt.failure
        if let ruling = attempt.ruling { return .refused(JudgedRefusal(failure, ruling)) }
        if failure.isProviderDown {
            let isAllowed = options.allowsExtendedLifetime && access == .extended
            if isAllowed { return .useExtended(failure) }
            // What this machine lacks does not come by itself.
            return failure.isTransient ? .retryLater(.offline(failure)) : .failed(failure)
        }
        switch failure {
        case .throttled(let until): return .retryLater(.throttled(until: until))
        case .refusedWithoutReason: return .needsSignIn(.refused(failure))
        default: return .failed(failure)
        }
    }

    /// Why there is no refresh token to try.
    private static func reason(_ situation: SilentSituation) -> SilentAction.SignInReason {
        guard let own = situation.own else { return .noRefreshToken }
        switch own.state {
        case .needsSignIn(reason: let reason): return .grantEnded(reason)
        case .signedOut: return .signedOut
        case .active: return own.hasSecret ? .otherCloud : .noRefreshToken
        }
    }
}
