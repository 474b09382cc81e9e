internal import KeyfobOAuth

// Which provider and client a token is asked from.

extension Keyring {
    /// The provider that serves the account of a request, in its tenant.
    ///
    /// - Throws: `noSuchProvider`.
    func provider(for plan: SilentCase) throws(KeyringError) -> ProviderDescription {
        let environment = plan.situation.environment
        let tenant = plan.realm.isEmpty ? nil : plan.realm
        if let found = try description(forEnvironment: environment, tenant: tenant) { return found }
        throw KeyringError(
            .noSuchProvider, "no provider is known for \(plan.account.name): nothing describes \(environment)",
            hint: "add it with 'keyfob provider add --issuer'")
    }

    /// The client whose refresh token is redeemed.
    func client(for plan: SilentCase, _ provider: ProviderDescription) throws(KeyringError) -> OAuthClient {
        try oauthClient(id: plan.clientID, environment: provider.environment)
    }

    /// What is known of the client with this id, or of the default one.
    ///
    /// - Throws: `noSuchClient` where none is named and none is the default.
    func registeredClient(
        _ id: String?, of provider: IdentityProvider, in groups: [AccessGroup]?
    ) throws(KeyringError) -> ClientRegistration {
        let id = try oauthClient(id: id, environment: provider.environment, in: groups).id
        let known = try clients(of: provider.environment, in: groups)
        return known.first { $0.client.id == id }?.client ?? ClientRegistration(id: id)
    }

    /// The client of a sign-in, with its secret.
    func oauthClient(_ context: SignInContext) throws(KeyringError) -> OAuthClient {
        try oauthClient(id: context.clientID, environment: context.provider.environment)
    }
}
