internal import KeyfobModel

/// A rule that an account must pass to be considered at all.
protocol FeasibilityPolicy: Sendable {
    /// Why the account will not do; nil when this rule has nothing against it.
    func rejection(of candidate: Candidate, for request: TokenRequest) -> Verdict.Rejection?
}

/// The provider must be the one asked for, or an alias of it.
struct EnvironmentPolicy: FeasibilityPolicy {
    func rejection(of candidate: Candidate, for request: TokenRequest) -> Verdict.Rejection? {
        guard let environment = request.environment else { return nil }
        let own = candidate.account.id.environment
        return EnvironmentAliases.areSame(environment, own) ? nil : .otherEnvironment(own)
    }
}

/// The account must have a profile in the tenant asked for, or a token for it.
struct TenantPolicy: FeasibilityPolicy {
    func rejection(of candidate: Candidate, for request: TokenRequest) -> Verdict.Rejection? {
        guard let realm = request.realm else { return nil }
        let wanted = Identifier.folded(realm)
        let account = candidate.account
        let realms = account.tenantProfiles.map(\.realm) + [account.homeRealm].compactMap(\.self) + candidate.realms
        return realms.contains { Identifier.folded($0) == wanted } ? nil : .notInTenant(realm)
    }
}

/// The client asked for must hold a credential of the account.
struct ClientPolicy: FeasibilityPolicy {
    func rejection(of candidate: Candidate, for request: TokenRequest) -> Verdict.Rejection? {
        guard let client = request.clientID else { return nil }
        return candidate.clientIDs.contains(client) ? nil : .unknownToClient(client)
    }
}

/// The person must not have signed out.
struct SignInPolicy: FeasibilityPolicy {
    func rejection(of candidate: Candidate, for request: TokenRequest) -> Verdict.Rejection? {
        candidate.state == .signedOut ? .signedOut : nil
    }
}
