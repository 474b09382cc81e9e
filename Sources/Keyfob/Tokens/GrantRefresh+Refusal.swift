internal import KeyfobOAuth
internal import KeyfobRecords

// What a refresh asks for, what a refusal of that reaches, and how that is found out and remembered.

extension GrantRefresh {
    /// What a request to a token endpoint is for.
    struct Purpose: Sendable {
        /// The tenant, under which the tokens are filed; empty where the provider has none.
        let realm: String
        let scopes: ScopeSet
        var claims: String?

        /// Whether tokens of `other` answer a request to the tenant, as far as both are named by their ids.
        ///
        /// Microsoft gives the tokens of personal accounts to some clients in a tenant that stands for that of all of them.
        func admits(_ other: String) -> Bool {
            guard Authority.isGUID(realm), Authority.isGUID(other), Identifier.folded(realm) != Self.personalTenant
            else {
                return true
            }
            return Identifier.folded(realm) == Identifier.folded(other)
        }

        private static let personalTenant = "9188040d-6c67-4c5b-b112-36a304b66dad"
    }

    /// What the caller wants.
    var purpose: Purpose { Purpose(realm: plan.realm, scopes: plan.scopes, claims: plan.claims) }

    /// The same as it is remembered where the provider refuses it.
    var refused: RefusedRequest { refused(purpose) }

    private func refused(_ purpose: Purpose) -> RefusedRequest {
        RefusedRequest(
            clientID: plan.clientID ?? key.clientID, tenant: purpose.realm, scopes: purpose.scopes,
            namesScopes: provider.quirks.contains(.multipleResources), claims: purpose.claims)
    }

    /// The account's home, where tenants have anything to do with it.
    private var homeRealm: String {
        guard provider.refusalKind == .entra else { return plan.realm }
        return plan.account.homeRealm ?? plan.realm
    }

    /// What the meaning of a refusal depends on.
    var asked: RefreshTransaction.Asked {
        var asked = RefreshTransaction.Asked()
        asked.provider = provider.refusalKind
        asked.isHome = Identifier.folded(plan.realm) == Identifier.folded(homeRealm)
        asked.hasClaims = plan.claims != nil
        asked.questions = acquisition.options.forcesRefresh
        guard provider.quirks.contains(.multipleResources) else { return asked }
        asked.scopes = plan.scopes.isEmpty ? provider.defaultScopes : plan.scopes
        asked.defaultScopes = provider.defaultScopes
        asked.wasServed = plan.stored != nil && !plan.scopes.isEmpty
        return asked
    }

    /// Asks the home tenant for what it gave before: whether a refusal that nobody knows reaches the grant.
    func sendProbe(
        _ scopes: ScopeSet, _ progress: inout Progress, _ client: borrowing OAuthClient
    ) async -> RefreshEvent {
        let probe = Purpose(realm: homeRealm, scopes: scopes.ofResources)
        guard let metadata = await homeMetadata() else { return .storeFailed }
        progress.probe = probe
        return await redeem(&progress, client, for: probe, by: metadata)
    }

    /// What is known of the provider at the account's home; nil where that cannot be had.
    private func homeMetadata() async -> ProviderMetadata? {
        if asked.isHome { return metadata }
        let registered = try? keyring.providers.description(
            forEnvironment: provider.environment, tenant: homeRealm, in: [plan.group])
        guard let home = registered ?? nil,
            let found = try? await keyring.providers.discover(home, in: plan.group, network: network),
            let endpoint = try? found.require(.token), endpoint.isOfCloud(plan.situation.environment)
        else { return nil }
        return found
    }

    /// Has a grant remember a refusal, with what was asked for.
    ///
    /// - Parameter intent: That of the refresh: what begins it names the continuation.
    func remember(_ refusal: JudgedRefusal, _ writer: GroupWriter, _ intent: String) throws {
        let id = String(intent.prefix(RefusalVerdict.idLength))
        guard let verdict = RefusalVerdict(refusal, of: refused, id: id, at: keyring.clock.now) else { return }
        try writer.updateGrant(key) { $0.changeGrant { $0.remember(verdict) } }
    }

    /// What the grant is like after tokens came for something.
    func settle(_ grant: inout Grant, _ purpose: Purpose, granted: ScopeSet) {
        let request = refused(purpose)
        grant.settle(request, granted: granted)
        let isHome = Identifier.folded(purpose.realm) == Identifier.folded(homeRealm)
        guard source == .own, request.namesScopes, isHome, purpose.claims == nil else { return }
        grant.served = purpose.scopes.ofResources
    }

    /// Has the account's other grants forget what the tokens refute.
    func settleOthers(_ purpose: Purpose, granted: ScopeSet, _ writer: GroupWriter) throws {
        let request = refused(purpose)
        for other in try writer.grantKeys(of: key.account) where other != key {
            guard let grant = try writer.grant(other)?.grant,
                grant.refusals.contains(where: { $0.reach == .tenant && $0.isSettled(by: request, granted: granted) })
            else { continue }
            try writer.updateGrant(other) { token in
                token.changeGrant { grant in
                    grant.refusals.removeAll { $0.reach == .tenant && $0.isSettled(by: request, granted: granted) }
                }
            }
        }
    }
}

extension [Credential] {
    /// What is remembered among refresh tokens of an account of a request that was refused before; the latest.
    func remembered(_ request: RefusedRequest, at now: Timestamp) -> RefusalVerdict? {
        flatMap { $0.grant?.refusals ?? [] }.filter { $0.isKept(at: now) && $0.covers(request) }
            .max { $0.time < $1.time }
    }
}

extension TokenResponse {
    /// A copy of the refresh token; nil where there is none.
    borrowing func heldRefreshToken() -> HeldToken? {
        withRefreshToken { token in HeldToken(token.withBytes { SecretBytes(copying: $0) }) }
    }
}
