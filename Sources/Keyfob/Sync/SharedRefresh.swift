internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobSync
internal import KeyfobVault

/// One of the machines that share a refresh token redeems it, and the others take the access token that it has got.
///
/// Only over a place where machines take turns, and only for what travels anyway. Where the place cannot be reached, or
/// somebody takes too long, this machine goes on by itself: two that refresh at once lose nothing.
struct SharedRefresh: ~Copyable {
    private let refresh: GrantRefresh
    private let turns: RefreshTurns
    private let session: SyncSession
    private let sync: SyncID
    private let roster: SyncRoster
    private let group: SyncGroupTag
    private let key: SharedTokenKey
    private let name: [UInt8]
    private var turn: RefreshTurns.Turn?

    /// How long the first pause is between two looks, and each later one at most, in milliseconds.
    private static let pauses = 10...200

    /// Nil where this machine refreshes by itself.
    init?(_ refresh: GrantRefresh, _ token: borrowing SecretBytes) {
        // Who forces a new one, or asks for claims, wants no other's.
        guard !refresh.acquisition.ignoresStored, refresh.keyring.sync.isSetUp,
            refresh.keyring.opensWholeVault,
            let session = try? refresh.keyring.sync.openSession(), let sync = session.state.sync,
            let roster = session.roster,
            let turns = refresh.turns(session.state.remote)
        else { return nil }
        let group = session.state.tag(of: refresh.plan.group, in: sync)
        let readers = roster.readers(of: group).map(\.id)
        guard readers.contains(session.own), readers.count > 1 else { return nil }
        key = SharedTokenKey(token, in: sync)
        name = key.name(refresh.identity(in: group))
        (self.refresh, self.turns, self.sync, self.roster, self.group) = (refresh, turns, sync, roster, group)
        self.session = session
    }

    /// Waits for this machine's turn; the tokens that another one has got meanwhile.
    mutating func begin() async -> ReceivedTokens? {
        let end = ContinuousClock.now + turns.patience
        var pause = Self.pauses.lowerBound
        while let seen = await turns.look(name) {
            if let bytes = seen.token, let tokens = tokens(bytes) { return tokens }
            if !seen.isTaken {
                switch await turns.take(name, seen) {
                case .taken(let turn):
                    self.turn = turn
                    return nil
                case .refused: return nil
                case .lost: break
                }
            }
            guard ContinuousClock.now < end, !Task.isCancelled else { return nil }
            await GrantRefresh.rest(milliseconds: pause)
            pause = min(Self.pauses.upperBound, pause * 2)
        }
        return nil
    }

    /// Ends this machine's turn, and tells the others what it has got.
    consuming func end(telling received: ReceivedTokens?) async {
        guard let turn else { return }
        let told = received.flatMap { sealed($0) }
        await turns.end(name, turn, told?.bytes, told?.seconds ?? 0)
    }

    /// The tokens in what was told, where a member who shares the group has signed it and they are of use here.
    private borrowing func tokens(_ bytes: [UInt8]) -> ReceivedTokens? {
        let now = refresh.keyring.clock.now
        guard let signed = try? SyncEnvelope.open(bytes, with: session.identity),
            let token = try? SharedToken(signed), token.name == name, token.isSane(at: now),
            let signer = roster.members[token.signer], signer.revocation == nil, signer.scope.contains(group),
            signed.isSigned(by: signer.device, as: .token, in: sync), let answer = token.open(with: key),
            let response = try? TokenResponse(reading: answer), !response.hasRefreshToken(), !response.hasIDToken(),
            response.details.expiresIn == token.lifetime
        else { return nil }
        let received = ReceivedTokens(
            response, sentAt: min(token.issued, now), replacesRefreshToken: false, hasSoundIDToken: false)
        return refresh.isAnswered(by: received, now) ? received : nil
    }

    /// What others are told of tokens, and for how long; nil where they cannot use them.
    private borrowing func sealed(_ received: ReceivedTokens) -> (bytes: [UInt8], seconds: Int64)? {
        let details = received.response.details
        guard !received.replacesRefreshToken, !received.isBound, let lifetime = details.expiresIn else { return nil }
        let answer = received.response.accessAnswer()
        let token = SharedToken(
            answer, name: name, by: session.own, issued: received.sentAt, lifetime: lifetime, with: key)
        let now = refresh.keyring.clock.now
        guard token.isSane(at: now),
            let bytes = try? SyncEnvelope.seal(
                token.signed(by: session.identity, in: sync), for: roster.readers(of: group))
        else { return nil }
        return (bytes, lifetime - (now.seconds - received.sentAt.seconds))
    }
}

extension GrantRefresh {
    /// What the access token is for, as far as the request that gets it says so.
    fileprivate func identity(in group: SyncGroupTag) -> CanonicalBytes {
        var bytes = CanonicalBytes()
        bytes.append(group.bytes)
        bytes.append(key.account.canonical)
        bytes.append(key.clientID)
        bytes.append(plan.realm)
        bytes.append(metadata.endpoints[.token]?.text ?? "")
        bytes.append(scopesToSend(for: purpose).scopes.sorted().joined(separator: " "))
        return bytes
    }

    /// Whether tokens that another machine has got answer the request, and are newer than what is stored.
    fileprivate func isAnswered(by received: ReceivedTokens, _ now: Timestamp) -> Bool {
        let credential = TokenFiling(
            account: plan.account.id, clientID: plan.clientID ?? key.clientID, realm: plan.realm,
            askedScopes: plan.impliedScopes(provider), provider: provider
        ).accessToken(received)
        let isNewer = plan.stored?.cachedAt.map { received.sentAt > $0 } ?? true
        return isNewer && credential.serves(acquisition.request, at: plan.tenant)
            && credential.freshness(now: now, minimumValidity: acquisition.request.minimumValidity) == .fresh
    }
}
