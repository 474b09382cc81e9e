internal import KeyfobFiles
internal import KeyfobOAuth
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobVault

/// How far a sign-out reaches.
public enum SignOutReach: String, Hashable, Sendable, CaseIterable {
    /// The tokens of one client in one group.
    case client
    /// Those of all clients of the account in the group.
    case everywhere
    /// Those, and the account.
    case forget
}

extension Keyring.Accounts {
    /// Signs an account out: its refresh tokens are revoked at the provider (RFC 7009), its tokens removed, and its
    /// grants marked, so that a refresh that is under way cannot bring them back.
    ///
    /// A provider that cannot be reached does not keep anybody signed in here; the report says what it still holds.
    /// ``Keyring/undo`` brings back what went, except a sign-in that the provider has revoked: no group within reach keeps any
    /// token of its client and its family, from this command or an earlier one.
    ///
    /// It waits on threads of Keyfob's own; see ``Keyring``.
    ///
    /// - Parameters:
    ///   - account: Who.
    ///   - clientID: The client; nil where the account has only one, or for all of them.
    ///   - reach: How far.
    ///   - endsBrowserSession: Whether to give the address that ends the browser's session.
    ///   - network: Nil to tell nobody.
    /// - Throws: `noSuchAccount`, `noSuchClient`, `ambiguous` where several clients are signed in, and what writing can throw.
    public func signOut(
        _ account: AccountID, clientID: String? = nil, reach: SignOutReach = .client, from group: AccessGroup,
        endsBrowserSession: Bool = false, network: Network?
    ) async throws(KeyringError) -> SignOutReport {
        try await signOut(
            account, clientID: clientID, reach: reach, from: group, endsBrowserSession: endsBrowserSession,
            undo: .keep(keyring.undo.command("sign-out")), network: network)
    }

    /// The same, with a choice of what is kept for ``Keyring/undo``.
    ///
    /// - Throws: as ``signOut(_:clientID:reach:from:endsBrowserSession:network:)``.
    public func signOut(
        _ account: AccountID, clientID: String? = nil, reach: SignOutReach = .client, from group: AccessGroup,
        endsBrowserSession: Bool = false, undo policy: UndoPolicy, network: Network?
    ) async throws(KeyringError) -> SignOutReport {
        try await StoreCall.run { () async throws(KeyringError) in
            try await signedOut(
                account, clientID, reach, from: group, endsBrowserSession: endsBrowserSession, policy, network)
        }
    }

    private func signedOut(
        _ account: AccountID, _ clientID: String?, _ reach: SignOutReach, from group: AccessGroup,
        endsBrowserSession: Bool, _ policy: UndoPolicy, _ network: Network?
    ) async throws(KeyringError) -> SignOutReport {
        let held = try heldTokens(of: account, in: group)
        let clientID = try held.client(clientID, reach)
        let realm = held.account.homeRealm
        let provider = try keyring.providers.description(
            forEnvironment: account.environment, tenant: realm, policy: account.policy, in: [group])
        var metadata: ProviderMetadata?
        // Whether the provider was asked what it offers.
        var isKnown = true
        var network = network
        if let plain = network, let provider { network = (try? plain.serving(provider)) ?? plain }
        if let network, let provider {
            let found = try? await keyring.providers.metadata(of: provider, in: group, network: network)
            metadata = found ?? provider.configuredMetadata
            isKnown = found != nil || metadata?.endpoints[.revocation] != nil
        }
        var endSession: EndpointURL?
        if endsBrowserSession, let metadata {
            endSession = EndSession.url(metadata, clientID: clientID, logoutHint: held.account.username)
        }
        var plan = SignOutPlan(
            clientID: clientID, reach: SignOutPlan.Reach(reach), targets: held.grants.map { $0.target },
            provider: metadata, hasNetwork: network != nil && metadata != nil && isKnown, endSession: endSession)
        var revoked: [HeldGrant] = []
        var report = (clients: [String](), url: String?.none)
        var (late, undo): ([HeldGrant], UndoOffer?) = ([], nil)
        for step in plan.steps {
            switch step {
            case .revoke(let target):
                guard let network, let metadata, let provider,
                    let grant = held.grants.first(where: { $0.target == target })
                else { continue }
                let outcome = await revoke(grant, provider, metadata, group, network)
                if case .revoked = outcome { revoked.append(grant) }
                plan.note(outcome, for: target)
            case .markSignedOut(let clients):
                // Of some clients only access tokens are here.
                report.clients = reach == .client ? clients : Set(clients).union(held.clients).sorted()
                report.clients.removeAll { $0.isEmpty }
                (late, undo) = try signOut(held, report.clients, reach, in: group, policy, revoked: revoked)
            case .openEndSession(let url): report.url = url.text
            case .removeCredentials, .removeAccount: break
            }
        }
        // A refresh that ended between reading and marking has left another refresh token.
        for grant in late {
            guard let network, let metadata, let provider, metadata.endpoints[.revocation] != nil else { break }
            let outcome = await revoke(grant, provider, metadata, group, network)
            plan.note(outcome, for: grant.target)
            guard case .revoked = outcome else { continue }
            revoked.append(grant)
            undo = try forget(revoked, undo, of: policy, in: group, held.account)
        }
        var notes = plan.notes.map { $0.warning(of: held, at: provider) }
        if endsBrowserSession, report.url == nil {
            notes.append(Warning(.notRevoked, "the provider has no address that ends the browser's session"))
        }
        return SignOutReport(
            account: held.account, clients: report.clients, revoked: revoked.count, notes: notes,
            endSessionURL: report.url, undo: undo,
            tokens: held.fates(of: reach == .client ? report.clients : nil, revoked, now: clock.now))
    }

    /// Marks, removes and forgets in one transaction, which writes down what can be undone too.
    ///
    /// - Returns: The refresh tokens that went and that nobody had read before.
    private func signOut(
        _ held: HeldTokens, _ clients: [String], _ reach: SignOutReach, in name: AccessGroup, _ policy: UndoPolicy,
        revoked: [HeldGrant]
    ) throws(KeyringError) -> (late: [HeldGrant], undo: UndoOffer?) {
        let forgets = reach == .forget
        let ends = forgets || held.grants.contains { $0.token != nil } || !held.accessTokens.isEmpty
        let (run, lasting) = (
            keyring.entry("logout"), LastingChange(forgets ? .accountRemoved : .signedOut, held.account.name)
        )
        // The provider has been told already.
        if !revoked.isEmpty { Patience.ofCall?.renew(adding: GrantRefresh.storePatience) }
        return try withState { state in
            let group = try state.group(name)
            var late: [HeldGrant] = []
            let groups = try reached(everywhere: policy == .erase || !revoked.isEmpty, from: group, &state)
            let ended = EndedTokens(of: revoked)
            let undo = try change(&state, groups) { writers in
                let writer = writers[0]
                for writer in writers { try writer.eraseFromJournal(ended) }
                if policy == .erase {
                    let all = EndedTokens(
                        of: held.account.id, clients: reach == .client ? Set(clients) : nil, isWhole: reach != .client)
                    for other in writers.dropFirst() { try other.eraseFromJournal(all) }
                }
                return try writer.keeping(
                    policy, of: held.account.id, clients: reach == .client ? Set(clients) : nil,
                    run: run, noting: ends ? lasting : nil,
                    leavingOut: { ended.covers($0) }
                ) { writer in
                    if forgets { try writer.noteRemoval(of: held.account.id) }
                    for client in clients {
                        try writer.signOut(client, of: held.account.id, leavesMark: !forgets) { token, secret in
                            guard !held.grants.contains(where: { $0.isSame(token) }) else { return }
                            let copy = secret.withBytes { SecretBytes(copying: $0) }
                            late.append(HeldGrant(credential: token, token: HeldToken(copy)))
                        }
                    }
                    try writer.removeTokens(of: held.account.id) { clients.contains($0.clientID) || forgets }
                    guard forgets else { return }
                    _ = try writer.remove(held.account.id, isNoted: true)
                    try writer.forgetPermissions(for: held.account.id)
                }
            }
            return (late, undo)
        }
    }

    /// Takes sign-ins that were revoked after all out of what is kept for an undo.
    ///
    /// - Returns: How the rest comes back; nil where there is none.
    private func forget(
        _ revoked: [HeldGrant], _ undo: UndoOffer?, of policy: UndoPolicy, in name: AccessGroup, _ account: Account
    ) throws(KeyringError) -> UndoOffer? {
        try withState { state in
            let groups = try reached(everywhere: true, from: try state.group(name), &state)
            return try change(&state, groups) { writers in
                for writer in writers { try writer.eraseFromJournal(EndedTokens(of: revoked)) }
                guard let undo, case .keep(let command) = policy else { return undo }
                guard try writers[0].removeEmptyEntry(command.entry) else { return undo }
                try writers[0].note(JournalAct(LastingChange(.signedOut, account.name)), of: command.entry)
                return nil
            }
        }
    }

    private func revoke(
        _ grant: HeldGrant, _ provider: ProviderDescription, _ metadata: ProviderMetadata, _ group: AccessGroup,
        _ network: Network
    ) async -> RevocationOutcome {
        guard let endpoint = metadata.endpoints[.revocation], let token = grant.token?.unbound().token else {
            return .revoked
        }
        let client: OAuthClient
        do {
            client = try keyring.clients.oauthClient(
                id: grant.credential.clientID, environment: provider.environment, in: [group]
            ).adapted(to: metadata, signer: network.assertions(clock))
        } catch {
            // A secret that is damaged keeps nobody signed in.
            client = OAuthClient(id: grant.credential.clientID)
        }
        if !metadata.revokesByBearer(client) {
            let message = TokenRequests.revoke(token.secret, kind: .refreshToken, client: client, at: endpoint)
            let (outcome, wantsBearer) = await send(message, network)
            guard wantsBearer, client.authentication == .none else { return outcome }
        }
        return await revokeByBearer(grant, token, client, provider, metadata, group, network)
    }

    /// Revokes with an access token of the sign-in, the one that is stored or, where that has expired, a last new one.
    private func revokeByBearer(
        _ grant: HeldGrant, _ token: HeldToken, _ client: borrowing OAuthClient, _ provider: ProviderDescription,
        _ metadata: ProviderMetadata, _ group: AccessGroup, _ network: Network
    ) async -> RevocationOutcome {
        guard let endpoint = metadata.endpoints[.revocation], let tokenEndpoint = metadata.endpoints[.token],
            tokenEndpoint.isOfCloud(provider.environment)
        else { return .failed(.unexpectedStatus(401)) }
        if let access = livingAccessToken(of: grant.credential, in: group) {
            let message = TokenRequests.revoke(
                token.secret, kind: .refreshToken, bearer: access.secret, at: endpoint)
            return await send(message, network).outcome
        }
        let scopes = provider.quirks.contains(.multipleResources) ? provider.defaultScopes : []
        let message = TokenRequests.refresh(
            token.secret, scopes: scopes, client: client, at: tokenEndpoint, extra: provider.tokenFields)
        let response: HTTPResponse
        switch await network.send(message, 20) {
        case .answered(let answer): response = answer
        case .failed(let failure): return .failed(failure)
        }
        switch TokenOutcome(response, now: clock.now) {
        // A token that is refused is none to revoke.
        case .failed(.invalidGrant): return .revoked
        case .failed(let failure): return .failed(failure)
        case .tokens(let tokens):
            let newest =
                tokens.withRefreshToken { HeldToken($0.withBytes { SecretBytes(copying: $0) }) } ?? token
            let message = TokenRequests.revoke(
                newest.secret, kind: .refreshToken, bearer: tokens.accessToken, at: endpoint)
            return await send(message, network).outcome
        }
    }

    private func send(
        _ message: consuming HTTPRequest, _ network: Network
    ) async -> (outcome: RevocationOutcome, wantsBearer: Bool) {
        switch await network.send(message, 20) {
        case .answered(let response):
            let challenge = response.status == 401 ? response.header("WWW-Authenticate") : nil
            let wantsBearer = challenge.map { Identifier.folded(String($0.prefix(6))) == "bearer" } ?? false
            return (RevocationOutcome(response, now: clock.now), wantsBearer)
        case .failed(let failure): return (.failed(failure), false)
        }
    }

    /// The access token of a client that is valid for longest; nil where none is for another minute.
    private func livingAccessToken(of grant: Credential, in name: AccessGroup) -> HeldToken? {
        let now = clock.now
        return try? withState { state -> HeldToken? in
            let keys = try state.group(name).keys
            let items = try database.credentials(.accessToken, of: grant.account, in: keys).items
            let living = items.filter { item in
                item.value.clientID == grant.clientID && item.record.secretCommitment != nil && !item.value.isBound
                    && (item.value.expiresOn.map { $0 > now.advanced(by: 60) } ?? false)
            }
            let latest = living.max { ($0.value.expiresOn ?? now) < ($1.value.expiresOn ?? now) }
            return try latest.map { HeldToken(try database.secret(of: $0.record, in: keys)) }
        } ?? nil
    }

    /// The tokens of an account that a sign-out takes and that nobody can get again by signing in: added by hand or imported,
    /// or of a provider that is not known here.
    ///
    /// - Throws: as ``list(in:)``, and `noSuchAccount`.
    public func lastCopies(
        of account: AccountID, clientID: String? = nil, reach: SignOutReach = .client, in group: AccessGroup
    ) throws(KeyringError) -> [Credential] {
        let held = try heldTokens(of: account, in: group)
        let canSignIn =
            try keyring.providers.description(
                forEnvironment: account.environment, tenant: held.account.homeRealm, policy: account.policy, in: [group]
            ) != nil
        let now = clock.now
        return held.accessTokens.filter { token in
            let isMeant = reach != .client || clientID == nil || token.clientID == clientID
            let isRenewed = held.grants.contains { $0.credential.clientID == token.clientID && $0.token != nil }
            return isMeant && !isRenewed && token.isValid(now: now, minimumValidity: 0)
                && (token.clientID == Credential.noClient || !canSignIn)
        }
    }

    private func heldTokens(of id: AccountID, in name: AccessGroup) throws(KeyringError) -> HeldTokens {
        try withState { state in
            let group = try state.group(name)
            guard let account = try database.account(id, in: group.keys) else {
                throw KeyringError(.noSuchAccount, "there is no account \(id) in group '\(name)'")
            }
            var held = HeldTokens(account: account)
            for item in try database.credentials(.refreshToken, of: id, in: group.keys).items {
                let hasSecret = item.record.secretCommitment != nil
                let token = hasSecret ? HeldToken(try database.secret(of: item.record, in: group.keys)) : nil
                held.grants.append(HeldGrant(credential: item.value, token: token))
            }
            held.accessTokens = try database.credentials(.accessToken, of: id, in: group.keys).items.map(\.value)
            held.clients = try database.foreignClients(of: id, in: group.keys)
            held.clients.formUnion((held.accessTokens + held.grants.map(\.credential)).map(\.clientID))
            return held
        }
    }
}

/// A refresh token that a sign-out is about.
private struct HeldGrant: Sendable {
    let credential: Credential
    let token: HeldToken?

    var isOfFamily: Bool { credential.familyID != nil }

    /// Whether `other` is what was read.
    func isSame(_ other: Credential) -> Bool {
        GrantKey(credential) == GrantKey(other)
            && (credential.grant ?? Grant()).version == (other.grant ?? Grant()).version
    }

    /// Whether a token is this one, or came with it: a provider that revokes the refresh token ends both (RFC 7009,
    /// section 2.1).
    func covers(_ token: Credential) -> Bool {
        guard token.account == credential.account else { return false }
        return token.kind == .refreshToken ? isSame(token) : token.clientID == credential.clientID
    }

    var target: SignOutPlan.Target {
        SignOutPlan.Target(
            clientID: credential.clientID, familyID: credential.familyID,
            version: (credential.grant ?? Grant()).version, hasSecret: token != nil)
    }
}

extension EndedTokens {
    /// All that the journal may have of sign-ins that were revoked.
    fileprivate init(of revoked: [HeldGrant]) {
        self.init()
        for grant in revoked { insert(grant.credential) }
    }
}

/// What an account has in a group.
private struct HeldTokens: Sendable {
    let account: Account
    var grants: [HeldGrant] = []
    var accessTokens: [Credential] = []
    var clients: Set<String> = []

    /// The client to sign out: the one named, or the only one.
    func client(_ named: String?, _ reach: SignOutReach) throws(KeyringError) -> String {
        if let named {
            // A client of a family may have nothing of its own yet.
            guard clients.contains(named) || grants.contains(where: \.isOfFamily) else {
                throw KeyringError(
                    .noSuchClient, "\(account.name) is not signed in to a client '\(named)'",
                    advice: .listAccountClients, candidates: clients.sorted())
            }
            return named
        }
        let active = Set(grants.filter { $0.credential.grant?.state != .signedOut }.map(\.credential.clientID))
        let names = (active.isEmpty ? clients : active).sorted()
        guard names.count < 2 || reach != .client else {
            throw KeyringError(
                .ambiguous, "\(account.name) is signed in to \(names.count) clients",
                advice: .chooseClientOrAll, candidates: names)
        }
        return names.first ?? ""
    }
}

extension HeldTokens {
    /// What becomes of the tokens at the provider.
    ///
    /// - Parameter clients: Whose tokens went; nil for all.
    func fates(of clients: [String]?, _ revoked: [HeldGrant], now: Timestamp) -> [SignedOutToken] {
        let isMeant = { (token: Credential) in clients?.contains(token.clientID) ?? true }
        let refreshTokens = grants.filter { $0.token != nil && isMeant($0.credential) }.map { grant in
            SignedOutToken(grant.credential, revoked.contains { $0.isSame(grant.credential) } ? .revoked : .staysValid)
        }
        let tokens = accessTokens.filter { isMeant($0) && !$0.isRole && $0.expiresOn.map { $0 > now } ?? true }
        return refreshTokens
            + tokens.map { token in
                SignedOutToken(token, revoked.contains { $0.covers(token) } ? .mayStayValid : .staysValid)
            }
    }

    /// Until when the refresh token of a client is good, in words.
    func end(of clientID: String) -> String {
        let end = grants.filter { $0.credential.clientID == clientID }.compactMap(\.credential.expiresOn).max()
        return end.map { "until \($0.rfc3339)" } ?? "until it expires"
    }
}

extension SignOutPlan.Reach {
    fileprivate init(_ reach: SignOutReach) {
        self =
            switch reach {
            case .client: .client
            case .everywhere: .everywhere
            case .forget: .forget
            }
    }
}

extension SignOutPlan.Note {
    fileprivate func warning(of held: HeldTokens, at provider: ProviderDescription?) -> Warning {
        switch self {
        case .revocationNotOffered(let client):
            Warning(
                .notRevoked,
                "the provider names no place to revoke tokens: the refresh token of \(client) stays good "
                    + held.end(of: client),
                advice: provider.flatMap { BuiltInProviders.named($0.name) } == nil ? .addRevocationEndpoint : nil)
        case .sharedByFamily(let client):
            Warning(
                .notRevoked, "the refresh token of \(client) was not revoked: other clients of its family use it")
        case .notRevokedOffline(let client):
            Warning(
                .notRevoked,
                "the provider was not told: the refresh token of \(client) stays good \(held.end(of: client))")
        case .revocationFailed(let client, let failure):
            Warning(
                .notRevoked,
                "the refresh token of \(client) could not be revoked and stays good \(held.end(of: client)): \(failure)"
            )
        }
    }
}
