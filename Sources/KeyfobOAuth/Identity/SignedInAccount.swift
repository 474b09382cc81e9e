package import KeyfobModel

/// Who signed in, as an answer tells it.
package struct SignedInAccount: Hashable, Sendable {
    /// Who.
    package let id: AccountID
    /// As the tenant that issued the token sees it.
    package let profile: TenantProfile
    /// The names that the provider vouches for: a user name, and a mail address that it calls verified.
    ///
    /// What it repeats of a person's own words is none.
    package let provedNames: [String]
    /// The user name among them.
    package let provedUsername: String?
    /// Whether the provider says whose the account is.
    package let isProved: Bool

    /// An account of which the provider says nothing: people call it so.
    package init(namedByPeople id: AccountID) {
        self.id = id
        (provedNames, provedUsername, isProved) = ([], nil, false)
        profile = TenantProfile(
            realm: "", localAccountID: id.homeAccountID, environment: id.environment, username: id.homeAccountID)
    }

    /// The account of an ID token; nil where an identifier is unusable.
    ///
    /// The home account id is that of `client_info`; without it, object id and tenant at Microsoft (at Azure AD B2C with the
    /// policy between them), and the subject elsewhere.
    ///
    /// - Parameter quirks: Those of the provider.
    package init?(
        _ claims: IDToken.Claims, clientInfo: ClientInfo?, environment: String,
        quirks: Set<ProviderDescription.Quirk> = []
    ) {
        let (isB2C, isADFS) = (quirks.contains(.b2c), quirks.contains(.adfs))
        let isMicrosoft = EnvironmentAliases.isMicrosoft(environment) || isB2C || quirks.contains(.ciam)
        let tenant = isB2C ? claims.tenantID ?? Self.tenant(of: claims.issuer) : isADFS ? "adfs" : claims.tenantID
        let home: String
        if isMicrosoft, let clientInfo {
            home = clientInfo.homeAccountID
        } else if isB2C {
            guard let policy = claims.policy, let tenant else { return nil }
            home = "\(claims.objectID ?? claims.subject)-\(Identifier.folded(policy)).\(tenant)"
        } else if isMicrosoft, let object = claims.objectID, let tenant = claims.tenantID {
            home = object + "." + tenant
        } else {
            home = claims.subject
        }
        guard let id = AccountID(homeAccountID: home, environment: environment) else { return nil }
        func acceptable(_ text: String?) -> String? { text.flatMap { Identifier.isAcceptable($0) ? $0 : nil } }
        self.id = id
        self.isProved = true
        self.provedUsername = acceptable(claims.preferredUsername) ?? acceptable(claims.upn)
        self.provedNames = [
            claims.preferredUsername, claims.upn, claims.isEmailVerified ? claims.email : nil,
        ].compactMap(acceptable)
        self.profile = TenantProfile(
            realm: acceptable(tenant) ?? "", localAccountID: acceptable(claims.objectID) ?? claims.subject,
            environment: environment,
            username: acceptable(claims.preferredUsername) ?? acceptable(claims.upn) ?? acceptable(claims.email) ?? "",
            displayName: acceptable(claims.name), authorityType: isMicrosoft ? "MSSTS" : isADFS ? "ADFS" : nil)
    }

    /// The tenant's id in an issuer's path.
    private static func tenant(of issuer: String) -> String? {
        issuer.split(separator: "/").first { Authority.isGUID($0) }.map(String.init)
    }

    /// Whether the provider vouches for a name.
    package func proves(_ name: String) -> Bool {
        let folded = Identifier.foldedName(name)
        return provedNames.contains { Identifier.foldedName($0) == folded }
    }

    /// The ids of accounts that claim one of the proved names, each once; its own is none of them.
    package var claimedIDs: [AccountID] {
        var found: [AccountID] = []
        for name in provedNames {
            if let claimed = AccountID(homeAccountID: name, environment: id.environment), claimed != id,
                !found.contains(claimed)
            {
                found.append(claimed)
            }
        }
        return found
    }

    /// How this account compares with the one that was asked for.
    package func compared(with asked: Account) -> AccountMatch {
        if id == asked.id { return .same }
        let sameName = asked.tenantProfiles.contains { other in
            !other.realm.isEmpty && Identifier.folded(other.realm) == Identifier.folded(profile.realm)
                && !other.username.isEmpty && proves(other.username)
        }
        return sameName && EnvironmentAliases.areSame(id.environment, asked.id.environment) ? .renumbered : .other
    }
}

/// Whether the account that came back is the one asked for.
package enum AccountMatch: String, Hashable, Sendable {
    /// It is.
    case same
    /// Another id with the same tenant and user name: an account that was made anew. Only a sign-in that the
    /// person watches may take it.
    case renumbered
    /// Somebody else: nothing is stored under the account that was asked for.
    case other
}
