package import KeyfobModel

/// What is stored when a token is asked for, without any secret.
package struct SilentSituation: Hashable, Sendable {
    /// A refresh token, and the grant it stands for.
    package struct RefreshToken: Hashable, Sendable {
        /// The state of its grant.
        package var state: Grant.State
        /// Its version.
        package var version: GrantVersion
        /// The host of the provider that issued it.
        package var environment: String
        /// The family whose clients may redeem it.
        package var familyID: String?
        /// Whether the token itself is there; a grant can outlive it.
        package var hasSecret: Bool

        /// A refresh token.
        package init(
            state: Grant.State = .active, version: GrantVersion, environment: String, familyID: String? = nil,
            hasSecret: Bool = true
        ) {
            self.state = state
            self.version = version
            self.environment = environment
            self.familyID = familyID
            self.hasSecret = hasSecret
        }
    }

    /// Whether the account is known at all.
    package var hasAccount = true
    /// The access token for the request.
    package var accessToken: AccessTokenState
    /// The client's own refresh token.
    package var own: RefreshToken?
    /// A family's refresh token of another client of the same account; nil where its secret is the own one's.
    package var family: RefreshToken?
    /// What is known of the client's family.
    package var membership: AppMetadata.Family
    /// The host of the provider that would be asked.
    package var environment: String

    /// A situation.
    package init(
        accessToken: AccessTokenState, own: RefreshToken?, family: RefreshToken? = nil,
        membership: AppMetadata.Family = .unknown, environment: String
    ) {
        self.accessToken = accessToken
        self.own = own
        self.family = family
        self.membership = membership
        self.environment = environment
    }

    /// The refresh tokens that may be tried, in order: the own one, then the family's.
    ///
    /// A token is never shown to another cloud than the one that issued it.
    var candidates: [TokenIdentity] {
        var candidates: [TokenIdentity] = []
        if let own, isUsable(own) { candidates.append(TokenIdentity(source: .own, version: own.version)) }
        guard let family, isUsable(family), let id = family.familyID else { return candidates }
        let mayTry =
            switch membership {
            case .unknown: true
            case .none: false
            case .member(let mine): mine == id
            }
        if mayTry { candidates.append(TokenIdentity(source: .family, version: family.version)) }
        return candidates
    }

    private func isUsable(_ token: RefreshToken) -> Bool {
        token.state == .active && token.hasSecret && EnvironmentAliases.areSame(token.environment, environment)
    }
}
