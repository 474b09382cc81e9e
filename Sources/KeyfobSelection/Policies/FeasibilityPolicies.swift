internal import KeyfobModel

/// A rule that an account must pass to be considered at all.
protocol FeasibilityPolicy {
    /// Why the account will not do; nil when this rule has nothing against it.
    func rejection(of candidate: Candidate) -> Verdict.Rejection?
}

extension FeasibilityPolicy {
    func sift(_ open: inout [Int], of candidates: [Candidate], _ rejections: inout [Verdict.Rejection?]) {
        open.removeAll { index in
            guard let rejection = rejection(of: candidates[index]) else { return false }
            rejections[index] = rejection
            return true
        }
    }
}

extension TokenRequest {
    /// Takes out of `open`, which are places in `candidates`, those that will not do by the rules that this request makes
    /// with the bindings that stand, and notes why; how a sign-in stands is none of them.
    func sift(
        _ open: inout [Int], of candidates: [Candidate], _ rejections: inout [Verdict.Rejection?], _ bindings: [Binding]
    ) {
        func apply(_ policy: some FeasibilityPolicy) { policy.sift(&open, of: candidates, &rejections) }
        if let environment { apply(EnvironmentPolicy(environment)) }
        if policy != nil { apply(UserFlowPolicy(request: self)) }
        if let rule = DestinationRule(self, bindings: bindings) { apply(DestinationPolicy(rule: rule)) }
        if let realm {
            let isKnown = open.contains { candidates[$0].isKnown(in: realm) }
            let steps = BindingPolicy(bindings, for: context, groups: []).steps
            let bound = Set(steps.joined().compactMap { $0.target.account })
            apply(TenantPolicy(realm: realm, mayVisit: !isKnown, bound: bound))
        }
        if let clientID {
            let isKnown = open.contains { candidates[$0].clientIDs.contains(clientID) }
            apply(ClientPolicy(clientID: clientID, mayJoin: !isKnown))
        }
        if !scopes.isEmpty {
            apply(ScopePolicy(scopes: scopes))
        } else if context.url != nil {
            apply(ResourcePolicy(request: self))
        }
    }
}

/// The provider must be the one asked for, or an alias of it.
private struct EnvironmentPolicy: FeasibilityPolicy {
    private let wanted: String

    init(_ environment: String) {
        wanted = EnvironmentAliases.canonicalName(of: environment)
    }

    func rejection(of candidate: Candidate) -> Verdict.Rejection? {
        let own = candidate.account.id.environment
        // Nearly always it is spelt as it should be.
        return own == wanted || EnvironmentAliases.canonicalName(of: own) == wanted ? nil : .otherEnvironment(own)
    }
}

/// At Azure AD B2C the account must have come by the policy asked for: each has accounts of its own.
private struct UserFlowPolicy: FeasibilityPolicy {
    let request: TokenRequest

    func rejection(of candidate: Candidate) -> Verdict.Rejection? {
        let id = candidate.account.id
        return request.excludes(id)
            ? .otherEnvironment([id.environment, id.policy].compactMap { $0 }.joined(separator: "/")) : nil
    }
}

/// The tokens of the account must go where this one is to go.
private struct DestinationPolicy: FeasibilityPolicy {
    let rule: DestinationRule

    func rejection(of candidate: Candidate) -> Verdict.Rejection? {
        rule.allows(candidate.account.id, in: candidate.group, apiHosts: candidate.apiHosts)
            ? nil : .hostNotAllowed(rule.host)
    }
}

/// Of an account that nothing renews, a token must be for what the address means.
private struct ResourcePolicy: FeasibilityPolicy {
    let request: TokenRequest

    func rejection(of candidate: Candidate) -> Verdict.Rejection? {
        guard candidate.state == .tokensOnly,
            let resource = request.resource(at: candidate.account.id.environment),
            !candidate.tokenScopes.contains(where: resource.isMeant)
        else { return nil }
        return .scopesNotGranted(resource.defaultScope)
    }
}

/// The account must have a profile in the tenant asked for, or a token for it; or, where none has, or it is bound, be one that
/// can visit a tenant where it has never been.
private struct TenantPolicy: FeasibilityPolicy {
    let realm: String
    let mayVisit: Bool
    let bound: Set<AccountID>

    func rejection(of candidate: Candidate) -> Verdict.Rejection? {
        if candidate.isKnown(in: realm) { return nil }
        let isMeant = mayVisit || bound.contains(candidate.account.id)
        return isMeant && candidate.canVisitTenants ? nil : .notInTenant(realm)
    }
}

extension Candidate {
    /// Whether it is at home in a tenant, has a profile in it, or a token for it.
    package func isKnown(in realm: String) -> Bool {
        let wanted = Identifier.folded(realm)
        return account.homeRealm.map(Identifier.folded) == wanted
            || account.tenantProfiles.contains { Identifier.folded($0.realm) == wanted }
            || realms.contains { Identifier.folded($0) == wanted }
    }

    /// Whether its refresh token may be redeemed in a tenant where it has never been: Microsoft's are bound to user and client,
    /// not to a tenant.
    fileprivate var canVisitTenants: Bool {
        switch state {
        case .signedIn, .needsSignIn, .signedOut: EnvironmentAliases.isMicrosoft(account.id.environment)
        case .tokensOnly, .noCredentials: false
        }
    }
}

/// The client asked for must hold a credential of the account, or, where it holds none of any, may be of a family that does.
private struct ClientPolicy: FeasibilityPolicy {
    let clientID: String
    let mayJoin: Bool

    func rejection(of candidate: Candidate) -> Verdict.Rejection? {
        candidate.clientIDs.contains(clientID) || mayJoin && candidate.hasFamilyGrant ? nil : .unknownToClient(clientID)
    }
}

/// The scopes must be obtainable: granted already, or not ruled out by what the sign-in was for.
struct ScopePolicy: FeasibilityPolicy {
    let scopes: ScopeSet

    func rejection(of candidate: Candidate) -> Verdict.Rejection? {
        guard !isGranted(to: candidate) else { return nil }
        switch (candidate.state, candidate.formerReach) {
        case (.tokensOnly, _), (.noCredentials, _), (.signedOut, .tokens): return .scopesNotGranted(scopes)
        case (.signedOut, .any): return nil
        case (.signedIn, _), (.needsSignIn, _), (.signedOut, .named):
            // A refresh cannot widen a grant (RFC 6749, section 6). Microsoft's grants are for any resource,
            // and nothing is known of a grant that names no scope.
            guard !candidate.account.isOfMicrosoft, !candidate.grantScopes.isEmpty,
                !scopes.isSubset(of: candidate.grantScopes)
            else { return nil }
            return .scopesNotGranted(scopes)
        }
    }

    /// Whether the account has a token with the scopes, or a grant that names them.
    func isGranted(to candidate: Candidate) -> Bool {
        candidate.tokenScopes.contains { scopes.isSubset(of: $0) } || scopes.isSubset(of: candidate.grantScopes)
    }
}
