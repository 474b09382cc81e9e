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

        /// An attempt.
        package init(token: TokenIdentity, failure: ProviderFailure) {
            self.token = token
            self.failure = failure
        }
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
        if let last = attempts.last, !last.failure.isAboutTheToken {
            return conclude(situation, access, last.failure, options)
        }
        let tried = attempts.map(\.token)
        if let next = situation.candidates.first(where: { !tried.contains($0) }) {
            if attempts.count < attemptLimit { return .refresh(next) }
            return access == .aging ? .useOld(.noRefreshToken) : .retryLater(.contention)
        }
        // That a client is in no family says nothing about the person.
        let telling = attempts.last { $0.failure.refusal?.suberror != "client_mismatch" } ?? attempts.last
        return conclude(situation, access, telling?.failure, options)
    }

    private static func conclude(
        _ situation: SilentSituation, _ access: AccessTokenState, _ failure: ProviderFailure?, _ options: Options
    ) -> SilentAction {
        if access == .aging { return .useOld(failure.map { .failed($0) } ?? .noRefreshToken) }
        guard let failure else { return .needsSignIn(reason(situation)) }
        if failure.isProviderDown {
            let isAllowed = options.allowsExtendedLifetime && access == .extended
            if isAllowed { return .useExtended(failure) }
            // What this machine lacks does not come by itself.
            return failure.isTransient ? .retryLater(.offline(failure)) : .failed(failure)
        }
        switch failure {
        case .throttled(let until): return .retryLater(.throttled(until: until))
        case .invalidGrant, .refusedWithoutReason, .interactionRequired, .denied: return .needsSignIn(.refused(failure))
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
