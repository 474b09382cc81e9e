internal import KeyfobModel
internal import KeyfobOAuth

extension Keyring.SignIns {
    /// Leaves an authorization request with the provider, where that wants it or offers it (RFC 9126).
    ///
    /// - Returns: By what name the provider knows it; nil where the browser's address says it all.
    /// - Throws: `providerFailed` and the like where the provider takes no other request; one that only offers it is asked by the
    ///   browser then.
    func push(
        _ request: PushedAuthorization, _ context: SignInContext, _ network: Network
    ) async throws(KeyringError) -> String? {
        let (metadata, provider) = (context.metadata, context.provider)
        guard let endpoint = metadata.endpoints[.pushedAuthorization] else {
            guard !metadata.requiresPush else {
                throw KeyringError(DiscoveryFailure.endpointMissing(.pushedAuthorization), of: provider)
            }
            return nil
        }
        guard metadata.requiresPush || !context.request.isOpenedLater else { return nil }
        let network = try network.serving(provider)
        var exchange = ClientExchange(try oauthClient(context, network), metadata, network, clock)
        let lack: KeyringError
        let answer = await exchange.send { request.request($0, at: endpoint) }
        keepMethod(of: exchange, context)
        switch consume answer {
        case .answered(let response) where response.status == 201 || response.status == 200:
            do throws(ProtocolViolation) {
                return try PushedAuthorization.name(reading: response.takeBody())
            } catch {
                lack = KeyringError(.protocolViolation(error, status: 201), of: provider)
            }
        case .answered(let response):
            let failure = ProviderFailure.classify(response, now: clock.now) ?? .unexpectedStatus(response.status)
            lack = KeyringError(failure, of: provider)
        case .failed(let failure): lack = KeyringError(failure, of: provider)
        }
        guard metadata.requiresPush else { return nil }
        throw lack
    }
}
