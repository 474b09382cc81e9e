/// Why a provider cannot be used for what was asked.
package enum DiscoveryFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The document could not be had.
    case unavailable(ProviderFailure)
    /// The document is not what it should be.
    case badDocument(ProtocolViolation)
    /// The provider names no such endpoint and none is configured.
    case endpointMissing(ProviderMetadata.Endpoint)
    /// The provider does not support S256.
    case noPKCE

    package var description: String {
        switch self {
        case .unavailable(let failure): "can't read the provider's metadata: \(failure)"
        case .badDocument(let violation): "the provider's description is wrong: \(violation)"
        case .endpointMissing(let endpoint): "the provider has no \(endpoint.rawValue) and none is configured"
        case .noPKCE: "the provider does not support PKCE with S256"
        }
    }
}
