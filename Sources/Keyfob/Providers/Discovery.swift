internal import KeyfobOAuth
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobVault

extension Keyring.Providers {
    /// For how long a provider's discovery document is believed, in seconds.
    static let discoveryLifetime: Int64 = 86_400

    /// What is known of a provider: what is configured, in front of its discovery document.
    ///
    /// The document is read at most once a day and kept in `group`: a refresh needs no second request.
    ///
    /// - Throws: `offline` where it cannot be had, `providerFailed` where it is not what it should be.
    func metadata(
        of provider: ProviderDescription, in group: AccessGroup, network: Network
    ) async throws(KeyringError) -> ProviderMetadata {
        do {
            return try await discover(provider, in: group, network: network)
        } catch {
            throw KeyringError(error, of: provider)
        }
    }

    /// The same for whoever has to know why not.
    func discover(
        _ provider: ProviderDescription, in group: AccessGroup, network: Network
    ) async throws(DiscoveryFailure) -> ProviderMetadata {
        guard provider.hasDiscovery, let issuer = provider.issuer else { return provider.configuredMetadata }
        let rule = provider.issuerRule
        if let kept = keptDocument(of: issuer, in: group),
            let metadata = try? ProviderMetadata(reading: kept, issuer: issuer, rule: rule)
        {
            return metadata.within(provider).overridden(by: provider.endpoints)
        }
        let metadata = try await discoverAnew(provider, in: group, network: network)
        tellUnusable(metadata, of: provider)
        return metadata
    }

    /// The same without a look at what is kept.
    func discoverAnew(
        _ provider: ProviderDescription, in group: AccessGroup, network: Network
    ) async throws(DiscoveryFailure) -> ProviderMetadata {
        guard provider.hasDiscovery, let issuer = provider.issuer else { return provider.configuredMetadata }
        let metadata = try await published(by: issuer, provider.issuerRule, network)
        keep(metadata, of: issuer, in: group)
        return metadata.within(provider).overridden(by: provider.endpoints)
    }

    /// What an issuer says of itself: the first document that can be one.
    ///
    /// Who answers one address with a page of its own may have the document at another.
    func published(
        by issuer: String, _ rule: IssuerRule, _ network: Network
    ) async throws(DiscoveryFailure) -> ProviderMetadata {
        // Nobody can add a provider whose issuer has no such addresses.
        guard let addresses = try? WellKnown.addresses(of: issuer) else { throw .badDocument(.badValue("issuer")) }
        var (status, flaw) = (404, nil as DiscoveryFailure?)
        for address in addresses {
            switch await network.send(HTTPRequest(getting: address.url), 20) {
            case .answered(let response) where response.status == 200:
                do {
                    let metadata = try ProviderMetadata(
                        reading: response.takeBody(), issuer: issuer, rule: rule, isOpenID: address.isOpenID)
                    guard address.isOpenID, metadata.endpoints[.revocation] == nil, rule == .exact else {
                        return metadata
                    }
                    let others = addresses.filter { !$0.isOpenID }.map(\.url)
                    return await completed(metadata, issuer, at: others, network)
                } catch {
                    // Who describes another issuer is not to be passed over for another's word.
                    guard error != .badDocument(.otherIssuer) else { throw error }
                    flaw = flaw ?? error
                }
            case .answered(let response) where response.status == 429 || response.status >= 500:
                let failure = ProviderFailure.classify(response, now: clock.now) ?? .unexpectedStatus(response.status)
                throw .unavailable(failure)
            case .answered(let response): status = response.status
            case .failed(let other):
                // Where one address cannot be reached the other cannot either.
                throw .unavailable(other)
            }
        }
        throw flaw ?? .unavailable(.unexpectedStatus(status))
    }

    /// What an issuer says of itself in a document of OpenID Connect, with what another one has besides: some name the endpoints of
    /// OAuth there alone.
    private func completed(
        _ metadata: ProviderMetadata, _ issuer: String, at addresses: [EndpointURL], _ network: Network
    ) async -> ProviderMetadata {
        for address in addresses {
            guard case .answered(let response) = await network.send(HTTPRequest(getting: address), 20),
                response.status == 200,
                let other = try? ProviderMetadata(reading: response.takeBody(), issuer: issuer, rule: .exact)
            else { continue }
            return metadata.completed(by: other)
        }
        return metadata
    }

    /// Says which functions a provider lacks because its document names no usable address for them: once for each reading.
    private func tellUnusable(_ metadata: ProviderMetadata, of provider: ProviderDescription) {
        let names = metadata.unusableEndpoints.filter { provider.endpoints[$0] == nil }.map(\.rawValue)
        guard !names.isEmpty else { return }
        warn(
            .providerMetadata,
            "\(provider.title) names no usable address as its \(names.joined(separator: ", ")), and goes without")
    }

    /// The document that was read lately.
    private func keptDocument(of issuer: String, in group: AccessGroup) -> SecretBytes? {
        let now = clock.now
        let value = try? withState { state in
            try database.setting(RegistrySetting.discovery(of: issuer), in: try state.group(group).keys)
        }
        guard let parts = value?.value.split(separator: " ", maxSplits: 1), parts.count == 2,
            let readAt = Int64(parts[0]), readAt <= now.seconds, now.seconds - readAt < Self.discoveryLifetime
        else { return nil }
        return Array(parts[1].utf8).withBytes { SecretBytes(copying: $0) }
    }

    /// Keeps what is used of a document; that it cannot be kept is no reason to fail.
    private func keep(_ metadata: ProviderMetadata, of issuer: String, in group: AccessGroup) {
        let value = "\(clock.now.seconds) \(metadata.document)"
        try? withState { state in
            let group = try state.group(group)
            try change(&state, group) {
                try $0.setSetting(RegistrySetting.discovery(of: issuer), to: value, isThisDeviceOnly: true)
            }
        }
    }
}

extension ProviderMetadata {
    /// The metadata without what leads people or refresh tokens to another cloud than the provider's, where that is
    /// known; the token endpoint is looked at where it is used.
    fileprivate func within(_ provider: ProviderDescription) -> ProviderMetadata {
        var metadata = self
        for endpoint in [Endpoint.authorization, .deviceAuthorization, .revocation, .endSession, .pushedAuthorization] {
            guard let url = metadata.endpoints[endpoint] else { continue }
            if !url.isOfCloud(provider.environment) { metadata.endpoints[endpoint] = nil }
        }
        guard let address = provider.resource, let resource = try? EndpointURL(address),
            let issuer = provider.issuer.flatMap({ try? EndpointURL($0) })
        else { return metadata }
        return metadata.within(resource, server: issuer)
    }

    /// The metadata of a resource's authorization server without what it may not name, whenever it says so: an address of this
    /// machine or a private network, and one that leads people elsewhere where answers do not name their issuer (RFC 9207), as
    /// it may be after another server's codes (RFC 9700, section 4.4).
    func within(_ resource: EndpointURL, server: EndpointURL) -> ProviderMetadata {
        var metadata = self
        metadata.endpoints = endpoints.filter { $0.value.mayBeNamed(at: resource) }
        metadata.mutualEndpoints = mutualEndpoints.filter { $0.value.mayBeNamed(at: resource) }
        if let authorization = metadata.endpoints[.authorization], !namesIssuerInAnswers, !authorization.isBelow(server)
        {
            metadata.endpoints[.authorization] = nil
        }
        return metadata
    }
}
