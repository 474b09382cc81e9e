internal import KeyfobOAuth

/// What a provider says of itself at this moment, and what of that will work.
public struct ProviderReport: Hashable, Sendable {
    /// The provider's name.
    public let provider: String
    /// The issuer as its document names it; nil for plain OAuth.
    public let issuer: String?
    /// What it offers, in the order of ``ProviderFunction``.
    public let findings: [ProviderFinding]
    /// How clients may say who they are: the words of `token_endpoint_auth_methods_supported`.
    public let clientMethods: [String]
    /// The scopes that it names; nil where it names none.
    public let scopes: [String]?
    /// What is wrong besides: one line each.
    public let flaws: [String]

    /// Whether nobody can sign in, by a browser or by a code.
    public var letsNobodyIn: Bool {
        findings.allSatisfy { finding in
            ![.browserSignIn, .deviceSignIn].contains(finding.function)
                || [.missing, .unusable].contains(finding.standing)
        }
    }
}

extension Keyring.Providers {
    /// Asks a provider what it offers, anew, and keeps the answer for sign-ins.
    ///
    /// The keys of its ID tokens are looked at too. Nothing else is asked, and no client or token is shown.
    ///
    /// - Throws: `noSuchProvider`; `offline` where it cannot be reached; `providerFailed` where its description cannot be used;
    ///   `untrustedCertificate`, `configuration`.
    public func check(
        _ name: String, in groups: [AccessGroup]? = nil, network: Network
    ) async throws(KeyringError) -> ProviderReport {
        try await StoreCall.run { () async throws(KeyringError) in
            let provider = try named(name, in: groups)
            let group =
                if case .added(let group) = provider.origin { group } else { try keyring.groups.forNewItems(groups) }
            return try await report(on: provider.description, in: group, network)
        }
    }

    private func report(
        on provider: ProviderDescription, in group: AccessGroup, _ network: Network
    ) async throws(KeyringError) -> ProviderReport {
        let network = try network.serving(provider)
        let metadata: ProviderMetadata
        do {
            metadata = try await discoverAnew(provider, in: group, network: network)
        } catch {
            throw KeyringError(error, of: provider)
        }
        let flaw = metadata.isOpenID ? await keyFlaw(of: metadata, network) : nil
        let hasDevices = provider.flows.contains(.deviceAuthorization)
        let findings = metadata.findings.map { finding in
            switch finding.function {
            case .deviceSignIn where !hasDevices && finding.standing == .works:
                ProviderFinding(.deviceSignIn, .missing, "its description has no such flow")
            case .browserSignIn, .deviceSignIn:
                flaw == nil || [.missing, .unusable].contains(finding.standing)
                    ? finding : ProviderFinding(finding.function, .unusable, flaw)
            default: finding
            }
        }
        let told = findings.filter { $0.standing == .unusable }.compactMap(\.reason).joined(separator: " ")
        let others = metadata.unusableEndpoints.filter { provider.endpoints[$0] == nil }.map(\.rawValue)
        return ProviderReport(
            provider: provider.name, issuer: metadata.issuer, findings: findings,
            clientMethods: Self.acceptable(metadata.shownClientMethods), scopes: metadata.scopes.map(Self.acceptable),
            flaws: others.filter { !told.contains($0) }.map { "its \($0) is no usable address" })
    }

    /// The words of a provider that a person can read.
    private static func acceptable(_ words: [String]) -> [String] {
        Array(words.filter(ProviderRules.isScope).prefix(ResourceMetadata.scopeLimit))
    }

    /// What is wrong with the keys of a provider's ID tokens; nil where nothing is.
    private func keyFlaw(of metadata: ProviderMetadata, _ network: Network) async -> String? {
        // Signatures by the client's secret alone need none.
        if let algorithms = metadata.idTokenAlgorithms, !algorithms.isEmpty,
            algorithms.allSatisfy({ $0.hasPrefix("HS") })
        {
            return nil
        }
        guard let endpoint = metadata.endpoints[.keys] else {
            return "it names no usable jwks_uri, by whose keys ID tokens are checked"
        }
        let words = "its keys (jwks_uri) cannot be used: "
        switch await network.send(HTTPRequest(getting: endpoint), 20) {
        case .failed(let failure): return words + "\(failure)"
        case .answered(let response) where response.status != 200: return words + "it answered \(response.status)"
        case .answered(let response):
            return KeySetLook.flaw(of: response.takeBody(), for: metadata.idTokenAlgorithms).map { words + $0 }
        }
    }
}
