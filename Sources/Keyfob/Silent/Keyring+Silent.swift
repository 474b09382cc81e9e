internal import KeyfobOAuth
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobVault

extension Keyring {
    /// An access token for `request` without asking anybody: from what is stored, or by refresh.
    ///
    /// A stored token that is fresh is answered without the network. Otherwise the refresh token is redeemed, once
    /// for all processes that want it at the same time, and the new one is durable before the access token goes out.
    ///
    /// - Throws: `signInNeeded` where a person must sign in; `offline`, `throttled` or `busy` where it may go better
    ///   later and nothing was lost; `scopesDeclined` where the provider granted less than was asked for, which is
    ///   stored; `providerFailed`; as ``token(for:in:)``.
    public func acquireTokenSilently(
        for request: TokenRequest, options: SilentOptions = SilentOptions(), in groups: [AccessGroup]? = nil,
        network: Network
    ) async throws(KeyringError) -> TokenAnswer {
        if let answer = try freshToken(for: request, options: options, in: groups) { return answer }
        do {
            return try await refreshedAnswer(to: request, options, groups, network)
        } catch  where Self.leavesOldToken(error) && !options.ignoresStored {
            guard let old = try adopted(request, groups) else { throw error }
            warn("the token of \(old.found.account.name) should be replaced and could not be: \(error.message)")
            return old
        }
    }

    /// The token that a refresh gives, or what is left where it gives none.
    private func refreshedAnswer(
        to request: TokenRequest, _ options: SilentOptions, _ groups: [AccessGroup]?, _ network: Network
    ) async throws(KeyringError) -> TokenAnswer {
        let startedAt = clock.now
        var attempts: [SilentPlan.Attempt] = []
        var request = request
        for _ in 0..<8 {
            let plan = try withState { try silentCase(&$0, request, groups) }
            // What follows is about this account, whatever another process chooses meanwhile.
            request.account = plan.account.id.description
            request.clientID = plan.clientID
            let decision = SilentPlan.decide(
                plan.situation, after: attempts,
                options: SilentPlan.Options(
                    ignoresStored: options.ignoresStored, allowsExtendedLifetime: options.allowsExtendedLifetime))
            guard case .refresh(let token) = decision else { return try answer(decision, plan, request) }
            let provider = try provider(for: plan)
            try Self.requireTenant(of: request, plan, provider)
            guard plan.isCovered(by: provider) else { throw Self.consentNeeded(plan) }
            let client = try client(for: plan, provider)
            let canWait = plan.canWait(options)
            let network = canWait ? network.limited(to: GrantRefresh.shortDeadline) : network
            let outcome: GrantRefresh.Outcome
            do {
                let metadata = try await metadata(of: provider, in: plan.group, network: network)
                guard let used = plan.token(token.source) else { continue }
                try Self.requireTokenEndpoint(metadata, plan, provider)
                let refresh = GrantRefresh(
                    keyring: self, plan: plan, source: token.source, key: GrantKey(used), request: request,
                    options: options, provider: provider, metadata: metadata, network: network)
                let transaction = RefreshTransaction(
                    RefreshTransaction.Request(
                        token: token, startedAt: startedAt, isForced: options.ignoresStored, canWait: canWait,
                        reuseIsTolerated: provider.quirks.contains(.toleratesReuse), intentID: Self.newIntentID()))
                outcome = await refresh.run(transaction, client: client)
            } catch  where error.code == .offline && plan.isUsableOffline(options) {
                attempts.append(SilentPlan.Attempt(token: token, failure: .unreachable))
                continue
            }
            switch SilentContinuation(outcome.result) {
            case .giveNew(let isSaved):
                guard let received = outcome.received else { throw KeyringError(.fault, "a token was lost") }
                return try answer(received, plan, provider, isSaved: isSaved)
            case .decideAgain(let attempt):
                if let attempt { attempts.append(attempt) }
                // Somebody else has refreshed: their token is as new as one of our own.
                if case .adopted = outcome.result, let answer = try adopted(request, groups, besides: plan.stored) {
                    return answer
                }
            case .conclude(let action): return try answer(action, plan, request)
            case .storeFailed:
                throw outcome.failure ?? KeyringError(.inputOutput, "the new token could not be made durable")
            }
        }
        throw KeyringError(
            .busy, "others keep replacing the token faster than it can be used", hint: "nothing is lost; try again")
    }

    /// The stored access token for `request` while it is fresh; nil where ``acquireTokenSilently(for:options:in:network:)``
    /// would use the network.
    ///
    /// - Throws: as ``token(for:in:)``, but for `signInNeeded`.
    public func freshToken(
        for request: TokenRequest, options: SilentOptions = SilentOptions(), in groups: [AccessGroup]? = nil
    ) throws(KeyringError) -> TokenAnswer? {
        guard !options.ignoresStored else { return nil }
        do {
            let answer = try token(for: request, in: groups)
            if answer.found.isAging { return nil }
            return answer
        } catch  where error.code == .signInNeeded {
            return nil
        }
    }

    /// Whether a token that is still valid is used where a refresh ended so: nobody has to sign in for it, nor to
    /// choose.
    private static func leavesOldToken(_ error: KeyringError) -> Bool {
        switch error.code {
        case .offline, .throttled, .busy, .providerFailed, .configuration, .noSuchProvider, .noSuchClient,
            .scopesDeclined, .damaged, .inputOutput, .diskFull:
            true
        default: false
        }
    }

    /// A tenant that a provider without tenants cannot have is a mistake, and no name to file a token under.
    private static func requireTenant(
        of request: TokenRequest, _ plan: SilentCase, _ provider: ProviderDescription
    ) throws(KeyringError) {
        guard let realm = request.realm, !provider.quirks.contains(.tenantIssuer), plan.stored == nil else { return }
        let folded = Identifier.folded(realm)
        guard !plan.account.tenantProfiles.contains(where: { Identifier.folded($0.realm) == folded }) else { return }
        throw KeyringError(.usage, "\(provider.title) has no tenant '\(realm)'", hint: "leave out --tenant")
    }

    /// A refresh token is shown to the cloud that issued it, and to no other that a document names.
    private static func requireTokenEndpoint(
        _ metadata: ProviderMetadata, _ plan: SilentCase, _ provider: ProviderDescription
    ) throws(KeyringError) {
        let endpoint: EndpointURL
        do {
            endpoint = try metadata.require(.token)
        } catch {
            throw KeyringError(error, of: provider)
        }
        let environment = plan.situation.environment
        guard EnvironmentAliases.isMicrosoft(environment) else { return }
        guard EnvironmentAliases.areSame(endpoint.host, environment) else {
            throw signInNeeded(plan, "\(SilentAction.SignInReason.otherCloud)")
        }
    }

    /// What is stored and valid; nil where there is none.
    private func adopted(_ request: TokenRequest, _ groups: [AccessGroup]?) throws(KeyringError) -> TokenAnswer? {
        do {
            return try token(for: request, in: groups)
        } catch  where error.code == .signInNeeded {
            return nil
        }
    }

    /// What somebody else has just got; a token that has come since `seen` is as good as one that is asked for now,
    /// however short its life.
    private func adopted(
        _ request: TokenRequest, _ groups: [AccessGroup]?, besides seen: Credential?
    ) throws(KeyringError) -> TokenAnswer? {
        if let answer = try adopted(request, groups) { return answer }
        var patient = request
        patient.minimumValidity = 0
        guard let answer = try adopted(patient, groups) else { return nil }
        guard answer.found.credential != seen else { return nil }
        return answer
    }

    /// Random, so that no two refreshes have the same.
    private static func newIntentID() -> String {
        let bytes = SecretBytes.random(count: 12)
        return bytes.withBytes { [UInt8]($0) }.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

extension Network {
    /// The same, waiting for each answer no longer than so many seconds.
    fileprivate func limited(to limit: Int64) -> Network {
        Network(send: { [send] request, seconds in await send(request, min(seconds, limit)) }, flaw: flaw)
    }
}
