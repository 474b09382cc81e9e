internal import KeyfobOAuth

extension Keyring {
    /// The network for a request with a token: to a host of the account's provider it trusts what requests to that
    /// provider trust.
    ///
    /// - Throws: `configuration` where the provider's file of certificates cannot be used.
    public func network(_ network: Network, for token: FoundToken) throws(KeyringError) -> Network {
        guard let host = token.destination?.host,
            let provider = try description(forEnvironment: token.account.id.environment, in: [token.group]),
            provider.environment == host || provider.apiHosts.contains(where: { $0.matches(host) })
        else { return network }
        return try network.serving(provider)
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
