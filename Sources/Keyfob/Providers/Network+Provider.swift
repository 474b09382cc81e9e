internal import KeyfobOAuth

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
