internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobRecords
internal import KeyfobVault

// Clients that Keyfob registers by itself (RFC 7591). Such a client is for the server at which it was registered, and for no other that
// comes in that one's place; what a person has registered is never replaced.

extension Keyring.Providers {
    /// Adds the provider of a resource, with a client: the one named, the one that is registered at the same server for another
    /// resource, or a new one.
    ///
    /// A server that registers none is added without.
    ///
    /// - Throws: `alreadyExists` where accounts of the resource signed in at a server that is gone: their refresh tokens would go
    ///   to this one; `throttled`, `providerFailed`, and what adding a provider and a client can throw.
    public func add(
        _ resource: ProtectedResource, client: String? = nil, in groups: [AccessGroup]? = nil, network: Network
    ) async throws(KeyringError) -> IdentityProvider {
        try await StoreCall.run { () async throws(KeyringError) in
            try requireNoOrphans(of: resource)
            var description = resource.description
            description.name = try freeName(description.name, in: groups)
            guard client == nil else { return try add(description, replacing: false, groups) }
            let group = try keyring.groups.forNewItems(groups)
            let known = try keyring.clients.list(in: [group]).first {
                $0.client.registeredAt == resource.issuer && $0.client.authentication == .none
            }
            if let known {
                let provider = try add(description, replacing: false, groups)
                try keyring.clients.add(known.client, at: provider.name, in: groups)
                return provider
            }
            guard !resource.isServer || resource.metadata.endpoints[.registration] != nil else {
                return try add(description, replacing: false, groups)
            }
            let answer = try await register(description, resource.metadata, network)
            let provider = try add(description, replacing: false, groups)
            try keep(answer, of: description, at: provider.name, groups)
            return provider
        }
    }

    /// Makes sure that an added provider has a client that its server knows: servers forget those that registered themselves.
    ///
    /// Where there is none, and the server registers none, nothing is done.
    ///
    /// - Returns: Whether a client was registered.
    public func renewClient(
        of provider: IdentityProvider, in groups: [AccessGroup]? = nil, network: Network
    ) async throws(KeyringError) -> Bool {
        guard provider.origin != .builtIn, let issuer = provider.issuer else { return false }
        return try await StoreCall.run { () async throws(KeyringError) in
            let group = try keyring.groups.forNewItems(groups)
            let description = provider.description
            let network = try network.serving(description)
            let known = try keyring.clients.list(of: provider.name, in: [group])
            let client = known.first { $0.isDefault }?.client
            guard client?.registeredAt == issuer || known.isEmpty else { return false }
            let metadata: ProviderMetadata
            do throws(KeyringError) {
                metadata = try await self.metadata(of: description, in: group, network: network)
            } catch  where client == nil && provider.resource == nil {
                // The sign-in says what is wrong.
                return false
            }
            if let client {
                guard try await isForgotten(client, description, metadata, group, network) else { return false }
            }
            guard metadata.endpoints[.registration] != nil || provider.resource != nil && known.isEmpty else {
                return false
            }
            let answer = try await register(description, metadata, network)
            if let client { try keyring.clients.remove(client.id, at: provider.name, in: [group]) }
            try keep(answer, of: description, at: provider.name, [group])
            return true
        }
    }

    /// Whether a server says that it does not know a client.
    private func isForgotten(
        _ client: ClientRegistration, _ provider: ProviderDescription, _ metadata: ProviderMetadata,
        _ group: AccessGroup, _ network: Network
    ) async throws(KeyringError) -> Bool {
        guard let endpoint = metadata.endpoints[.token], let redirect = client.redirectURIs.first else { return false }
        let known = try keyring.clients.oauthClient(
            id: client.id, environment: provider.environment, in: [group]
        ).adapted(to: metadata, signer: network.assertions(clock))
        var exchange = ClientExchange(known, metadata, network, clock)
        switch await exchange.send({ RegistrationMessage.probe($0, redirectURI: redirect, at: endpoint) }) {
        case .answered(let response):
            guard case .clientRefused(let refusal)? = ProviderFailure.classify(response, now: clock.now) else {
                return false
            }
            return refusal.error == "invalid_client" || response.status == 401
        // The sign-in says what is wrong.
        case .failed: return false
        }
    }

    /// Registers Keyfob, for a port of this machine: some servers know an address only with the port that it was registered with.
    private func register(
        _ provider: ProviderDescription, _ metadata: ProviderMetadata, _ network: Network
    ) async throws(KeyringError) -> RegistrationAnswer {
        let endpoint: EndpointURL
        do {
            endpoint = try metadata.require(.registration)
        } catch {
            throw KeyringError(.providerFailed, "\(provider.title): \(error)", advice: .nameClient)
        }
        guard let issuer = provider.issuer.flatMap({ try? EndpointURL($0) }), endpoint.mayBeNamed(at: issuer) else {
            throw KeyringError(
                .providerFailed,
                "\(provider.title) registers clients at an address that is not for it to name", advice: .nameClient)
        }
        let redirectURIs = Self.freshRedirects()
        let authentication = metadata.registeredMethod
        // A key is made where the server takes nothing less.
        let key = authentication == .signed ? network.signer.makeKey() : nil
        guard key != nil || authentication != .signed else {
            throw KeyringError(
                .unavailable, "no key can be made: OpenSSL 3 (libcrypto) is not installed", advice: .installLibcrypto)
        }
        // What may be asked for later has to be named now. Some servers register nobody for a scope that they do not name; of a
        // resource's scopes its server may know nothing.
        let own = provider.resource == nil && metadata.scopes?.isEmpty == false ? [] : provider.defaultScopes.scopes
        let all = ScopeSet(own + (metadata.scopes ?? []))
        let scopes = all.scopes.count > ResourceMetadata.scopeLimit ? provider.defaultScopes : all
        let message = RegistrationMessage.request(
            name: "Keyfob", redirectURIs: redirectURIs, scopes: ScopeSet(scopes.scopes.filter(ProviderRules.isScope)),
            authentication, key: key, at: endpoint)
        switch await network.send(message, 20) {
        case .answered(let response):
            guard response.status == 201 || response.status == 200 else {
                let failure = ProviderFailure.classify(response, now: clock.now) ?? .unexpectedStatus(response.status)
                if case .requestRefused = failure {
                    throw KeyringError(
                        .providerFailed, "\(provider.title) registers no client: \(failure)", advice: .nameClient)
                }
                throw KeyringError(failure, of: provider)
            }
            do throws(ProtocolViolation) {
                return try RegistrationAnswer(
                    reading: response.takeBody(), redirectURIs: redirectURIs, key: key)
            } catch {
                throw KeyringError(.providerFailed, "\(provider.title) registers no client: \(error)")
            }
        case .failed(let failure): throw KeyringError(failure, of: provider)
        }
    }

    private func keep(
        _ answer: consuming RegistrationAnswer, of provider: ProviderDescription, at name: String,
        _ groups: [AccessGroup]?
    ) throws(KeyringError) {
        var client = ClientRegistration(id: answer.id, redirectURIs: answer.redirectURIs)
        client.authentication = ClientRegistration.Authentication(answer.authentication)
        client.keyID = answer.keyID
        client.registeredAt = provider.issuer
        try keyring.clients.add(
            client, secret: answer.takeSecret(), at: name, isDefault: true, replacing: true, in: groups)
    }

    /// Three, so that another program on one of the ports keeps nobody from signing in; none is one that programs get by chance.
    private static func freshRedirects() -> [String] {
        var random: [UInt8] = SecretBytes.random(count: 6).withBytes { [UInt8]($0) }
        var ports: [Int] = []
        while random.count > 1 {
            let number = Int(random.removeLast()) << 8 | Int(random.removeLast())
            ports.append(20_000 + (number % 4_000) + ports.count * 4_000)
        }
        return ports.map { "http://127.0.0.1:\($0)/callback" }
    }

    private func freeName(_ name: String, in groups: [AccessGroup]?) throws(KeyringError) -> String {
        let taken = try list(in: groups).map(\.name)
        let others = (2...9).map { "\(name.prefix(ProviderRules.nameLimit - 2))-\($0)" }
        return ([name] + others).first { !taken.contains($0) } ?? name
    }

    private func requireNoOrphans(of resource: ProtectedResource) throws(KeyringError) {
        let environment = resource.description.environment
        let hasOrphans = try withState { state in
            try state.groups(nil).contains { group in
                try database.credentials(.refreshToken, in: group.keys).items.contains {
                    EnvironmentAliases.areSame($0.value.account.environment, environment)
                }
            }
        }
        guard !hasOrphans else {
            throw KeyringError(
                .alreadyExists,
                "accounts of \(resource.description.title) are signed in at a server that is not known any more, and "
                    + "\(resource.issuer) would get their refresh tokens",
                advice: .leaveProvider(nil))
        }
    }
}
