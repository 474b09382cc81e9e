internal import KeyfobLookup
internal import KeyfobOAuth
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobVault

extension Keyring.Tokens {
    /// An access token for `request` without asking anybody: from what is stored, or by refresh.
    ///
    /// A stored token that is fresh is answered without the network. Otherwise the refresh token is redeemed, once
    /// for all processes that want it at the same time, and the new one is durable before the access token goes out.
    ///
    /// It waits on threads of Keyfob's own, so that a task that calls it holds up no other; see ``Keyring``.
    ///
    /// - Throws: `signInNeeded` where a person must sign in; `offline`, `throttled` or `busy` where it may go better
    ///   later and nothing was lost; `scopesDeclined` where the provider granted less than was asked for, which is
    ///   stored; `providerFailed`; as ``stored(for:in:)``.
    public func acquireSilently(
        for request: TokenRequest, options: SilentOptions = SilentOptions(), in groups: [AccessGroup]? = nil,
        network: Network
    ) async throws(KeyringError) -> Keyring.TokenAnswer {
        try await acquire(TokenAcquisition(request, in: groups, options: options, network: { network }))
    }

    /// The token that `acquisition` asks for, from what is stored or by refresh; see
    /// ``acquireSilently(for:options:in:network:)``.
    public func acquire(_ acquisition: TokenAcquisition) async throws(KeyringError) -> Keyring.TokenAnswer {
        try await acquire(acquisition, isNoted: true)
    }

    /// The same for an agent, which has a log of its own.
    package func acquireUnnoted(_ acquisition: TokenAcquisition) async throws(KeyringError) -> Keyring.TokenAnswer {
        try await acquire(acquisition, isNoted: false)
    }

    private func acquire(
        _ acquisition: TokenAcquisition, isNoted: Bool
    ) async throws(KeyringError) -> Keyring.TokenAnswer {
        try await StoreCall.run { () async throws(KeyringError) in
            switch try lookUp(acquisition) {
            case .found(let answer):
                if isNoted { keyring.uses.note(answer.found, for: acquisition.request) }
                return answer
            case .missing(let token):
                let answer = try await refreshed(token)
                if isNoted { keyring.uses.note(answer.found, for: acquisition.request) }
                return answer
            }
        }
    }

    /// Gets a token that ``lookUp(_:)`` has not found; see ``acquireSilently(for:options:in:network:)``.
    public func refresh(_ missing: MissingToken) async throws(KeyringError) -> Keyring.TokenAnswer {
        try await StoreCall.run { () async throws(KeyringError) in try await refreshed(missing) }
    }

    private func refreshed(_ missing: MissingToken) async throws(KeyringError) -> Keyring.TokenAnswer {
        let acquisition = missing.acquisition
        do {
            let answer = try await refreshedAnswer(missing).going(to: acquisition.request)
            keyring.signIns.warnOfEnd(answer.found)
            return answer
        } catch  where Self.leavesOldToken(error) && !acquisition.ignoresStored {
            guard let old = try storedToken(acquisition, of: missing.plan.account) else {
                throw keyring.undo.advising(error)
            }
            // One that has come meanwhile is not old.
            if old.found.isAging { warn(.oldToken, Self.staleness(of: old.found.account, error.message)) }
            return old
        } catch {
            throw keyring.undo.advising(error)
        }
    }

    /// The token that a refresh gives, or what is left where it gives none.
    private func refreshedAnswer(_ missing: MissingToken) async throws(KeyringError) -> Keyring.TokenAnswer {
        var (acquisition, plan) = (missing.acquisition, missing.plan)
        let options = acquisition.options
        var network: Network?
        var attempts: [SilentPlan.Attempt] = []
        // What follows is about this account, whatever another process chooses meanwhile.
        acquisition.hold(to: plan)
        for round in 0..<8 {
            if round > 0 { plan = try currentSnapshot(acquisition, reason: missing.plan.reason) }
            let request = acquisition.request
            let decision = SilentPlan.decide(
                plan.situation, after: attempts,
                options: SilentPlan.Options(
                    ignoresStored: options.ignoresStored, allowsExtendedLifetime: options.allowsExtendedLifetime))
            guard case .refresh(let token) = decision else { return try answer(decision, plan, request) }
            let provider = try provider(for: plan)
            try Self.requireTenant(of: request, plan, provider)
            guard plan.isCovered(by: provider) else { throw consentNeeded(plan) }
            let client = try client(for: plan, provider)
            let canWait = plan.canWait(options)
            let plain = if let network { network } else { try acquisition.open() }
            network = plain
            let connection = try plain.serving(provider)
            let limit = canWait ? GrantRefresh.shortDiscoveryDeadline : GrantRefresh.discoveryDeadline
            let discovering = connection.limited(until: .now + .seconds(limit))
            let metadata: ProviderMetadata
            do {
                metadata = try await keyring.providers.discover(provider, in: plan.group, network: discovering)
            } catch {
                guard case .unavailable(let failure) = error, failure.isProviderDown, plan.isUsableOffline(options)
                else {
                    throw KeyringError(error, of: provider)
                }
                attempts.append(SilentPlan.Attempt(token: token, failure: failure))
                continue
            }
            guard let used = plan.token(token.source) else { continue }
            try requireTokenEndpoint(metadata, plan, provider)
            var refresh = GrantRefresh(
                keyring: keyring, plan: plan, source: token.source, key: GrantKey(used),
                acquisition: acquisition, provider: provider, metadata: metadata,
                network: canWait ? connection.limited(to: GrantRefresh.shortDeadline) : connection)
            refresh.turns = { [turns = acquisition.turns] in turns($0, plain) }
            refresh.sharedWith = try await groupsSharing(refresh, network: discovering)
            let transaction = RefreshTransaction(
                RefreshTransaction.Request(
                    token: token, startedAt: missing.askedAt, isForced: options.ignoresStored, canWait: canWait,
                    reuseIsTolerated: provider.quirks.contains(.toleratesReuse), intentID: Self.newIntentID(),
                    asked: refresh.asked))
            let outcome = await refresh.run(transaction, client: client)
            switch SilentContinuation(outcome.result) {
            case .giveNew(let isSaved):
                guard let received = outcome.received else { throw KeyringError(.fault, "a token was lost") }
                return try answer(received, plan, provider, isSaved: isSaved)
            case .decideAgain(let attempt):
                if let attempt { attempts.append(attempt) }
            case .giveStored:
                // Somebody else has refreshed: their token is as new as one of our own.
                guard let stored = outcome.adopted else { throw KeyringError(.fault, "a stored token was lost") }
                return try opened(stored)
            case .conclude(let action): return try answer(action, plan, request)
            case .storeFailed:
                throw outcome.failure ?? KeyringError(.inputOutput, "the new token could not be made durable")
            }
        }
        throw KeyringError(
            .busy, "others keep replacing the token faster than it can be used", advice: .tryAgain(.nothingLost))
    }

    /// What is stored of an account and valid by now; nil where there is none.
    private func storedToken(
        _ acquisition: TokenAcquisition, of account: Account
    ) throws(KeyringError) -> Keyring.TokenAnswer? {
        // Nobody else's, if the account is gone by now.
        var request = acquisition.request
        (request.account, request.login) = (account.id.description, nil)
        do {
            return try kept(for: request, in: acquisition.groups)
        } catch  where error.code == .signInNeeded {
            return nil
        }
    }

    /// What a refresh needs to know of a request, read anew.
    private func currentSnapshot(
        _ acquisition: TokenAcquisition, reason: Verdict.Reason
    ) throws(KeyringError) -> TokenRequestSnapshot {
        let now = clock.now
        return try withState { state in
            try database.withSnapshot {
                var stored = try stored(&state, acquisition, takesValid: false, now)
                stored.owner.reason = reason
                return try snapshot(&state, acquisition, stored, now)
            }
        }
    }

    /// The token of what was found, opened.
    func opened(
        _ hit: TokenHits.Hit?, _ origin: Keyring.FoundToken.Origin = .stored
    ) throws(KeyringError) -> Keyring.TokenAnswer {
        guard let hit else { throw KeyringError(.fault, "a stored token was lost") }
        do {
            return try hit.answer(origin)
        } catch {
            throw KeyringError(error)
        }
    }

    /// The warning that goes with a token that is past the moment at which it should be replaced.
    static func staleness(of account: Account, _ reason: String) -> String {
        "the token of \(account.name) should be replaced and could not be: \(reason)"
    }

    /// Whether a token that is still valid is used where a refresh ended so: unless somebody has to choose, or the vault is
    /// not what it was.
    static func leavesOldToken(_ error: KeyringError) -> Bool {
        switch error.code {
        case .usage, .ambiguous, .noSuchAccount, .noSuchGroup, .groupNotGranted, .locked, .wrongKey, .unknownVault,
            .rolledBack, .newerVersion, .noVault, .notPermitted, .fault:
            false
        default: true
        }
    }

    /// A tenant that a provider without tenants cannot have is a mistake, and no name to file a token under.
    private static func requireTenant(
        of request: TokenRequest, _ plan: TokenRequestSnapshot, _ provider: ProviderDescription
    ) throws(KeyringError) {
        guard let realm = request.realm, !provider.quirks.contains(.tenantIssuer), plan.stored == nil else { return }
        let folded = Identifier.folded(realm)
        guard !plan.account.tenantProfiles.contains(where: { Identifier.folded($0.realm) == folded }) else { return }
        throw KeyringError(.usage, "\(provider.title) has no tenant '\(realm)'", advice: .omitTenant)
    }

    /// A refresh token is shown to the cloud that issued it, and to no other that a document names.
    private func requireTokenEndpoint(
        _ metadata: ProviderMetadata, _ plan: TokenRequestSnapshot, _ provider: ProviderDescription
    ) throws(KeyringError) {
        let endpoint: EndpointURL
        do {
            endpoint = try metadata.require(.token)
        } catch {
            throw KeyringError(error, of: provider)
        }
        guard endpoint.isOfCloud(plan.situation.environment) else {
            throw signInNeeded(plan, "\(SilentAction.SignInReason.otherCloud)")
        }
    }

    /// Random, so that no two refreshes have the same.
    private static func newIntentID() -> String {
        let bytes = SecretBytes.random(count: 12)
        return Hexadecimal.text(bytes.withBytes { [UInt8]($0) })
    }
}

extension Network {
    /// The same, waiting for each answer no longer than so many seconds.
    fileprivate func limited(to limit: Int64) -> Network {
        Network(
            send: { [send] request, seconds in await send(request, min(seconds, limit)) }, flaw: flaw,
            signer: signer, nonces: nonces)
    }

    /// The same, waiting for all answers together no longer than until then.
    fileprivate func limited(until end: ContinuousClock.Instant) -> Network {
        Network(
            send: { [send] request, seconds in
                let left = ContinuousClock.now.duration(to: end).components.seconds + 1
                return left > 0 ? await send(request, min(seconds, left)) : .failed(.unreachable(.late))
            }, flaw: flaw, signer: signer, nonces: nonces)
    }
}

extension TokenAcquisition {
    /// Asks for what has been found out that is meant.
    mutating func hold(to plan: TokenRequestSnapshot) {
        request.account = plan.account.id.description
        request.clientID = plan.clientID
        if case .named(let tenant) = plan.tenant { request.realm = tenant }
    }

    /// The network, opened.
    fileprivate func open() throws(KeyringError) -> Network {
        guard let network else { throw KeyringError(.fault, "the network is needed where it was not to be used") }
        return try network()
    }
}
