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
    let group: AccessGroup
    /// Who is to sign in.
    let expected: Account?
    let request: SignInRequest
}

extension Keyring {
    /// Finds out what a sign-in needs, and asks the provider's discovery document.
    func signInContext(
        for request: SignInRequest, in groups: [AccessGroup]?, network: Network
    ) async throws(KeyringError) -> SignInContext {
        let group = try withState { try $0.groupForNewItems(groups).name }
        var provider = try provider(for: request, in: group)
        if let tenant = request.tenant {
            guard let other = provider.with(tenant: tenant) else {
                throw KeyringError(.usage, "\(provider.title) has no tenant '\(tenant)'")
            }
            provider = other
        }
        let description = provider.description
        let client = try registeredClient(request.clientID, of: provider, in: group)
        var expected: Account?
        if let id = request.account {
            expected = try withState { state in
                try database.account(id, in: try state.group(group).keys) ?? Account(id: id, username: "")
            }
        }
        let metadata = try await metadata(of: description, in: group, network: network.serving(description))
        var scopes = request.scopes.isEmpty ? client.scopes : request.scopes
        if scopes.isEmpty { scopes = description.defaultScopes }
        return SignInContext(
            provider: description, metadata: metadata, clientID: client.id,
            scopes: ScopeSet(scopes.scopes + Self.signInScopes(description, metadata)), group: group,
            expected: expected, request: request)
    }

    /// The scopes without which a sign-in tells nobody's name and does not last.
    private static func signInScopes(_ provider: ProviderDescription, _ metadata: ProviderMetadata) -> [String] {
        guard provider.issuer != nil else { return [] }
        var scopes = ["openid"]
        let isMicrosoft = provider.quirks.contains(.multipleResources)
        for scope in ["profile", "offline_access"] where isMicrosoft || metadata.scopes?.contains(scope) ?? false {
            scopes.append(scope)
        }
        return scopes
    }

    /// What to show: a person who signed out is asked to log in, whatever session the browser has.
    func prompt(for context: SignInContext) throws(KeyringError) -> SignInPrompt? {
        guard let account = context.expected, context.request.prompt != .consent else { return context.request.prompt }
        let grants = try credentials(of: account.id, in: context.group).filter {
            $0.kind == .refreshToken && $0.clientID == context.clientID
        }
        let isSignedOut = !grants.isEmpty && grants.allSatisfy { $0.grant?.state == .signedOut }
        return isSignedOut ? .login : context.request.prompt
    }
}
