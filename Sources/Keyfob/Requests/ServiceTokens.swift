package import KeyfobOAuth
internal import KeyfobSodium

/// The tokens of one account for one address, one after the other, as the answers of the service there want them.
///
/// Once an account has been chosen all tokens are that one's, until it is gone.
package struct ServiceTokens {
    /// Gets the token that a request means.
    package typealias Get = (TokenRequest, [AccessGroup]?, SilentOptions) throws(KeyringError) -> Keyring.TokenAnswer

    /// For how many seconds a token that was got in the place of a refused one is not replaced again: a service can provoke that.
    private static let pause: Int64 = 60

    private let address: String
    private let request: TokenRequest
    private let groups: [AccessGroup]?
    private var given: TokenBox?
    /// When the given token was got in the place of a refused one; nil for another.
    private var replacedAt: Timestamp?

    /// Tokens for an address.
    ///
    /// - Parameter request: What is asked for, with the address as the URL of its context.
    package init(_ request: TokenRequest, at address: String, in groups: [AccessGroup]?) {
        var request = request
        request.takesProofs = true
        (self.request, self.address, self.groups) = (request, address, groups)
    }

    /// The proof of the key that the given token is bound to, for one request to the service.
    ///
    /// - Throws: `usage` for an address of another service, `signInNeeded` where no such token was given, and as ``ProvedToken``.
    package func proof(
        of method: String, at place: String, nonce: String?, network: Network
    ) throws(KeyringError) -> String {
        guard let place = try? EndpointURL(place), let own = try? EndpointURL(address),
            place.environment == own.environment, place.isSecure == own.isSecure
        else { throw KeyringError(.usage, "keys are proved to \(host) alone") }
        guard let given else { throw KeyringError(.signInNeeded, "there is no token") }
        let proved = try ProvedToken(given.answer, for: method, place.text, nonce: nonce, network: network)
        guard let proof = proved.proof else { throw KeyringError(.usage, "the token is bound to no key") }
        return proof
    }

    /// A token for the first time, or because the last one ends.
    package mutating func next(of keyring: Keyring, _ get: Get) throws(KeyringError) -> Keyring.TokenAnswer {
        do throws(KeyringError) {
            return try give(try get(chosen.request, chosen.groups, SilentOptions()), isReplacement: false)
        } catch  where given != nil && [.noSuchAccount, .noSuchGroup].contains(error.code) {
            given = nil
            return try give(try get(request, groups, SilentOptions()), isReplacement: false)
        }
    }

    /// A token in the place of one that the service has not taken: what is stored by now, where that is another one; else one
    /// that the challenge's claims are asked for, or any new one.
    ///
    /// - Throws: `signInNeeded` where a person has to sign in, such as with further scopes.
    package mutating func next(
        of keyring: Keyring, after challenge: ResourceChallenge, _ get: Get
    ) throws(KeyringError) -> Keyring.TokenAnswer {
        guard let last = given else { return try next(of: keyring, get) }
        if let error = keyring.tokens.stepUp(challenge, of: last.found, at: host) {
            // Who has signed in meanwhile has another token.
            if let other = try? keyring.tokens.kept(for: chosen.request, in: chosen.groups),
                !other.secret.isEqual(to: last.secret)
            {
                return try give(other.going(to: chosen.request), isReplacement: false)
            }
            throw error
        }
        let now = keyring.clock.now
        let hasEnded = last.found.credential.expiresOn.map { $0 <= now } ?? false
        if let replacedAt, now.seconds - replacedAt.seconds < Self.pause, !hasEnded {
            throw notTaken(keyring)
        }
        let options = SilentOptions(answering: challenge)
        if options.claims == nil {
            if case .kept = try keyring.tokens.refused(last.secret, for: chosen.request, in: chosen.groups) {
                throw notTaken(keyring)
            }
        }
        let isForced = options.claims != nil
        let answer = try get(chosen.request, chosen.groups, isForced ? options : SilentOptions())
        guard !answer.secret.isEqual(to: last.secret) else { throw notTaken(keyring) }
        return try give(answer, isReplacement: !hasEnded)
    }

    /// The error where the service does not take the token, whatever was done.
    package func notTaken(_ keyring: Keyring) -> KeyringError {
        guard let found = given?.found else { return KeyringError(.signInNeeded, "there is no token") }
        return KeyringError(
            .signInNeeded, "\(host) does not take the token of \(found.account.name)",
            advice: keyring.tokens.advice(found, .signIn(keyring.tokens.continuation(found))),
            candidates: [found.account.id.description], names: [])
    }

    private var host: String { request.context.url?.host ?? address }

    /// What is asked for, of the account that was chosen.
    private var chosen: (request: TokenRequest, groups: [AccessGroup]?) {
        guard let found = given?.found else { return (request, groups) }
        var request = request
        (request.account, request.login, request.isUsual) = (found.account.id.description, nil, false)
        request.clientID = found.credential.clientID
        request.keepTenant(of: found)
        request.context = RequestContext(url: request.context.url)
        return (request, [found.group])
    }

    /// - Throws: `hostNotAllowed` where the token does not go to the address.
    private mutating func give(
        _ answer: consuming Keyring.TokenAnswer, isReplacement: Bool
    ) throws(KeyringError) -> Keyring.TokenAnswer {
        _ = try Keyring.Tokens.destination(address, of: answer)
        _ = try Keyring.Tokens.usable(answer)
        if isReplacement, answer.found.origin == .provider {
            replacedAt = WallClock.system.now
        } else if given?.secret.isEqual(to: answer.secret) != true {
            replacedAt = nil
        }
        given = TokenBox(answer)
        return answer
    }
}

extension Keyring.Tokens {
    /// The error where a service wants what only a person can give: a further scope (RFC 6750, section 3.1), or another or a newer
    /// sign-in (RFC 9470); nil for another challenge.
    package func stepUp(
        _ challenge: ResourceChallenge, of found: Keyring.FoundToken, at host: String
    ) -> KeyringError? {
        var continuation = continuation(found)
        let what: String
        var isNamed = true
        switch challenge.error {
        case "insufficient_scope":
            let named = Self.acceptable(challenge.scopes.scopes)
            // A resource that does not say which may have said so of itself.
            let wanted = named.isEmpty ? scopes(lackedBy: found) : named
            isNamed = !wanted.isEmpty
            // A further scope is none in the place of those that the token has.
            continuation.scopes = ScopeSet(found.credential.scopes.scopes + wanted)
            what = named.isEmpty ? "a further scope, which it does not name," : "the scope \(ScopeSet(named))"
        case "insufficient_user_authentication":
            (continuation.contexts, continuation.maximumAge) = (
                Self.acceptable(challenge.contexts), challenge.maximumAge
            )
            what = "another way of signing in, or a more recent one,"
        default: return nil
        }
        let advice: Advice = isNamed ? .signIn(continuation) : .findScope(continuation)
        return KeyringError(
            .signInNeeded, "\(host) wants \(what) of \(found.account.name)", advice: self.advice(found, advice),
            candidates: [found.account.id.description], names: [])
    }

    /// The advice, unless no sign-in has given the token.
    fileprivate func advice(_ found: Keyring.FoundToken, _ advice: Advice) -> Advice {
        guard found.credential.clientID == Credential.noClient else { return advice }
        return .storeTokenOf(found.account.id.description, scopes: advice.continuation?.scopes ?? [])
    }

    /// The scopes that a token's resource names and the token lacks.
    private func scopes(lackedBy found: Keyring.FoundToken) -> [String] {
        let environment = found.account.id.environment
        guard let provider = try? keyring.providers.description(forEnvironment: environment, in: [found.group]),
            provider.resource != nil
        else { return [] }
        let held = found.credential.scopes.scopes
        return Self.acceptable(provider.defaultScopes.scopes.filter { !held.contains($0) })
    }

    /// How the person of a token signs in again.
    fileprivate func continuation(_ found: Keyring.FoundToken) -> Continuation {
        keyring.signIns.continuation(
            .signIn, RefusedRequest(clientID: "", tenant: found.credential.realm, scopes: [], claims: nil),
            of: found.account, at: found.account.id.environment, in: found.group, id: nil, claims: nil)
    }

    /// What a service may want: not more than anybody reads, and nothing that a shell reads otherwise, for a person types it.
    private static func acceptable(_ words: [String]) -> [String] {
        let isPlain = { (byte: UInt8) in byte.isASCIIAlphanumeric || "-._~:/+@%=,".utf8.contains(byte) }
        let areAcceptable = words.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isPlain) && !$0.hasPrefix("-") }
        return words.count <= ResourceMetadata.scopeLimit && areAcceptable ? words : []
    }
}

extension SilentOptions {
    /// What gets a token in the place of one that a service has not taken: with the claims that its challenge wants, where they make
    /// sense, or any new one.
    package init(answering challenge: ResourceChallenge) {
        self.init(inPlaceOfOneWithout: challenge.claims)
    }

    /// The same by the claims of a challenge; nil where it has none.
    package init(inPlaceOfOneWithout claims: String?) {
        self.init(claims: claims)
        if claims == nil || !areClaimsUsable {
            self.claims = nil
            forcesRefresh = true
        }
    }
}
