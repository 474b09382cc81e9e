internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobRecords
internal import KeyfobVault

extension Keyring {
    /// Tokens: found among what is stored, or refreshed without asking anybody.
    ///
    /// ## Topics
    /// - ``acquireSilently(for:options:in:network:)``
    /// - ``stored(for:in:)``
    /// - ``lookUp(_:)``
    /// - ``store(_:secret:for:in:)``
    public struct Tokens: KeyringPart {
        let keyring: Keyring
    }
}

extension Keyring {
    /// A token, and how it was found.
    public struct TokenAnswer: ~Copyable, Sendable {
        /// The token itself.
        public let secret: SecretBytes
        /// What is known of it.
        public internal(set) var found: FoundToken

        /// A token that was found.
        package init(secret: consuming SecretBytes, found: FoundToken) {
            self.secret = secret
            self.found = found
        }
    }

    /// What is known of a token that was found.
    public struct FoundToken: Hashable, Sendable {
        /// What is known of the token.
        public let credential: Credential
        /// Whose it is.
        public let account: Account
        /// The group it is in.
        public let group: AccessGroup
        /// Whether it should be replaced although it is still valid.
        public let isAging: Bool
        /// Why the token is this account's.
        public let reason: Verdict.Reason
        /// Where the token comes from.
        public internal(set) var origin = Origin.stored
        /// Where it may be sent; nil where the request did not say where it goes.
        public internal(set) var destination: TokenDestination?

        /// What an agent says of a token that it gives.
        package init(_ credential: Credential, of account: Account, in group: AccessGroup, from origin: Origin) {
            self.init(
                credential: credential, account: account, group: group, isAging: false, reason: .explicit,
                origin: origin)
        }

        init(
            credential: Credential, account: Account, group: AccessGroup, isAging: Bool, reason: Verdict.Reason,
            origin: Origin = .stored, destination: TokenDestination? = nil
        ) {
            (self.credential, self.account, self.group) = (credential, account, group)
            (self.isAging, self.reason, self.origin, self.destination) = (isAging, reason, origin, destination)
        }

        /// Where a token comes from.
        public enum Origin: String, Hashable, Sendable, CaseIterable {
            /// It was stored, and is valid.
            case stored
            /// It was stored, and is used in its extended lifetime because the provider is down.
            case extended
            /// The provider has just issued it.
            case provider
        }
    }
}

extension Keyring.Tokens {
    /// An access token for `request`, from what is stored.
    ///
    /// A request that names its account by id, user name or label costs the same however many
    /// accounts there are. "There is no such token" is said only after the manifest of every group
    /// that was looked through has been compared with what is there. It blocks its thread while it waits for others.
    ///
    /// - Parameters:
    ///   - request: What is asked for. Several scopes must be in one token.
    ///   - groups: The groups to look through, in order; nil for all within reach.
    /// - Throws: `signInNeeded` when there is no valid token, `ambiguous` when several accounts or
    ///   several tokens fit, `noSuchAccount`, `groupNotGranted`, `noSuchGroup`, `damaged`.
    public func stored(
        for request: TokenRequest, in groups: [AccessGroup]? = nil
    ) throws(KeyringError) -> Keyring.TokenAnswer {
        let answer = try kept(for: request, in: groups)
        keyring.uses.note(answer.found, for: request)
        return answer
    }

    /// The same where nobody is handed the token.
    package func kept(
        for request: TokenRequest, in groups: [AccessGroup]? = nil
    ) throws(KeyringError) -> Keyring.TokenAnswer {
        switch try lookUp(TokenAcquisition(request, in: groups)) {
        case .found(let answer): return answer
        case .missing: throw KeyringError(.fault, "the network is needed where it was not to be used")
        }
    }

    /// What is stored for the request of `acquisition`: its token while that is fresh, or how to get one.
    ///
    /// Sends nothing. Without a network, a token that should be replaced is taken as well. It blocks its thread while it
    /// waits for others: in a task, ``acquire(_:)`` is the one to call.
    ///
    /// - Throws: as ``stored(for:in:)``; `signInNeeded` only without a network; `usage` for claims that are no JSON object;
    ///   `locked` where another vault is in the place of this one, which a ``KeyringSession`` follows.
    public func lookUp(_ acquisition: TokenAcquisition) throws(KeyringError) -> TokenLookup {
        guard acquisition.options.areClaimsUsable else {
            throw KeyringError(.usage, "the claims are not a JSON object, or longer than 16 KiB")
        }
        let now = clock.now
        do throws(KeyringError) {
            return try withState { state in
                // Files that were put aside have what nobody is to use any more.
                try keyring.requireInPlace(state.vault)
                switch try database.withSnapshot({ try find(&state, acquisition, now) }) {
                case .hit(let hit): return .found(try hit.answer().going(to: acquisition.request))
                case .plan(let plan):
                    return .missing(MissingToken(acquisition: acquisition, plan: plan, askedAt: now))
                }
            }
        } catch {
            throw keyring.undo.advising(error).asked(in: acquisition.groups)
        }
    }

    /// What was found: a token, still sealed, or what a refresh needs to know.
    private enum Finding {
        case hit(TokenHits.Hit)
        case plan(TokenRequestSnapshot)
    }

    /// What was found for the same request before, unless the file has changed since; or what is found now.
    private func find(_ state: inout State, _ acquisition: TokenAcquisition, _ now: Timestamp) throws -> Finding {
        let request = acquisition.request
        let question = TokenHits.Question(request: request, groups: acquisition.groups)
        let version = try database.version()
        // Without a name, what was chosen since and files in the directory decide as well.
        if request.isNamed, !acquisition.ignoresStored, let hit = state.hits.hit(question, version: version),
            hit.credential.freshness(now: now, minimumValidity: request.minimumValidity) == .fresh
        {
            return .hit(hit)
        }
        let stored = try stored(&state, acquisition, takesValid: !acquisition.ignoresStored, now)
        if let hit = stored.hit, !hit.isAging || acquisition.network == nil {
            if request.isNamed { state.hits.remember(hit, for: question) }
            return .hit(hit)
        }
        if stored.fitting.isEmpty { try requireUnbound(stored, request) }
        guard acquisition.network != nil else {
            throw try signInNeeded(stored, request, now)
        }
        do {
            return .plan(try snapshot(&state, acquisition, stored, now))
        } catch  where !Keyring.mayBeStale(error) {
            guard let old = stored.hit else { throw error }
            let reason = KeyringError(error)
            guard Self.leavesOldToken(reason) else { throw error }
            state.warn(Warning(.oldToken, Self.staleness(of: old.account, reason.message)))
            return .hit(old)
        }
    }

    /// Finds out whose token is asked for, and which are stored.
    ///
    /// - Parameter takesValid: Whether a valid one is to be handed out: then damage is no reason to pass it over.
    func stored(
        _ state: inout State, _ acquisition: TokenAcquisition, takesValid: Bool, _ now: Timestamp
    ) throws -> TokenSearch.StoredTokens {
        RefreshObservation.willResolve()
        return try search.stored(
            &state, acquisition.request, in: acquisition.groups, takesValid: takesValid, now,
            preferring: keyring.clients.preferred)
    }

    /// - Throws: `proofNeeded` where an account has tokens that are bound to a key or certificate, and no others, and whoever asks has no use for them.
    private func requireUnbound(_ stored: TokenSearch.StoredTokens, _ request: TokenRequest) throws {
        let account = stored.owner.account
        for kind in [Credential.Kind.refreshToken, .accessToken] {
            let found = try database.credentials(kind, of: account.id, in: stored.group.keys).items.map(\.value)
            let isMeant = { (token: Credential) in request.clientID.map { $0 == token.clientID } ?? true }
            let own = found.filter { isMeant($0) && ($0.grant ?? Grant()).state == .active }
            if let first = own.first, !own.contains(where: request.takes) {
                throw KeyringError.proofNeeded(account, first)
            }
        }
    }

    /// Why there is no token, and what to do.
    private func signInNeeded(
        _ stored: TokenSearch.StoredTokens, _ request: TokenRequest, _ now: Timestamp
    ) throws -> KeyringError {
        let account = stored.owner.account
        let grants = try database.credentials(.refreshToken, of: account.id, in: stored.group.keys).items.map(\.value)
        let canRefresh = grants.contains { $0.grant?.state == .active }
        let tokens = stored.fitting.map(\.value)
        return KeyringError(
            .signInNeeded, Self.lack(of: account, tokens, request, now),
            advice: canRefresh
                ? .allowRefresh : grants.isEmpty ? renewal(of: account, tokens, request) : .signInOrImport,
            candidates: [account.id.description], names: [])
    }

    /// How somebody without a refresh token gets another token: one that was added by hand came from no sign-in.
    private func renewal(of account: Account, _ tokens: [Credential], _ request: TokenRequest) -> Advice {
        guard let latest = tokens.max(by: { ($0.expiresOn?.seconds ?? 0) < ($1.expiresOn?.seconds ?? 0) }),
            tokens.allSatisfy({ $0.clientID == Credential.noClient })
        else { return .signInOrImport }
        let scopes = request.scopes.isEmpty ? latest.scopes : request.scopes
        return account.isKnownByName
            ? .storeTokenOf(account.id.description, scopes: scopes)
            : .signInOrStoreToken(keyring.accounts.naming(for: account).typed(account), scopes: scopes)
    }

    /// How long ago something was, in the largest unit of which that has two.
    private static func words(secondsAgo seconds: Int64) -> String {
        let units: [(name: String, seconds: Int64)] = [("days", 86_400), ("hours", 3_600), ("minutes", 60)]
        guard let unit = units.first(where: { seconds >= 2 * $0.seconds }) else {
            return seconds < 1 ? "just now" : seconds == 1 ? "1 second ago" : "\(seconds) seconds ago"
        }
        return "\(seconds / unit.seconds) \(unit.name) ago"
    }

    /// Why none of the access tokens that fit is valid.
    static func lack(
        of account: Account, _ expired: [Credential], _ request: TokenRequest, _ now: Timestamp
    ) -> String {
        if expired.contains(where: { $0.freshness(now: now, minimumValidity: 0) == .fromTheFuture }) {
            return "the token of \(account.name) was stored at a time that has not come yet; check the clock"
        }
        if let latest = expired.compactMap(\.expiresOn).max() {
            let left = max(-(1 << 40), min(1 << 40, latest.seconds)) - now.seconds
            return left > 0
                ? "the token of \(account.name) is valid for \(left) more seconds"
                    + (request.minimumValidity.map { ", fewer than the \($0) asked for" } ?? ", too few to be of use")
                : "the token of \(account.name) expired \(Self.words(secondsAgo: -left))"
        }
        let what = "there is no access token of \(account.name) for"
        let place = request.realm.map { " in tenant \($0)" } ?? request.clientID.map { " from client \($0)" }
        guard request.scopes.isEmpty else { return "\(what) \(request.scopes)\(place ?? "")" }
        return place.map { "there is no access token of \(account.name)\($0)" } ?? "\(what) this request"
    }
}

extension Keyring.TokenAnswer {
    /// The same answer for where `request` says that the token goes, by the rule of which its account was chosen.
    ///
    /// - Throws: `proofNeeded` for a token that is of no use to whoever asks.
    consuming func going(to request: TokenRequest) throws(KeyringError) -> Keyring.TokenAnswer {
        guard request.takes(found.credential) else { throw .proofNeeded(found.account, found.credential) }
        found.destination = TokenDestination(of: request)
        return self
    }
}

extension TokenRequest {
    /// Asks for the tenant of a token besides, where none is named: whoever names its account then gets no other tenant's.
    package mutating func keepTenant(of found: Keyring.FoundToken) {
        if realm == nil, !found.credential.realm.isEmpty { realm = found.credential.realm }
    }
}

extension TokenHits.Hit {
    /// The token, opened.
    func answer(_ origin: Keyring.FoundToken.Origin = .stored) throws -> Keyring.TokenAnswer {
        Keyring.TokenAnswer(
            secret: try open(),
            found: Keyring.FoundToken(
                credential: credential, account: account, group: group, isAging: isAging, reason: reason,
                origin: origin))
    }
}
