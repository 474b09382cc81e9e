package import KeyfobModel
package import KeyfobSelection

/// The tenant whose tokens answer a request.
///
/// It is a part of the request: what is stored, or fresh, never decides it. It is the one that the request names; else that of the binding by which the account was chosen; else the account's home.
package enum RequestTenant: Hashable, Sendable {
    /// The one that the request or the binding names.
    case named(String)
    /// The account's home, or the only one that is known of it.
    case home(String)
    /// None: the provider has none, or none is known of the account.
    case none
    /// One of several, of which none is known to be the home: somebody has to say which.
    case several([String])

    /// The tenant of `request` for `account`, which was chosen for this reason.
    package init(of request: TokenRequest, for account: Account, by reason: Verdict.Reason) {
        if let realm = request.realm ?? reason.tenant {
            self = .named(realm)
            return
        }
        // Elsewhere a dot in an id says nothing of a tenant.
        if EnvironmentAliases.isMicrosoft(account.id.environment), let home = account.homeRealm {
            self = .home(home)
            return
        }
        var realms: [String] = []
        for profile in account.tenantProfiles where !profile.realm.isEmpty {
            let folded = Identifier.folded(profile.realm)
            if !realms.contains(where: { Identifier.folded($0) == folded }) { realms.append(profile.realm) }
        }
        self = realms.count > 1 ? .several(realms) : realms.first.map { .home($0) } ?? .none
    }

    /// Its name; nil where there is none.
    package var name: String? {
        switch self {
        case .named(let realm), .home(let realm): realm
        case .none, .several: nil
        }
    }

    /// Whether a token of this tenant answers the request.
    ///
    /// One that was stored without a tenant counts as one of the home.
    package func admits(_ realm: String) -> Bool {
        switch self {
        case .named(let wanted): Identifier.folded(realm) == Identifier.folded(wanted)
        case .home(let wanted): realm.isEmpty || Identifier.folded(realm) == Identifier.folded(wanted)
        case .none: true
        case .several: false
        }
    }
}

extension Verdict.Reason {
    /// The tenant that the binding names by which the account was chosen.
    package var tenant: String? {
        binding?.tenant
    }
}
