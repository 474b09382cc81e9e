internal import Keyfob
internal import KeyfobOAuth

/// A sign-in by the address of a protected resource or an issuer, which becomes a provider the first time.
enum ResourceSignIn {
    /// Puts the provider at the address into the request, and says what was found; one that is known and has no client gets one,
    /// where it registers clients.
    ///
    /// - Parameters:
    ///   - isTyped: Whether the person has named the provider, and not an account alone.
    ///   - issuer: Which of the resource's authorization servers is meant.
    ///   - client: The client that the person named; the request may have that of an account.
    static func settle(
        _ request: inout SignInRequest, isTyped: Bool, issuer: String?, client: String?, _ keyring: Keyring,
        _ groups: [AccessGroup]?,
        _ network: Network, _ global: GlobalOptions
    ) throws(KeyringError) {
        guard let known = try known(request.provider, isTyped, keyring, groups) else {
            let name = request.provider
            let address = name.contains("://") ? name : "https://" + name
            let found = try NetworkTask.run { () async throws(KeyringError) in
                try await keyring.providers.resource(at: address, issuer: issuer, client: client, network: network)
            }
            if found.isElsewhere { global.say("\(found.address) lets people in by \(found.issuer)") }
            let provider = try NetworkTask.run { () async throws(KeyringError) in
                try await keyring.providers.add(found, client: client, in: groups, network: network)
            }
            let place = found.isServer ? " for \(provider.environment)" : ", whose tokens go to \(found.address) alone"
            global.say("added provider '\(provider.name)'\(place)")
            request.provider = provider.name
            return
        }
        if issuer != nil, known.resource == nil {
            throw KeyringError(.usage, "--issuer is for the address of a resource")
        }
        if let issuer, issuer != known.issuer {
            throw KeyringError(
                .alreadyExists, "the accounts of \(known.title) sign in at \(known.issuer ?? "")",
                advice: .leaveProvider(known.name))
        }
        let isWithoutScheme = (try? keyring.providers.named(request.provider, in: groups)) == nil
        if known.resource != nil || isWithoutScheme { request.provider = known.name }
        guard client == nil, known.resource != nil || request.clientID == nil else { return }
        let isNew = try NetworkTask.run { () async throws(KeyringError) in
            try await keyring.providers.renewClient(of: known, in: groups, network: network)
        }
        guard isNew else { return }
        request.provider = known.name
        // An account's own client may be the one that is gone.
        request.clientID = nil
        global.say("registered Keyfob at \(known.issuer ?? "")")
    }

    /// The provider that is meant; nil for an address of which nothing is known.
    private static func known(
        _ name: String, _ isTyped: Bool, _ keyring: Keyring, _ groups: [AccessGroup]?
    ) throws(KeyringError) -> IdentityProvider? {
        do {
            return try keyring.providers.named(name, in: groups)
        } catch  where error.code == .noSuchProvider && (name.contains("://") || isTyped && isHost(name)) {
            return name.contains("://") ? nil : try? keyring.providers.named("https://" + name, in: groups)
        } catch  where error.code == .noSuchProvider && isTyped {
            guard (try? keyring.accounts.named(name, in: groups)) != nil else { throw error }
            throw KeyringError(
                .noSuchProvider, "there is no provider '\(name)', but an account",
                hint: "'keyfob login --account \(ShellWord.inMessage(name))' signs it in again")
        }
    }

    /// Whether a word is more likely a host than a name with a mistake.
    private static func isHost(_ text: String) -> Bool {
        guard text.contains(".") || text.contains(":"), !text.contains("@"),
            let url = try? EndpointURL("https://" + text)
        else { return false }
        return url.query == nil && !url.host.hasPrefix(".") && !url.host.hasSuffix(".")
    }
}
