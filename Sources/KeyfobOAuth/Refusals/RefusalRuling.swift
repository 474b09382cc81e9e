package import KeyfobModel

/// How far a refusal reaches, and what helps.
package struct RefusalRuling: Hashable, Sendable {
    /// How far it reaches.
    package var reach: RefusalReach
    /// What a person can do; nil where nothing is known to help.
    package var remedy: RefusalRemedy?
    /// Whether a ruling about a tenant is about the client there, and not about the person.
    package var isOfClient = false
    /// Whether nobody knows what it means: the home tenant's last good request shows whether the grant lasts.
    package var needsProbe = false

    /// A ruling.
    package init(
        _ reach: RefusalReach, _ remedy: RefusalRemedy?, isOfClient: Bool = false, needsProbe: Bool = false
    ) {
        self.reach = reach
        self.remedy = remedy
        self.isOfClient = isOfClient
        self.needsProbe = needsProbe
    }

    /// The end of the grant.
    package static let grantEnds = RefusalRuling(.grant, .signIn)
}

/// A refusal with how far it reaches.
package struct JudgedRefusal: Hashable, Sendable {
    /// What the provider said.
    package let failure: ProviderFailure
    /// How far that reaches.
    package let ruling: RefusalRuling

    /// A refusal.
    package init(_ failure: ProviderFailure, _ ruling: RefusalRuling) {
        self.failure = failure
        self.ruling = ruling
    }
}

/// What was asked where a refusal came, as far as its meaning depends on that.
package struct RefusalCircumstances: Hashable, Sendable {
    /// Whose numbers mean what.
    package enum Provider: Hashable, Sendable {
        /// Microsoft Entra: its error codes are known.
        case entra
        /// Any other.
        case other
    }

    /// Who refused.
    package var provider: Provider
    /// Whether the tenant is the account's home; true where the provider has no tenants.
    package var isHome: Bool
    /// Whether the grant has served this request: at Entra, whether it is the home tenant's last good one.
    package var wasServed: Bool
    /// Whose refresh token was used.
    package var source: TokenIdentity.Source

    /// Circumstances.
    package init(
        _ provider: Provider, isHome: Bool = true, wasServed: Bool, source: TokenIdentity.Source = .own
    ) {
        self.provider = provider
        self.isHome = isHome
        self.wasServed = wasServed
        self.source = source
    }
}

extension ProviderDescription {
    /// Whose error codes the provider's are.
    package var refusalKind: RefusalCircumstances.Provider {
        quirks.contains(.tenantIssuer) || quirks.contains(.ciam) ? .entra : .other
    }
}
