internal import KeyfobOAuth
internal import KeyfobRecords
internal import KeyfobVault

/// What stays the same during one sign-in.
struct SignInContext: Sendable {
    let provider: ProviderDescription
    let metadata: ProviderMetadata
    let clientID: String
    /// What is asked for, with the scopes that a sign-in needs besides.
    let scopes: ScopeSet
    /// Those of them that are asked for only because the account's token has them.
    var kept: ScopeSet = []
    let group: AccessGroup
    /// Who is to sign in.
    let expected: Account?
    let request: SignInRequest
    /// Fields of the provider's own that go along for this account.
    var parameters: [String: String] = [:]
    /// The key that the tokens are to be bound to, and no others are kept; nil where they need not be.
    ///
    /// They are where that is asked for, where the resource takes no others, and where those of the account's last sign-in were.
    var key: ProofKey?
}

extension Keyring.SignIns {
    /// Finds out what a sign-in needs, and asks the provider's discovery document.
    func context(
        for request: SignInRequest, in groups: [AccessGroup]?, network: Network
    ) async throws(KeyringError) -> SignInContext {
        let group = try keyring.groups.forNewItems(groups)
        var provider = try provider(for: request, in: group)
        if let tenant = request.tenant {
            guard let other = provider.with(tenant: tenant) else {
                throw KeyringError(.usage, "\(provider.title) has no tenant '\(tenant)'")
            }
            provider = other
        }
        // An account of Azure AD B2C signs in again by its own policy, unless the address names one.
        if !request.provider.contains("://"), let policy = request.account?.policy {
            provider = provider.with(policy: policy) ?? provider
        }
        if request.isInstanceAware, !EnvironmentAliases.isMicrosoft(provider.environment) {
            throw KeyringError(.usage, "\(provider.title) is not one of Microsoft's clouds")
        }
        let description = provider.description
        let client = try registeredClient(request.clientID, of: provider, in: group)
        var expected: Account?
        if let id = request.account {
            expected = try withState { state in
                let keys = try state.group(group).keys
                if let account = try database.account(id, in: keys) { return account }
                return try database.accounts(in: keys).items.first { $0.value.formerIDs.contains(id) }?.value
                    ?? Account(id: id, username: "")
            }
        }
        let metadata = try await signInMetadata(of: description, in: group, network.serving(description))
        // Said before anybody signs in, not afterwards.
        if description.issuer != nil, network.lacksSignatureLibrary(metadata.idTokenAlgorithms) {
            throw KeyringError(.noSignatureLibrary, of: description)
        }
        var scopes = request.scopes.isEmpty && request.purposes.isEmpty ? client.scopes : request.scopes
        if scopes.isEmpty { scopes = description.defaultScopes(at: metadata) }
        // A provider whose new token takes the place of the old one would else take scopes away.
        let held = try heldScopes(request, client.id, description, in: group)
        let asked = ScopeSet(scopes.scopes + (try Self.scopes(for: request.purposes, at: description)))
        scopes = ScopeSet(asked.scopes + held)
        scopes = description.withAccessToken(scopes, clientID: client.id)
        var context = SignInContext(
            provider: description, metadata: metadata, clientID: client.id,
            scopes: ScopeSet(scopes.scopes + Self.signInScopes(description, metadata)), group: group,
            expected: expected, request: request, parameters: try parameters(request, client.id, in: group))
        context.kept = ScopeSet(held.filter { !ScopeSet([$0]).isSubset(of: asked) })
        if try isBound(context) { context.key = try newKey(context, network) }
        // Under which account it is stored is known before anybody signs in.
        if !metadata.tellsNames { _ = try nameless(context) }
        return context
    }

    /// Whether a sign-in keeps no tokens but such as are bound to a key.
    private func isBound(_ context: SignInContext) throws(KeyringError) -> Bool {
        if context.request.bindsTokens || context.provider.bindsTokens { return true }
        guard let account = context.request.account else { return false }
        return try keyring.accounts.credentials(of: account, in: context.group).contains {
            $0.kind == .refreshToken && $0.clientID == context.clientID && $0.isProved
        }
    }

    /// What a provider wants to be asked for each purpose.
    private static func scopes(
        for purposes: [SignInPurpose], at provider: ProviderDescription
    ) throws(KeyringError) -> [String] {
        var all: [String] = []
        for purpose in purposes {
            guard let scopes = purpose.scopes(at: provider.environment) else {
                throw KeyringError(
                    .usage, "which scopes \(provider.title) wants for '\(purpose.rawValue)' is not known",
                    advice: .chooseScopes)
            }
            all += scopes.scopes
        }
        return all
    }

    /// The scopes of the account's tokens, which a new one would lack where each token has its own.
    private func heldScopes(
        _ request: SignInRequest, _ client: String, _ provider: ProviderDescription, in group: AccessGroup
    ) throws(KeyringError) -> [String] {
        guard !provider.quirks.contains(.multipleResources) else { return [] }
        // Who signs in where nobody is named may be somebody else.
        guard let account = request.account else { return [] }
        let now = clock.now
        let own = try keyring.accounts.credentials(of: account, in: group).filter { $0.clientID == client }
        // What has ended says nothing, unless a refresh would give it anew.
        let lasts = own.contains { $0.kind == .refreshToken && ($0.grant ?? Grant()).state == .active }
        return own.filter { $0.kind == .accessToken && (lasts || $0.isValid(now: now, minimumValidity: 0)) }
            .flatMap(\.scopes.scopes)
            .filter { !ScopeSet.isOfSignIn($0) }
    }

    /// The scopes without which a sign-in tells nobody's name and does not last.
    private static func signInScopes(_ provider: ProviderDescription, _ metadata: ProviderMetadata) -> [String] {
        if provider.quirks.contains(.multipleResources) { return provider.signInScopes }
        guard metadata.isOpenID else { return metadata.scopes?.filter { $0 == "offline_access" } ?? [] }
        // Who tells no user name is asked for the mail address.
        let tellsUsername = metadata.claims?.contains("preferred_username") ?? true
        let wanted = ["profile"] + (tellsUsername ? [] : ["email"]) + ["offline_access"]
        return ["openid"] + wanted.filter { metadata.scopes?.contains($0) ?? false }
    }

    /// What is known of a provider; a code is redeemed in the cloud that gave it, and in no other that a document names.
    private func signInMetadata(
        of provider: ProviderDescription, in group: AccessGroup, _ network: Network
    ) async throws(KeyringError) -> ProviderMetadata {
        var metadata = try await keyring.providers.metadata(of: provider, in: group, network: network)
        if let url = metadata.endpoints[.token], !url.isOfCloud(provider.environment) {
            metadata.endpoints[.token] = nil
        }
        return metadata
    }

    /// Where the code of a sign-in is redeemed and the account is filed: in the cloud that the answer names.
    ///
    /// - Throws: `providerFailed` for a cloud that is not built in; the code is sent to nobody then.
    func context(of signIn: BrowserSignIn, _ network: Network) async throws(KeyringError) -> SignInContext {
        let context = signIn.context
        guard let cloud = signIn.cloud, !EnvironmentAliases.areSame(cloud, context.provider.environment) else {
            return context
        }
        let tenant = IdentityProvider(context.provider, .builtIn).tenant
        guard let other = ProviderRegistry().provider(environment: cloud, tenant: tenant), other.tenant != nil else {
            throw KeyringError(
                .providerFailed,
                "\(context.provider.title) leads to a cloud that is not built in; nothing was sent there")
        }
        let description = other.description
        return SignInContext(
            provider: description, metadata: try await signInMetadata(of: description, in: context.group, network),
            clientID: context.clientID, scopes: context.scopes, group: context.group, expected: context.expected,
            request: context.request, parameters: context.parameters, key: context.key)
    }

    /// What to show: a person who signed out is asked to log in, whatever session the browser has.
    func prompt(for context: SignInContext) throws(KeyringError) -> SignInPrompt? {
        guard let account = context.expected, context.request.prompt != .consent else {
            return context.request.prompt ?? context.neededPrompt
        }
        let grants = try keyring.accounts.credentials(of: account.id, in: context.group).filter {
            $0.kind == .refreshToken && $0.clientID == context.clientID
        }
        let isSignedOut = !grants.isEmpty && grants.allSatisfy { $0.grant?.state == .signedOut }
        return isSignedOut ? .login : context.request.prompt ?? context.neededPrompt
    }
}

extension SignInContext {
    /// Why the provider gave nothing, with what a client lacks where the provider says what it takes.
    func error(_ failure: ProviderFailure, _ client: borrowing OAuthClient) -> KeyringError {
        let error = KeyringError(failure, of: provider)
        guard case .clientRefused = failure, let lack = metadata.lack(of: client.authentication) else { return error }
        return KeyringError(
            error.code, error.message,
            advice: .proveClient(clientID, provider: provider.name, byCertificate: lack == .certificate))
    }

    /// What has to be shown for a refresh token: some providers ignore `offline_access` unless the person is asked for consent
    /// (OpenID Connect Core, section 11).
    fileprivate var neededPrompt: SignInPrompt? {
        let isNeeded =
            metadata.isOpenID && !provider.quirks.contains(.multipleResources)
            && scopes.scopes.contains("offline_access")
        return isNeeded ? .consent : nil
    }
}

extension ProviderDescription {
    /// The scopes to ask for where nobody names any: of those of OpenID Connect, what a server of plain OAuth knows.
    fileprivate func defaultScopes(at metadata: ProviderMetadata) -> ScopeSet {
        guard hasDiscovery, !metadata.isOpenID else { return defaultScopes }
        return ScopeSet(
            defaultScopes.scopes.filter { !ScopeSet.isOfSignIn($0) || metadata.scopes?.contains($0) ?? false })
    }
}
