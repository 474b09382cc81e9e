package import KeyfobModel

extension ProviderMetadata {
    /// What will work at a provider for all that it says, in the order of ``ProviderFunction``.
    package var findings: [ProviderFinding] {
        ProviderFunction.allCases.map { function in
            switch function {
            case .browserSignIn: browserSignIn
            case .deviceSignIn: finding(function, .deviceAuthorization)
            case .refresh: refresh
            case .names:
                tellsNames
                    ? ProviderFinding(function, .works)
                    : ProviderFinding(function, .missing, "no OpenID Connect, and no userinfo_endpoint")
            case .revocation: finding(function, .revocation)
            case .browserSignOut: finding(function, .endSession)
            case .registration: finding(function, .registration)
            case .pushedRequests: finding(function, .pushedAuthorization)
            case .boundTokens: boundTokens
            }
        }
    }

    private func finding(_ function: ProviderFunction, _ endpoint: Endpoint) -> ProviderFinding {
        if endpoints[endpoint] != nil { return ProviderFinding(function, .works) }
        return unusableEndpoints.contains(endpoint)
            ? ProviderFinding(function, .unusable, "its \(endpoint.rawValue) is no usable address")
            : ProviderFinding(function, .missing, "no \(endpoint.rawValue)")
    }

    private var browserSignIn: ProviderFinding {
        do throws(DiscoveryFailure) {
            _ = try require(.authorization)
            _ = try require(.token)
        } catch {
            return ProviderFinding(.browserSignIn, .unusable, "\(error)")
        }
        if requiresPush, endpoints[.pushedAuthorization] == nil {
            return ProviderFinding(
                .browserSignIn, .unusable, "it wants requests pushed, and has no usable address for them")
        }
        if let grantTypes, !grantTypes.contains("authorization_code") {
            return ProviderFinding(
                .browserSignIn, .unsaid, "authorization_code is not among its grant_types_supported")
        }
        return ProviderFinding(.browserSignIn, .works)
    }

    /// Many that give refresh tokens do not say so, and some only to who asks for `offline_access`.
    private var refresh: ProviderFinding {
        if grantTypes?.contains("refresh_token") ?? false { return ProviderFinding(.refresh, .works) }
        if scopes?.contains("offline_access") ?? false { return ProviderFinding(.refresh, .works) }
        return ProviderFinding(.refresh, .unsaid, "neither refresh_token nor offline_access is named")
    }

    private var boundTokens: ProviderFinding {
        guard let proofAlgorithms else {
            return ProviderFinding(.boundTokens, .missing, "no dpop_signing_alg_values_supported")
        }
        guard proofAlgorithms.contains("ES256") else {
            return ProviderFinding(.boundTokens, .unusable, "it takes no proofs by ES256")
        }
        return ProviderFinding(.boundTokens, .works)
    }

    /// How clients say who they are; what stands for silence is `client_secret_basic` (RFC 8414, section 2).
    package var shownClientMethods: [String] { clientMethods ?? ["client_secret_basic"] }

    /// By what a client has to say who it is, where it does so by less and nothing less is taken; nil where that is not so.
    package func lack(of authentication: OAuthClient.Authentication) -> OAuthClient.Authentication? {
        guard let clientMethods else { return nil }
        let known = Set(clientMethods.compactMap(OAuthClient.Authentication.init(named:)))
        let strong: [OAuthClient.Authentication] = [.signed, .certificate]
        guard !known.contains(authentication), known.isSubset(of: strong) else { return nil }
        return strong.first(where: known.contains)
    }

    /// How a client shows who it is that registers itself: without a secret, where that may revoke tokens too.
    package var registeredMethod: OAuthClient.Authentication {
        let all: [OAuthClient.Authentication] = [.none, .post, .basic, .signed]
        let known = all.filter { (clientMethods ?? ["none"]).contains($0.rawValue) }
        guard endpoints[.revocation] != nil, let revocationMethods else { return known.first ?? .basic }
        let revoking = known.filter { method in
            revocationMethods.contains(method.rawValue) || method == .none && revocationMethods.contains("bearer")
        }
        return (revoking + known).first ?? .basic
    }

    /// The metadata with what another document of the same issuer says where this one says nothing (RFC 8414 beside OpenID
    /// Connect): what sign-ins need is this one's alone.
    ///
    /// Below an issuer with a path, the other document lies at the top of its host, where somebody else may be: it names no
    /// endpoint elsewhere than at the token endpoint's host.
    package func completed(by other: ProviderMetadata) -> ProviderMetadata {
        var metadata = self
        let home = endpoints[.token]?.environment
        for endpoint in [
            Endpoint.revocation, .registration, .deviceAuthorization, .pushedAuthorization, .introspection,
        ]
        where !unusableEndpoints.contains(endpoint) {
            guard let found = other.endpoints[endpoint], found.environment == home else { continue }
            guard endpoints[endpoint] == nil else { continue }
            metadata.endpoints[endpoint] = found
            metadata.mutualEndpoints[endpoint] = other.mutualEndpoints[endpoint]
        }
        metadata.revocationMethods = revocationMethods ?? other.revocationMethods
        metadata.grantTypes = grantTypes ?? other.grantTypes
        metadata.proofAlgorithms = proofAlgorithms ?? other.proofAlgorithms
        metadata.bindsTokensToCertificates = bindsTokensToCertificates || other.bindsTokensToCertificates
        return metadata
    }
}
