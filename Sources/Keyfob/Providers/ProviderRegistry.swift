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

    /// The provider that serves the accounts of an environment; for a tenant, where it has tenants.
    ///
    /// Nil where there is none, or the text is no tenant's id.
    func provider(environment: String, tenant: String?) -> IdentityProvider? {
        let serving = providers.filter { $0.serves(environment) }
        guard let first = serving.first else { return nil }
        guard let tenant, !tenant.isEmpty, first.description.quirks.contains(.tenantIssuer) else { return first }
        let word = Identifier.folded(tenant)
        return serving.first { $0.tenant == word } ?? first.with(tenant: tenant)
    }

    private func provider(address text: String) -> IdentityProvider? {
        guard let url = try? EndpointURL(text), url.query == nil else { return nil }
        let wanted = Self.withoutSlash(text)
        if let provider = providers.first(where: { $0.issuer.map(Self.withoutSlash) == wanted }) { return provider }
        let environment = ProviderRules.environment(of: url)
        let path = url.path.split(separator: "/").map(String.init)
        guard let first = path.first else { return provider(environment: environment, tenant: nil) }
        // The address of a tenant, with or without the version that the issuer names.
        guard url.text.hasPrefix("https://"), path.count == 1 || path.count == 2 && path[1] == "v2.0",
            let found = provider(environment: environment, tenant: first), found.tenant != nil
        else { return nil }
        return found
    }

    private static func withoutSlash(_ text: String) -> String {
        text.hasSuffix("/") ? String(text.dropLast()) : text
    }
}
