internal import Glibc
internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobOAuth
internal import KeyfobRecords
internal import KeyfobVault

/// Executes one refresh: does what a ``RefreshTransaction`` says, and tells it what came of it.
struct GrantRefresh: Sendable {
    let keyring: Keyring
    let plan: TokenRequestSnapshot
    /// Whose refresh token is used.
    let source: TokenIdentity.Source
    let key: GrantKey
    let acquisition: TokenAcquisition
    let provider: ProviderDescription
    let metadata: ProviderMetadata
    let network: Network
    /// The other groups that may hold the very refresh token, so that whatever becomes of it becomes of theirs.
    var sharedWith: [GroupID] = []
    /// Where machines take turns whose sync has this place.
    var turns: @Sendable (_ remote: String) -> RefreshTurns? = { _ in nil }

    /// The longest wait for a token, and for the discovery document before it, in seconds.
    static let deadline: Int64 = 30
    static let discoveryDeadline: Int64 = 10
    /// The same where a stored access token is still good.
    static let shortDeadline: Int64 = 10
    static let shortDiscoveryDeadline: Int64 = 3
    /// The longest wait for others who refresh the same grant, in seconds: by then they have a token, or know why not.
    static let patience: Int64 = 35
    /// The same where a stored access token is still good: it is not held up by a process that has stopped.
    static let shortPatience: Int64 = 1
    /// How much longer than usual is waited for whoever has the vault, where a provider's answer is to be stored.
    static let storePatience: Duration = .seconds(25)

    /// How it ended, and what came.
    struct Outcome: Sendable {
        let result: RefreshResult
        let received: ReceivedTokens?
        /// The token that another process has got meanwhile, as it was found under the lock.
        let adopted: TokenHits.Hit?
        /// Why the store failed, where it did.
        let failure: KeyringError?
    }

    /// What is held from one step to the next.
    struct Progress: ~Copyable {
        var lock: GrantLock?
        /// Whether somebody else held it first.
        var wasWaitedFor = false
        var token: HeldToken?
        /// Whether the refresh token goes to other machines too.
        var travels = false
        var received: ReceivedTokens?
        /// The refresh token of an answer of which nothing else can be used.
        var kept: HeldToken?
        /// What the tokens that came are for, where they came of a probe.
        var probe: Purpose?
        var adopted: TokenHits.Hit?
        var failure: KeyringError?
        /// From the intent to what came of it nobody ends the process but by force.
        var defersSignals = false
    }

    /// Runs `transaction` to its end.
    func run(
        _ transaction: consuming RefreshTransaction, client: borrowing OAuthClient
    ) async -> Outcome {
        var progress = Progress()
        var transaction = transaction
        while true {
            let step = transaction.next
            RefreshObservation.willTake(step)
            if case .finished(let result) = step {
                return Outcome(
                    result: result, received: progress.received, adopted: progress.adopted, failure: progress.failure)
            }
            let event = await take(step, &progress, client)
            transaction.receive(event, now: keyring.clock.now)
        }
    }

    private func take(
        _ step: RefreshStep, _ progress: inout Progress, _ client: borrowing OAuthClient
    ) async -> RefreshEvent {
        switch step {
        case .acquireLock: return await acquireLock(&progress)
        case .sendRequest: return await send(&progress, client)
        case .sendProbe(_, let scopes): return await sendProbe(scopes, &progress, client)
        case .revokeReceived:
            if let received = progress.received { await revoke(received, client) }
            return .done
        case .releaseLock:
            progress.lock = nil
            if progress.defersSignals { DeferredSignals.end() }
            progress.defersSignals = false
            return .done
        case .finished: return .done
        default: return store(step, &progress)
        }
    }

    /// Does a step that reads or writes the store.
    private func store(_ step: RefreshStep, _ progress: inout Progress) -> RefreshEvent {
        // What the provider has said or given is not to be had again; what was not served before the request is past.
        if step.followsRequest { Patience.ofCall?.renew(adding: Self.storePatience) }
        do {
            switch step {
            case .readGrant:
                var grant = try read(&progress)
                grant.wasWaitedFor = progress.wasWaitedFor
                return .grant(grant)
            case .writeIntent(let intent):
                if !progress.defersSignals { DeferredSignals.begin() }
                progress.defersSignals = true
                return try write(intent)
            case .commit(let commit):
                guard let received = progress.received else { return .storeFailed }
                return try write(commit, received, progress.probe ?? purpose)
            case .keepRefreshToken(let commit, let failure):
                guard let kept = progress.kept else { return .storeFailed }
                return try keep(kept, commit, failure)
            case .endIntent(let id, let failure, let mayBeUsedUp): return try end(id, failure, mayBeUsedUp: mayBeUsedUp)
            case .recordRefusal(let changes, let failure, let id, let mayBeUsedUp):
                return try record(changes, failure, id, mayBeUsedUp: mayBeUsedUp)
            default: return .storeFailed
            }
        } catch {
            progress.failure = error
            return .storeFailed
        }
    }

    // MARK: The lock

    private func acquireLock(_ progress: inout Progress) async -> RefreshEvent {
        let number = key.lockNumber(vault: keyring.vaultID)
        let clock = ContinuousClock()
        let end = clock.now.advanced(
            by: .seconds(plan.canWait(acquisition.options) ? Self.shortPatience : Self.patience))
        var pause = 2
        while true {
            do {
                if let lock = try GrantLock.attempt(keyring.database.directory.refreshLock, grant: number) {
                    progress.lock = consume lock
                    return .lockAcquired
                }
            } catch {
                progress.failure = KeyringError(error)
                return .storeFailed
            }
            progress.wasWaitedFor = true
            if clock.now > end || Task.isCancelled { return .lockUnavailable }
            await Self.rest(milliseconds: pause)
            pause = min(25, pause * 2)
        }
    }

    /// Waits without keeping the thread, unless there is no other to wake it.
    static func rest(milliseconds: Int) async {
        if PreferredExecutor.executor == nil {
            try? await Task.sleep(for: .milliseconds(milliseconds))
        } else {
            usleep(UInt32(milliseconds) * 1_000)
        }
    }

    // MARK: The provider

    /// Redeems the refresh token, unless another machine that shares it has an access token to give.
    private func send(_ progress: inout Progress, _ client: borrowing OAuthClient) async -> RefreshEvent {
        guard progress.travels, let used = progress.token, var shared = SharedRefresh(self, used.secret) else {
            return await redeem(&progress, client)
        }
        // Whoever interrupts the wait loses nothing: such a refresh token is not replaced.
        if progress.defersSignals { DeferredSignals.end() }
        let taken = await shared.begin()
        if progress.defersSignals { DeferredSignals.begin() }
        if let taken {
            noteIntent()
            progress.received = taken
            return .answered(replacesRefreshToken: false)
        }
        let event = await redeem(&progress, client)
        await shared.end(telling: progress.received)
        return event
    }

    private func redeem(_ progress: inout Progress, _ client: borrowing OAuthClient) async -> RefreshEvent {
        // The request waits for the intent to be durable, and not for what is noted of it.
        async let noted: Void = noteIntent()
        let event = await redeem(&progress, client, for: purpose, by: metadata)
        await noted
        return event
    }

    /// Redeems the refresh token for something, at the tenant that `metadata` is of.
    func redeem(
        _ progress: inout Progress, _ client: borrowing OAuthClient, for purpose: Purpose, by metadata: ProviderMetadata
    ) async -> RefreshEvent {
        guard let used = progress.token, let endpoint = try? metadata.require(.token) else { return .storeFailed }
        let (token, key) = used.unbound()
        var sending = ClientExchange(adapted(client, to: metadata), metadata, network, keyring.clock, key: key)
        let asked = AskedScopes(scopesToSend(for: purpose), at: provider)
        let extra = provider.tokenFields + asked.fields + (purpose.claims.map { [("claims", $0)] } ?? [])
        let sentAt = keyring.clock.now
        let response: HTTPResponse
        let exchange = await sending.send(isKept: true) { client in
            TokenRequests.refresh(token.secret, scopes: asked.scopes, client: client, at: endpoint, extra: extra)
        }
        if sending.hasLearned {
            keyring.clients.keepMethod(of: sending.client, at: provider.environment, in: plan.group)
        }
        switch consume exchange {
        case .answered(let answer): response = answer
        case .failed(let failure): return .failed(failure)
        }
        switch TokenOutcome(response, hasProof: key != nil, now: keyring.clock.now) {
        case .failed(let failure):
            guard source == .own, case .protocolViolation = failure, response.status == 200,
                let new = TokenResponse.refreshToken(in: response.body), !new.isEqual(to: token.secret)
            else { return .failed(failure) }
            progress.kept = HeldToken(new).bound(to: key)
            return .failedButReplaced(failure)
        case .tokens(let tokens):
            if key != nil, !tokens.details.isBound {
                // Nobody who signed in so is to be left with tokens that are of use to whoever finds them.
                let failure = ProviderFailure.protocolViolation(.unboundToken, status: response.status)
                let isNew = tokens.withRefreshToken { !$0.isEqual(to: token.secret) } ?? false
                guard isNew, source == .own, let new = tokens.heldRefreshToken() else { return .failed(failure) }
                progress.kept = new.bound(to: key)
                return .failedButReplaced(failure)
            }
            let signedIn: SignedInAccount?
            switch holder(of: tokens, by: metadata) {
            case .them(let own): signedIn = own
            case .somebodyElse: return .failed(.protocolViolation(.otherAccount, status: response.status))
            }
            let replaces = tokens.withRefreshToken { !$0.isEqual(to: token.secret) } ?? false
            if let signedIn, !purpose.admits(signedIn.profile.realm) {
                // The new refresh token is theirs, whatever tenant the rest is of.
                let failure = ProviderFailure.protocolViolation(.otherTenant, status: response.status)
                guard replaces, source == .own, let new = tokens.heldRefreshToken() else { return .failed(failure) }
                progress.kept = new.bound(to: key)
                return .failedButReplaced(failure)
            }
            let isSound = hasSoundIDToken(tokens, by: metadata)
            let identity = sending.client.identity(ofTokens: tokens, wereBound: plan.own?.isCertified == true)
            progress.received = ReceivedTokens(
                tokens, sentAt: sentAt, replacesRefreshToken: replaces, hasSoundIDToken: isSound, key: key,
                identity: identity, profile: isSound ? signedIn?.profile : nil,
                username: isSound ? signedIn?.provedUsername : nil)
            return .answered(replacesRefreshToken: replaces)
        }
    }

    /// Fewer scopes than were granted may narrow the grant for good, so they are named only where each request has to.
    func scopesToSend(for purpose: Purpose) -> ScopeSet {
        guard provider.quirks.contains(.multipleResources) else { return [] }
        let asked = purpose.scopes
        let scopes = asked.isEmpty ? provider.defaultScopes.scopes : asked.scopes + provider.signInScopes
        return provider.withAccessToken(ScopeSet(scopes), clientID: plan.clientID ?? key.clientID)
    }

    /// Whether the ID token of an answer is this provider's for this client (OpenID Connect Core, section 12.2).
    ///
    /// It came straight from the token endpoint, so that TLS stands for its signature (section 3.1.3.7, number 6).
    private func hasSoundIDToken(_ tokens: borrowing TokenResponse, by metadata: ProviderMetadata) -> Bool {
        guard let token = tokens.withIDToken({ try? IDToken(reading: $0) }) ?? nil, let issuer = metadata.issuer else {
            return false
        }
        let expectation = IDTokenExpectation(issuer: issuer, clientID: plan.clientID ?? key.clientID)
        return (try? expectation.check(token, now: keyring.clock.now)) != nil
    }

    /// Whom an answer is about.
    private enum Holder {
        /// The account that was asked for, as a tenant sees it where the answer says so.
        case them(SignedInAccount?)
        case somebodyElse
    }

    /// Whether the answer is about the account that was asked for, as far as it says whom it is about.
    private func holder(of tokens: borrowing TokenResponse, by metadata: ProviderMetadata) -> Holder {
        guard metadata.isOpenID, let token = tokens.withIDToken({ try? IDToken(reading: $0) }) ?? nil else {
            return .them(nil)
        }
        let environment = plan.account.id.environment
        guard
            let signedIn = SignedInAccount(
                token.claims, clientInfo: tokens.details.clientInfo, environment: environment,
                quirks: provider.quirks)
        else { return .somebodyElse }
        // Another id under the same name is for a sign-in that the person watches.
        if signedIn.id == plan.account.id { return .them(signedIn) }
        guard tokens.details.clientInfo == nil, EnvironmentAliases.isMicrosoft(environment) else {
            return .somebodyElse
        }
        // In a guest tenant, without client_info, the home account id is not told; the one there may be known.
        let realm = Identifier.folded(signedIn.profile.realm)
        let known = plan.account.tenantProfiles.first { Identifier.folded($0.realm) == realm }
        guard let known, !known.localAccountID.isEmpty else { return .them(signedIn) }
        return Identifier.folded(known.localAccountID) == Identifier.folded(signedIn.profile.localAccountID)
            ? .them(signedIn) : .somebodyElse
    }

    /// Revokes a refresh token that nobody will keep.
    private func revoke(_ received: ReceivedTokens, _ client: borrowing OAuthClient) async {
        guard let message = received.revocation(adapted(client, to: metadata), metadata) else { return }
        _ = await network.send(message, Self.deadline)
    }

    /// The client as it says who it is at the provider.
    private func adapted(_ client: borrowing OAuthClient, to metadata: ProviderMetadata) -> OAuthClient {
        client.adapted(to: metadata, signer: network.assertions(keyring.clock))
    }

    // MARK: The store

    private func read(_ progress: inout Progress) throws(KeyringError) -> GrantSnapshot {
        let current = try keyring.withState { state in
            try keyring.database.withSnapshot { try read(&state) }
        }
        (progress.token, progress.adopted, progress.travels) = (current.token, current.adopted, current.travels)
        return current.grant
    }

    /// What is stored, read under the lock.
    private struct Current: Sendable {
        let grant: GrantSnapshot
        var token: HeldToken?
        var adopted: TokenHits.Hit?
        var travels = false
    }

    private func read(_ state: inout Keyring.State) throws -> Current {
        let group = try state.group(of: plan)
        let found = try keyring.database.credentials(.refreshToken, of: key.account, in: group.keys)
        guard let item = found.items.first(where: { key.matches($0.value) }) else {
            return Current(grant: snapshot(of: nil))
        }
        var grant = snapshot(of: item.value)
        // That a person is not known in a tenant is so for each of their clients.
        grant.refusal = found.items.map(\.value).remembered(refused, at: keyring.clock.now)
        var here = acquisition
        here.groups = [group.name]
        let adopted = try keyring.tokens.answer(&state, here, besides: plan)
        grant.hasFreshAccessToken = adopted != nil
        // A grant without its token is none to refresh with.
        guard item.record.secretCommitment != nil else {
            if grant.state == .active { grant.state = nil }
            return Current(grant: grant, adopted: adopted)
        }
        let token = HeldToken(try keyring.database.secret(of: item.record, in: group.keys))
        let travels =
            source == .own && !item.record.header.isThisDeviceOnly && SyncTravel.isShared(item.value)
            && !item.value.isBound
        return Current(grant: grant, token: token, adopted: adopted, travels: travels)
    }

    func snapshot(of token: Credential?) -> GrantSnapshot {
        guard let token else { return GrantSnapshot(state: nil, version: GrantVersion(epoch: 0, generation: 0)) }
        let grant = token.grant ?? Grant()
        let described: Bool? =
            switch provider.rotation {
            case .yes: true
            case .no: false
            case .unknown: nil
            }
        return GrantSnapshot(
            state: grant.state, version: grant.version, rotates: grant.rotates ?? described, intent: grant.intent,
            failure: grant.failure, served: grant.served)
    }

    /// Changes the grant while it is active and has `version`; otherwise tells what it is.
    ///
    /// - Parameter body: Makes the change, and may still say that it does not fit; what it has written is kept then. In
    ///   the same transaction it makes it in each group that holds the very same refresh token; `isOwn` says which is the
    ///   account's.
    func change(
        at version: GrantVersion?, isNotedLater: Bool = false,
        _ body: (_ writer: GroupWriter, _ isOwn: Bool) throws -> RefreshEvent?
    ) throws(KeyringError) -> RefreshEvent {
        try keyring.withState { state in
            let groups = try groups(&state)
            return try keyring.change(&state, groups, isNotedLater: isNotedLater) { writers in
                let writer = writers[0]
                let token = try writer.grant(key)
                let grant = token.map { $0.grant ?? Grant() }
                if let version, grant?.version != version || grant?.state != .active {
                    return .conflict(snapshot(of: token))
                }
                guard token != nil else { return .done }
                // Before the change: afterwards the secrets differ.
                let others = try writers.dropFirst().filter { try $0.hasSameToken(key, as: writer) }
                if let event = try body(writer, true) { return event }
                for other in others { _ = try body(other, false) }
                return .done
            }
        }
    }

    /// The account's group, and those that may hold the very refresh token.
    private func groups(_ state: inout Keyring.State) throws -> [UnlockedVault.Group] {
        [try state.group(of: plan)] + sharedWith.compactMap { try? state.vault.group($0) }
    }

    private func write(_ intent: RefreshIntent) throws(KeyringError) -> RefreshEvent {
        try change(at: intent.version, isNotedLater: true) { writer, _ in
            try writer.updateGrant(key) { $0.changeGrant { $0.intent = intent.about($0.version) } }
            return nil
        }
    }

    private func noteIntent() {
        try? keyring.withState { state in
            let groups = try groups(&state)
            keyring.noteState(&state, of: groups)
        }
    }

    private func end(
        _ id: String, _ failure: RefreshFailure?, mayBeUsedUp: Bool
    ) throws(KeyringError) -> RefreshEvent {
        try change(at: nil) { writer, _ in
            try writer.updateGrant(key) { token in
                token.changeGrant { grant in
                    if !mayBeUsedUp, grant.intent?.id == id { grant.intent = nil }
                    if let failure { grant.failure = failure.about(grant.version).replacing(grant.failure) }
                }
            }
            return nil
        }
    }
}

extension RefreshStep {
    /// Whether it stores what came of a request.
    fileprivate var followsRequest: Bool {
        switch self {
        case .commit, .keepRefreshToken, .endIntent, .recordRefusal: true
        default: false
        }
    }
}

extension Credential {
    /// Changes the grant that a refresh token stands for.
    mutating func changeGrant(_ body: (inout Grant) -> Void) {
        var grant = grant ?? Grant()
        body(&grant)
        self.grant = grant
    }
}
