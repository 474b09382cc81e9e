internal import KeyfobOAuth

// What providers and discovery say, in public terms.

extension KeyringError {
    /// Why a provider cannot be used.
    init(_ failure: DiscoveryFailure, of provider: ProviderDescription) {
        switch failure {
        case .unavailable(let reason) where reason.isTransient:
            self.init(
                .offline, "\(provider.title): \(failure)",
                hint: "check the network and the proxy settings, then try again; --verbose says more")
        case .unavailable(let reason) where reason.systemHint != nil:
            self.init(.unavailable, "\(provider.title): \(failure)", hint: reason.systemHint)
        case .endpointMissing(let endpoint):
            self.init(
                .providerFailed, "\(provider.title): \(failure)",
                hint: endpoint == .deviceAuthorization
                    ? "if devices can sign in there, add it again with --device-endpoint"
                    : "if it has one, name it in a description, see 'keyfob provider add --help'")
        default: self.init(.providerFailed, "\(provider.title): \(failure)")
        }
    }

    /// Why a provider gave nothing, where no sign-in would change that.
    init(_ failure: ProviderFailure, of provider: ProviderDescription, account: String? = nil) {
        let message = (account.map { "no token for \($0): " } ?? "\(provider.title): ") + "\(failure)"
        switch failure {
        case .throttled(let until):
            self.init(
                .throttled, (account.map { "no token for \($0): " } ?? "") + "\(provider.title) asks to wait",
                hint: "try again after \(until.seconds) (seconds since 1970)")
        case .serverDown, .unreachable, .outcomeUnknown:
            // Where the provider may have acted, a refresh token may have been used up.
            self.init(
                .offline, message,
                hint: (failure.mayHaveBeenProcessed ? "" : "nothing is lost; ") + "try again; --verbose says more")
        case .untrustedCertificate, .noHTTPLibrary: self.init(.unavailable, message, hint: failure.systemHint)
        case .scopeRefused:
            self.init(.scopesDeclined, message, hint: "ask for other scopes, or let an administrator consent")
        case .clientRefused:
            self.init(.configuration, message, hint: "'keyfob client list' shows the clients there are")
        case .denied: self.init(.cancelled, "the sign-in was declined: \(failure)")
        case .interactionRequired, .invalidGrant, .refusedWithoutReason: self.init(.signInNeeded, message)
        default: self.init(.providerFailed, message)
        }
    }
}

extension ProviderFailure {
    /// What to do about something that this machine lacks.
    var systemHint: String? {
        switch self {
        case .untrustedCertificate:
            "nothing was sent; if it is your organisation's, trust its authority's certificate with --ca-file; "
                + "--verbose says more"
        case .noHTTPLibrary: "install libcurl (libcurl4 on Debian and Ubuntu)"
        default: nil
        }
    }
}
