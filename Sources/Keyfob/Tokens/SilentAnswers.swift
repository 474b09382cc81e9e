internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobOAuth
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobVault
internal import Synchronization

// How a silent request ends: with a token, or with an error that says what to do.

extension Keyring.Tokens {
    /// The end that a decision is.
    func answer(
        _ action: SilentAction, _ plan: TokenRequestSnapshot, _ request: TokenRequest
    ) throws(KeyringError) -> Keyring.TokenAnswer {
        switch action {
        case .useCached: return try opened(plan.hit)
        case .useOld(let staleness):
            warn(.oldToken, Self.staleness(of: plan.account, staleness.words))
            return try opened(plan.hit)
        case .useExtended(let failure):
            warn(
                .oldToken,
                "the token of \(plan.account.name) has expired and is used in its extended lifetime: \(failure)")
            return try opened(plan.hit, .extended)
        case .refused(let refusal): throw try error(refusal, plan)
        case .needsSignIn(.refused(let failure)):
            // What was written down says more: that an earlier answer was lost, or when the provider is asked again.
            guard case .needsSignIn(let reason)? = plan.own?.grant?.apparentState else {
                throw signInNeeded(plan, "\(failure)")
            }
            throw signInNeeded(plan, reason)
        case .needsSignIn(let reason):
            let isKnown =
                try keyring.providers.description(forEnvironment: plan.situation.environment, in: [plan.group]) != nil
            // Who never signed in is told of the token that was stored.
            let isBrought =
                reason == .noRefreshToken && plan.own == nil && plan.family == nil && plan.account.isKnownByName
            guard isKnown, !isBrought else { throw tokenNeeded(plan, request, "\(reason)", isProviderKnown: isKnown) }
            throw signInNeeded(plan, "\(reason)")
        case .retryLater(.offline(let failure)):
            throw KeyringError(
                .offline, "no token for \(plan.account.name): \(failure)",
                advice: .checkNetwork(failure.mayHaveBeenProcessed ? .none : .nothingLost))
        case .retryLater(.throttled(let until)):
            let wait = max(1, until.seconds - clock.now.seconds)
            throw KeyringError(
                .throttled, "no token for \(plan.account.name): the provider asks to wait",
                advice: .wait(seconds: wait))
        case .retryLater(.contention):
            throw KeyringError(
                .busy, "another process is still refreshing the token of \(plan.account.name)",
                advice: .tryAgain(.nothingLost))
        case .failed(let failure):
            throw KeyringError(failure, of: try provider(for: plan), account: plan.account.name)
        case .refresh: throw KeyringError(.fault, "a refresh was asked for where it ended")
        }
    }

    /// The token that has just come.
    func answer(
        _ received: ReceivedTokens, _ plan: TokenRequestSnapshot, _ provider: ProviderDescription, isSaved: Bool
    ) throws(KeyringError) -> Keyring.TokenAnswer {
        if !isSaved {
            warn(
                .tokenNotStored,
                "the new token of \(plan.account.name) could not be stored; the next one is asked for again")
        }
        let scopes = GrantedScopes(asked: plan.scopes, answered: received.response.details.scopes)
        guard scopes.declined.isEmpty else { throw Self.declined(scopes, plan.account.name) }
        let filing = TokenFiling(
            account: plan.account.id, clientID: plan.clientID ?? "", realm: plan.realm,
            askedScopes: plan.impliedScopes(provider), provider: provider)
        let found = Keyring.FoundToken(
            credential: filing.accessToken(received), account: plan.account, group: plan.group, isAging: false,
            reason: plan.reason, origin: .provider)
        return Keyring.TokenAnswer(secret: received.accessToken(), found: found)
    }

    /// The error for scopes that were not granted.
    static func declined(_ scopes: GrantedScopes, _ name: String) -> KeyringError {
        KeyringError(
            .scopesDeclined, "the provider declined \(scopes.declined) for \(name)",
            advice: .useGrantedScopes(scopes.granted), candidates: scopes.declined.scopes, names: [])
    }

    /// The error for an account to which nobody can sign in from here, because its provider is not known, or to which nobody has.
    private func tokenNeeded(
        _ plan: TokenRequestSnapshot, _ request: TokenRequest, _ reason: String, isProviderKnown: Bool
    ) -> KeyringError {
        let candidates = [plan.account.id.description]
        guard plan.own == nil, plan.family == nil else {
            return KeyringError(
                .signInNeeded, "\(plan.account.name) must sign in: \(reason)",
                advice: .addProviderOrToken,
                candidates: candidates, names: [])
        }
        var message =
            isProviderKnown
            ? "nothing renews the token that was stored for \(plan.account.name)"
            : "nothing renews the tokens of \(plan.account.name): its provider is not known"
        let now = clock.now
        // What is stored says more: that it expired, or has other scopes.
        if !plan.fitting.contains(where: { $0.isValid(now: now, minimumValidity: request.minimumValidity) }) {
            message = Self.lack(of: plan.account, plan.fitting, request, now)
        }
        return KeyringError(
            .signInNeeded, message,
            advice: plan.account.isKnownByName
                ? .storeTokenOf(plan.account.id.description, scopes: plan.scopes) : .addProviderOrToken,
            candidates: candidates, names: [])
    }
}

extension TokenRequestSnapshot {
    /// Whether a refresh can give the scopes asked for: where a grant covers certain scopes, those alone.
    func isCovered(by provider: ProviderDescription) -> Bool {
        guard !provider.quirks.contains(.multipleResources), let own, !own.scopes.isEmpty else { return true }
        return scopes.ofResources.isSubset(of: own.scopes)
    }

    /// The scopes of a token whose answer names none: those asked for, or all of the grant where none are named.
    func impliedScopes(_ provider: ProviderDescription) -> ScopeSet {
        guard !provider.quirks.contains(.multipleResources), let own, !own.scopes.isEmpty else { return scopes }
        return own.scopes
    }

    /// Whether a stored token is still good, so that nobody has to wait long for the new one.
    func canWait(_ options: SilentOptions) -> Bool {
        situation.accessToken == .aging && !options.ignoresStored
    }

    /// Whether there is an access token that serves while the provider cannot be reached.
    func isUsableOffline(_ options: SilentOptions) -> Bool {
        switch situation.accessToken {
        case .aging: !options.ignoresStored
        case .extended: !options.ignoresStored && options.allowsExtendedLifetime
        default: false
        }
    }
}

extension SilentAction.Staleness {
    fileprivate var words: String {
        switch self {
        case .needsSignIn(let reason): "\(reason)"
        case .failed(let failure): "\(failure)"
        }
    }
}
