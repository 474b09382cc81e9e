internal import Keyfob

/// A sign-in to a protected resource by its address, which becomes a provider the first time.
enum ResourceSignIn {
    /// Puts the provider of the resource at the address into the request, and says what was found; does nothing for a provider.
    ///
    /// - Parameters:
    ///   - issuer: Which of the resource's authorization servers is meant.
    ///   - client: The client that the person named; the request may have that of an account.
    static func settle(
        _ request: inout SignInRequest, issuer: String?, client: String?, _ keyring: Keyring, _ groups: [AccessGroup]?,
        _ network: Network, _ global: GlobalOptions
    ) throws(KeyringError) {
        guard let known = try known(request.provider, keyring, groups) else {
            let address = request.provider
            let found = try NetworkTask.run { () async throws(KeyringError) in
                try await keyring.providers.resource(at: address, issuer: issuer, client: client, network: network)
            }
            if found.isElsewhere { global.say("\(found.address) lets people in by \(found.issuer)") }
            let provider = try NetworkTask.run { () async throws(KeyringError) in
                try await keyring.providers.add(found, client: client, in: groups, network: network)
            }
            global.say("added provider '\(provider.name)', whose tokens go to \(found.address) alone")
            request.provider = provider.name
            return
        }
        guard known.resource != nil else {
            guard issuer == nil else { throw KeyringError(.usage, "--issuer is for the address of a resource") }
            return
        }
        if let issuer, issuer != known.issuer {
            throw KeyringError(
                .alreadyExists, "the accounts of \(known.title) sign in at \(known.issuer ?? "")",
                advice: .leaveProvider(known.name))
        }
        request.provider = known.name
        guard client == nil else { return }
        let isNew = try NetworkTask.run { () async throws(KeyringError) in
            try await keyring.providers.renewClient(of: known, in: groups, network: network)
        }
        guard isNew else { return }
        // An account's own client may be the one that is gone.
        request.clientID = nil
        global.say("registered at \(known.issuer ?? "") anew")
    }

    /// The provider that is meant; nil for an address of which nothing is known.
    private static func known(
        _ name: String, _ keyring: Keyring, _ groups: [AccessGroup]?
    ) throws(KeyringError) -> IdentityProvider? {
        do {
            return try keyring.providers.named(name, in: groups)
        } catch  where error.code == .noSuchProvider && name.contains("://") {
            return nil
        }
    }
}
