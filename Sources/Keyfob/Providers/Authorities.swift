internal import KeyfobOAuth

extension NewProvider {
    /// A provider for an authority of Azure AD B2C, AD FS or Microsoft Entra External ID; its name is its host unless given.
    public init(authority: Authority, name: String? = nil, title: String? = nil, scopes: ScopeSet = []) {
        self.init(issuer: authority.address, name: name, title: title, scopes: scopes)
        self.authority = authority
    }

    /// Puts what holds for the authority's kind in the place of what holds for any OpenID provider.
    func describe(_ authority: Authority, _ description: inout ProviderDescription) throws(KeyringError) {
        guard var own = ProviderDescription(authority, name: description.name, title: description.title) else {
            throw KeyringError(
                .usage,
                authority.kind == .entra
                    ? "\(authority.host) is one of Microsoft's clouds, which need not be added"
                    : "the authority is of no kind that is known; other providers are added by their issuer",
                advice: .listProviders)
        }
        own.environment = description.environment
        if !scopes.isEmpty { own.defaultScopes = scopes }
        description = own
    }
}

extension Keyring.Providers {
    /// The provider that an authority names; it is added where none serves the authority's host yet.
    ///
    /// - Returns: The provider, and whether it was added.
    /// - Throws: `noSuchProvider` for a cloud that is not built in, `alreadyExists` where a provider of another kind serves
    ///   the host, or one of another group; as ``add(_:replacing:in:)``.
    public func matching(
        _ authority: Authority, in groups: [AccessGroup]? = nil
    ) throws(KeyringError) -> (provider: IdentityProvider, isNew: Bool) {
        let found = try withState { state in
            let group = try state.groupForNewItems(groups)
            return try registry(&state, [group]).provider(of: authority)
        }
        if let found { return (found, false) }
        guard authority.kind != .entra else { throw KeyringError.noSuchProvider(authority.host) }
        return (try add(NewProvider(authority: authority), in: groups), true)
    }
}
