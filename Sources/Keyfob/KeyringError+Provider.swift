internal import KeyfobModel
internal import KeyfobOAuth

// What providers and discovery say, in public terms.

extension KeyringError {
    /// Why a provider cannot be used.
    init(_ failure: DiscoveryFailure, of provider: ProviderDescription) {
        switch failure {
        case .unavailable(let reason) where reason.isTransient:
            self.init(
                .offline, "\(provider.title): \(failure)",
                advice: .checkProxy(triesAgain: true))
        // Microsoft answers so where it knows no such tenant.
        case .unavailable(.unexpectedStatus(let status)) where [400, 404].contains(status) && provider.tenant != nil:
            self.init(
                .providerFailed, "\(provider.title) knows no tenant '\(provider.tenant ?? "")'", advice: .chooseTenant)
        case .unavailable(let reason):
            let lack = reason.lack
            self.init(lack?.code ?? .providerFailed, "\(provider.title): \(failure)", advice: lack?.advice)
        case .endpointMissing(let endpoint):
            self.init(
                .providerFailed, "\(provider.title): \(failure)",
                advice: endpoint == .deviceAuthorization ? .addDeviceEndpoint : .addEndpoint)
        default: self.init(.providerFailed, "\(provider.title): \(failure)")
        }
    }

    /// What is wrong with a provider's ID token.
    init(_ flaw: IDTokenFlaw, of provider: ProviderDescription) {
        let message = "\(provider.title): \(flaw)"
        switch flaw {
        case .noSignatureLibrary: self.init(.unavailable, message, advice: .installLibcrypto)
        // A token from the future says so itself.
        case .expired: self.init(.providerFailed, message, advice: .checkClock)
        default: self.init(.providerFailed, message)
        }
    }

    /// Why a provider gave nothing, where no sign-in would change that.
    init(_ failure: ProviderFailure, of provider: ProviderDescription, account: String? = nil) {
        if let policy = failure.refusal?.policy {
            self.init(policy, failure, name: account ?? provider.title)
            return
        }
        let message = (account.map { "no token for \($0): " } ?? "\(provider.title): ") + "\(failure)"
        switch failure {
        case .throttled(let until):
            self.init(
                .throttled, (account.map { "no token for \($0): " } ?? "") + "\(provider.title) asks to wait",
                advice: .waitUntil(until))
        case .unreachable(let reason) where reason.isProxy:
            self.init(.offline, message, advice: .checkProxy(triesAgain: true))
        case .serverDown, .unreachable, .outcomeUnknown:
            // Where the provider may have acted, a refresh token may have been used up.
            self.init(
                .offline, message,
                advice: .tryAgainWatching(failure.mayHaveBeenProcessed ? .none : .nothingLost))
        case .untrustedCertificate, .noHTTPLibrary:
            let lack = failure.lack
            self.init(lack?.code ?? .providerFailed, message, advice: lack?.advice)
        case .noThread: self.init(.unavailable, message)
        case .scopeRefused:
            self.init(.scopesDeclined, message, advice: .askForOtherScopes)
        case .clientRefused:
            self.init(.configuration, message, advice: .listClients)
        case .denied: self.init(.cancelled, "the sign-in was declined: \(failure)")
        case .interactionRequired, .invalidGrant, .refusedWithoutReason: self.init(.signInNeeded, message)
        default: self.init(.providerFailed, message)
        }
    }
}

extension KeyringError {
    /// Why an organisation's rule keeps somebody out, whom no sign-in with this program lets in.
    init(_ policy: AccessPolicy, _ failure: ProviderFailure, name: String, continuation: Continuation? = nil) {
        self.init(
            .policyNotMet, "no token for \(name): the organisation \(policy.words); \(failure)",
            advice: .meetPolicy(isAboutDevice: [.compliantDevice, .managedDevice].contains(policy)),
            continuation: continuation)
    }
}

extension ProviderFailure {
    /// What it is where this machine lacks something, or takes the other side for a stranger: no try later helps.
    var lack: (code: KeyringError.Code, advice: Advice)? {
        switch self {
        case .untrustedCertificate(.untrusted): (.untrustedCertificate, .trustCertificate(isProviders: true))
        case .untrustedCertificate(.expired): (.untrustedCertificate, .checkClock)
        case .untrustedCertificate(.otherHost): (.untrustedCertificate, .checkProxy(triesAgain: false))
        case .noHTTPLibrary: (.unavailable, .installLibcurl)
        default: nil
        }
    }
}

extension ProviderDescription {
    /// The tenant whose issuer it is; nil for none in particular.
    fileprivate var tenant: String? {
        guard quirks.contains(.tenantIssuer), let path = issuer?.split(separator: "/").dropFirst(2).first else {
            return nil
        }
        return TokenRequest.specificTenant(String(path))
    }
}
