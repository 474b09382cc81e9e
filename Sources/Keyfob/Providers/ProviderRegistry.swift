internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobOAuth

/// The providers that there are: those built in, and those added.
struct ProviderRegistry {
    /// All of them: in the order of the built-in ones, then the others by name.
    let providers: [IdentityProvider]

    /// Those built in.
    static var builtIn: [IdentityProvider] { BuiltInProviders.all.map { IdentityProvider($0, .builtIn) } }

    /// Of added ones with the same name the first counts.
    init(added: [IdentityProvider] = []) {
        var own: [String: IdentityProvider] = [:]
        for provider in added where own[provider.name] == nil { own[provider.name] = provider }
        providers = Self.builtIn + own.values.sorted { $0.name < $1.name }
    }

    /// The provider that a person means: by name, by issuer, by the address of a tenant, or by host.
    func provider(named text: String) -> IdentityProvider? {
        let folded = Identifier.folded(text)
        if let provider = providers.first(where: { $0.name == folded }) { return provider }
        guard folded.hasPrefix("https://") || folded.hasPrefix("http://") else {
            return provider(environment: text, tenant: nil)
        }
        return provider(address: text)
    }

    /// The provider that serves the accounts of an environment; for a tenant, where it has tenants, and for a policy, where
    /// it has policies.
    ///
    /// Nil where there is none, or the text is no tenant's id.
    func provider(environment: String, tenant: String?, policy: String? = nil) -> IdentityProvider? {
        let serving = providers.filter { $0.serves(environment) }
        guard let first = serving.first else { return nil }
        if let policy, let own = first.with(policy: policy) { return own }
        guard let tenant, !tenant.isEmpty, first.description.quirks.contains(.tenantIssuer) else { return first }
        let word = Identifier.folded(tenant)
        return serving.first { $0.tenant == word } ?? first.with(tenant: tenant)
    }

    /// The provider for an authority; nil where none serves its host, or is of its kind.
    func provider(of authority: Authority) -> IdentityProvider? {
        switch authority.kind {
        case .entra: provider(environment: authority.host, tenant: authority.tenant)
        case .b2c, .adfs, .ciam: providers.first { $0.serves(authority.host) }?.with(authority)
        case .other: nil
        }
    }

    private func provider(address text: String) -> IdentityProvider? {
        guard let url = try? EndpointURL(text), url.query == nil else { return nil }
        let wanted = Self.withoutSlash(text)
        let issuers = providers.filter { $0.resource == nil }
        if let provider = issuers.first(where: { $0.issuer.map(Self.withoutSlash) == wanted }) { return provider }
        if let provider = provider(ofResource: text) { return provider }
        let environment = url.environment
        guard !url.path.allSatisfy({ $0 == "/" }) else { return provider(environment: environment, tenant: nil) }
        guard let authority = try? Authority(text) else { return nil }
        return provider(of: authority)
    }

    /// The provider of the resource that an address is of: the narrowest.
    private func provider(ofResource address: String) -> IdentityProvider? {
        guard let url = try? ResourceURL(parsing: address) else { return nil }
        let all = providers.compactMap { provider in
            ResourceURL(environment: provider.environment).map { (provider: provider, resource: $0) }
        }
        return all.filter { url.isWithin($0.resource) }.max { $0.resource.path.count < $1.resource.path.count }?
            .provider
    }

    private static func withoutSlash(_ text: String) -> String {
        text.hasSuffix("/") ? String(text.dropLast()) : text
    }
}
