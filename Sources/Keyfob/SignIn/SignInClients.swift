internal import KeyfobOAuth

// Which provider and client a token is asked from: built-in ones, and those of the account's own group. Whoever holds the
// key of another group could say otherwise that the tokens of this one are sent to them.

extension Keyring.SignIns {
    /// The provider that a person signs in to, kept in the group where the tokens will be.
    ///
    /// - Throws: `noSuchProvider`.
    func provider(for request: SignInRequest, in group: AccessGroup) throws(KeyringError) -> IdentityProvider {
        do {
            return try keyring.providers.named(request.provider, in: [group])
        } catch  where error.code == .noSuchProvider {
            guard let other = try? keyring.providers.named(request.provider, in: nil),
                case .added(let place) = other.origin
            else { throw error }
            throw KeyringError(
                .noSuchProvider, "provider '\(other.name)' is kept in group '\(place)', and counts there alone",
                advice: .useGroupOfProvider(place, otherwise: group))
        }
    }

    /// What is known of the client with this id, or of the default one.
    ///
    /// - Throws: `noSuchClient` where none is named and none is the default.
    func registeredClient(
        _ id: String?, of provider: IdentityProvider, in group: AccessGroup
    ) throws(KeyringError) -> ClientRegistration {
        let id = try keyring.clients.oauthClient(id: id, environment: provider.environment, in: [group]).id
        let known = try keyring.clients.list(of: provider.environment, in: [group])
        return known.first { $0.client.id == id }?.client ?? ClientRegistration(id: id)
    }

    /// A key for the tokens of a sign-in.
    ///
    /// - Throws: `unavailable` where this machine makes no proofs, `providerFailed` where the provider takes others alone.
    func newKey(_ context: SignInContext, _ network: Network) throws(KeyringError) -> ProofKey {
        guard context.metadata.takesProofs else {
            throw KeyringError(.providerFailed, "\(context.provider.title) takes no proofs of keys by ES256")
        }
        guard let key = network.signer.makeKey() else {
            throw KeyringError(
                .unavailable, "no key can be made: OpenSSL 3 (libcrypto) is not installed",
                advice: .installLibcrypto)
        }
        return key
    }

    /// The requests for the tokens of a sign-in, with proofs of its key where it has one.
    func exchange(_ context: SignInContext, _ network: Network) throws(KeyringError) -> ClientExchange {
        ClientExchange(
            try oauthClient(context, network), context.metadata, network, clock, key: context.key,
            mayMakeKey: true)
    }

    /// Remembers how the provider took the client, where that was not how it was tried first.
    func keepMethod(of exchange: borrowing ClientExchange, _ context: SignInContext) {
        guard exchange.hasLearned else { return }
        keyring.clients.keepMethod(of: exchange.client, at: context.provider.environment, in: context.group)
    }

    /// The client of a sign-in, with its secret.
    func oauthClient(_ context: SignInContext, _ network: Network) throws(KeyringError) -> OAuthClient {
        try keyring.clients.oauthClient(
            id: context.clientID, environment: context.provider.environment, in: [context.group]
        ).adapted(to: context.metadata, signer: network.assertions(clock))
    }
}
