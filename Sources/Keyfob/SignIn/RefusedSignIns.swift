internal import KeyfobOAuth
internal import KeyfobRecords
internal import KeyfobVault

extension Keyring {
    /// A refused request for a token that is remembered on this machine, and how a person continues.
    public struct RememberedRefusal: Hashable, Sendable {
        /// What was asked for, how far the refusal reaches, and when it came.
        public let verdict: RefusalVerdict
        /// The account's group.
        public let group: AccessGroup
        /// How a person continues; nil where nothing is known to help.
        public let continuation: Continuation?
        /// What the provider said: one line.
        public let message: String

        /// Whether the provider is not asked for the same at `now`.
        public func isPaused(at now: Timestamp) -> Bool { verdict.time <= now && now < verdict.pausedUntil }
    }
}

extension Keyring.SignIns {
    /// The refused requests of an account that are remembered on this machine, the latest first.
    ///
    /// - Throws: `noSuchGroup`, `groupNotGranted`, and what reading can throw.
    public func refusals(
        of account: AccountID, in group: AccessGroup
    ) throws(KeyringError) -> [Keyring.RememberedRefusal] {
        let found = try withState { state in
            let group = try state.group(group)
            let tokens = try database.credentials(.refreshToken, of: account, in: group.keys).items.map(\.value)
            return (group.name, try database.account(account, in: group.keys), tokens)
        }
        guard let known = found.1 else { return [] }
        return remembered(among: found.2, of: known, in: found.0)
    }

    /// How the refused request of this name is continued.
    ///
    /// The name is only that: what is continued is read from the vault, and only whoever holds the group's key has written it
    /// there. It is kept for an hour.
    ///
    /// - Parameter groups: The groups to look through; nil for all within reach.
    /// - Throws: `usage` where none has the name, `ambiguous` where several groups have, and as ``Keyring/Accounts/list(in:)``.
    public func continued(
        _ id: String, in groups: [AccessGroup]? = nil
    ) throws(KeyringError) -> (request: SignInRequest, refusal: Keyring.RememberedRefusal) {
        let found = try withState { state in
            try state.groups(groups).map { group in
                let tokens = try database.credentials(.refreshToken, in: group.keys).items.map(\.value)
                    .filter { $0.grant?.refusals.contains { $0.id == id } ?? false }
                let account = try tokens.first.flatMap { try database.account($0.account, in: group.keys) }
                return (group.name, account, tokens)
            }
        }
        var matching: [(request: SignInRequest, refusal: Keyring.RememberedRefusal)] = []
        for (group, account, tokens) in found {
            guard let account else { continue }
            let refusals = remembered(among: tokens, of: account, in: group)
            guard let refusal = refusals.first(where: { $0.verdict.id == id }), let continuation = refusal.continuation
            else { continue }
            var request = SignInRequest(provider: continuation.provider)
            request.clientID = continuation.clientID
            request.tenant = continuation.tenant
            request.scopes = continuation.scopes
            request.claims = continuation.claims
            request.account = account.id
            request.bindsTokens = tokens.contains { $0.account == account.id && $0.isProved }
            matching.append((request, refusal))
        }
        // The name is what whoever has a group's key wrote there: of two groups it means neither.
        guard matching.count < 2 else {
            throw KeyringError(
                .ambiguous, "several groups have a refused request '\(id)'",
                advice: .chooseGroup(such: matching[0].refusal.group),
                candidates: matching.map(\.refusal.group.name), names: [])
        }
        if let only = matching.first { return only }
        throw KeyringError(
            .usage, "no refused request is called '\(id)' here; each can be continued for an hour",
            advice: .listAccounts)
    }

    private func remembered(
        among tokens: [Credential], of account: Account, in group: AccessGroup
    ) -> [Keyring.RememberedRefusal] {
        let now = clock.now
        return tokens.filter { $0.account == account.id }.flatMap { $0.grant?.refusals ?? [] }
            .filter { $0.isKept(at: now) }.sorted { $0.time > $1.time }
            .map { verdict in
                Keyring.RememberedRefusal(
                    verdict: verdict, group: group, continuation: continuation(verdict, account, group),
                    message: verdict.judged.failure.description)
            }
    }

    private func continuation(
        _ verdict: RefusalVerdict, _ account: Account, _ group: AccessGroup
    ) -> Continuation? {
        guard let remedy = verdict.remedy else { return nil }
        return continuation(
            remedy, verdict.request, of: account, at: account.id.environment, in: group, id: verdict.id,
            claims: verdict.answer.claims)
    }

    /// How a person continues a request: all that a sign-in has to repeat.
    ///
    /// - Parameter claims: Those that the provider asks for, which go before those of the request.
    func continuation(
        _ remedy: RefusalRemedy, _ request: RefusedRequest, of account: Account, at environment: String,
        in group: AccessGroup, id: String?, claims: String?
    ) -> Continuation {
        let hasTenants = EnvironmentAliases.isMicrosoft(environment) && !request.tenant.isEmpty
        let client = request.clientID
        let isUsable =
            !client.isEmpty && client != Credential.noClient
            && !((try? keyring.clients.isRemoved(client, at: environment, in: group)) ?? false)
        let hasSeveralGroups = (try? withState { $0.vault.groups.count > 1 }) ?? false
        return Continuation(
            remedy, id: id, provider: environment, account: account.id.description,
            name: keyring.accounts.naming(for: account).briefTyped(account), group: hasSeveralGroups ? group : nil,
            tenant: hasTenants ? request.tenant : nil, clientID: isUsable ? client : nil, scopes: request.scopes,
            claims: claims ?? request.claims)
    }
}
