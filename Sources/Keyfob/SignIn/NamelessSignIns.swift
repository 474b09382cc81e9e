internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobRecords
internal import KeyfobVault

// Under which account a sign-in is stored where the provider does not say whose it is, as most of plain OAuth. Only people know: such
// an account is never one that a provider has vouched for.

extension Keyring.SignIns {
    /// What a person can be asked to call an account whose provider tells no names, with what it is called unless they say.
    ///
    /// The provider's discovery document is read for it.
    ///
    /// - Returns: Nil where the provider may tell who signs in, where the request names an account, and where one is signed in
    ///   there already, which is then signed in again.
    /// - Throws: as ``begin(_:redirectURI:in:network:)``.
    public func nameToChoose(
        for request: SignInRequest, in groups: [AccessGroup]? = nil, network: Network
    ) async throws(KeyringError) -> String? {
        guard request.name == nil, request.account == nil else { return nil }
        return try await StoreCall.run { () async throws(KeyringError) in
            let context = try await context(for: request, in: groups, network: network)
            guard !context.metadata.tellsNames else { return nil }
            return try withState { state in
                let keys = try state.group(context.group).keys
                return try signedInByName(at: context.provider.environment, in: keys).isEmpty
                    ? context.provider.host : nil
            }
        }
    }

    /// The account of a sign-in of which the provider says not whose it is.
    ///
    /// - Throws: `otherAccount` for one of which a provider has said whose it is, `ambiguous` where several could be meant,
    ///   `usage` for what no account is called.
    func nameless(_ context: SignInContext) throws(KeyringError) -> AccountID {
        let environment = context.provider.environment
        return try withState { state in
            let keys = try state.group(context.group).keys
            if let expected = context.expected {
                let known = try database.account(expected.id, in: keys) ?? expected
                return try notProved(expected.id, known, context)
            }
            if let name = context.request.name {
                guard let id = AccountID(homeAccountID: name, environment: environment) else {
                    throw KeyringError(.usage, "no account can be called so")
                }
                return try notProved(id, try database.account(id, in: keys), context)
            }
            let known = try signedInByName(at: environment, in: keys)
            guard known.count < 2 else {
                throw KeyringError(
                    .ambiguous,
                    "\(context.provider.title) does not say who signs in, and several accounts are signed in there",
                    advice: .nameAccount(known[0].id.description), candidates: known.map(\.id.description),
                    names: known.map(\.name))
            }
            if let only = known.first { return only.id }
            guard let id = AccountID(homeAccountID: context.provider.host, environment: environment) else {
                throw KeyringError(.fault, "a provider has no host")
            }
            return try notProved(id, try database.account(id, in: keys), context)
        }
    }

    private func notProved(
        _ id: AccountID, _ known: Account?, _ context: SignInContext
    ) throws -> AccountID {
        guard let known, known.isProved else { return id }
        throw KeyringError(
            .otherAccount,
            "\(context.provider.title) did not say who signed in, so that nobody knows whether it is \(known.name); "
                + "nothing was stored",
            advice: .nameAccount(nil))
    }

    /// The accounts of an environment that somebody signed in as without the provider's word for who they are.
    private func signedInByName(at environment: String, in keys: GroupKeys) throws -> [Account] {
        try database.accounts(in: keys).items.map(\.value).filter { account in
            guard !account.isProved, account.isKnownByName,
                EnvironmentAliases.areSame(account.id.environment, environment)
            else { return false }
            return try [Credential.Kind.refreshToken, .accessToken].contains { kind in
                try database.credentials(kind, of: account.id, in: keys).items
                    .contains { $0.value.clientID != Credential.noClient }
            }
        }
    }
}

extension ProviderDescription {
    /// The host of its environment.
    var host: String { ResourceURL.host(ofEnvironment: environment) }
}
