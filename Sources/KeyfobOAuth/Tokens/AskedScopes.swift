package import KeyfobModel

/// How scopes are written for a provider.
package struct AskedScopes: Sendable {
    /// The scopes that are sent.
    package let scopes: ScopeSet
    /// The fields that say the rest.
    package let fields: TokenRequests.Extra

    /// AD FS knows no `<resource>/.default`, and takes the resource by its name.
    package init(_ scopes: ScopeSet, at provider: ProviderDescription) {
        guard provider.quirks.contains(.adfs), let resource = scopes.scopes.first(where: Self.isResource) else {
            self.scopes = scopes
            fields = []
            return
        }
        self.scopes = ScopeSet(scopes.scopes.filter { !Self.isResource($0) })
        fields = [("resource", String(resource.dropLast("/.default".count)))]
    }

    fileprivate static func isResource(_ scope: String) -> Bool { Identifier.folded(scope).hasSuffix("/.default") }
}

extension ProviderDescription {
    /// The scopes that an answer means: AD FS names no resource in it, and `openid` in all of them, by which tokens for two
    /// resources would be taken for one.
    package func granted(_ answered: ScopeSet?, of asked: ScopeSet) -> ScopeSet? {
        let resources = asked.scopes.filter(AskedScopes.isResource)
        guard quirks.contains(.adfs), let answered, !resources.isEmpty else { return answered }
        return ScopeSet(answered.ofResources.scopes + resources)
    }

    /// The scopes with which there is an access token: Azure AD B2C gives none for those of a sign-in alone, but has the
    /// client's own id for one.
    package func withAccessToken(_ scopes: ScopeSet, clientID: String) -> ScopeSet {
        guard quirks.contains(.b2c), scopes.ofResources.isEmpty else { return scopes }
        return ScopeSet(scopes.scopes + [clientID])
    }

    /// The scopes that go with every request here, so that there are an ID token and a refresh token.
    package var signInScopes: [String] {
        quirks.contains(.adfs) ? ["openid"] : ["openid", "profile", "offline_access"]
    }
}
