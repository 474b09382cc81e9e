internal import KeyfobOAuth

extension Keyring.Providers {
    /// The network for a request with a token: to a host of the account's provider it trusts what requests to that
    /// provider trust.
    ///
    /// - Throws: `configuration` where the provider's file of certificates cannot be used.
    public func network(_ network: Network, for token: Keyring.FoundToken) throws(KeyringError) -> Network {
        guard let provider = try provider(serving: token) else { return network }
        return try network.serving(provider)
    }

    /// The file of certificates that requests with a token trust; nil where its provider names none, or it goes elsewhere.
    package func certificateFile(for token: Keyring.FoundToken) throws(KeyringError) -> String? {
        try provider(serving: token)?.certificateFile
    }

    /// The provider of a token's account, where the token is to go to a host of that one.
    private func provider(serving token: Keyring.FoundToken) throws(KeyringError) -> ProviderDescription? {
        guard let host = token.destination?.host,
            let provider = try description(forEnvironment: token.account.id.environment, in: [token.group]),
            provider.host == host || provider.apiHosts.contains(where: { $0.matches(host) })
        else { return nil }
        return provider
    }

    /// The hosts to which the tokens of an account go, as far as they are known by name.
    ///
    /// They are its provider's, those of that one's services, and those that are bound to the account. Whether a token goes to
    /// one of them says ``DestinationRule``.
    package func namedHosts(of account: AccountID, in group: AccessGroup) throws(KeyringError) -> [String] {
        let provider = try description(forEnvironment: account.environment, in: [group])
        let patterns = BuiltInHosts.apiHosts(of: account.environment) + (provider?.apiHosts ?? [])
        let bound = try keyring.bindings.list(in: [group]).compactMap { binding -> String? in
            guard binding.target.account == account else { return nil }
            return switch binding.subject {
            case .host(let host): host
            case .url(let url): url.host
            case .directory, .tool: nil
            }
        }
        let hosts =
            [ResourceURL.host(ofEnvironment: account.environment)] + patterns.map(\.text).filter { !$0.hasPrefix("*.") }
            + bound
        return hosts.enumerated().filter { !hosts[..<$0.offset].contains($0.element) }.map(\.element)
    }
}

extension Network {
    /// The network for requests to one provider: it trusts the certificates that the provider's description names.
    ///
    /// - Throws: `configuration` where that file cannot be used.
    func serving(_ provider: ProviderDescription) throws(KeyringError) -> Network {
        guard let file = provider.certificateFile else { return self }
        do {
            return try trusting(file) ?? self
        } catch {
            throw KeyringError(
                .configuration, "provider '\(provider.name)': \(error)", advice: .mendCertificateFile(provider.name))
        }
    }
}
