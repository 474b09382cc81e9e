internal import KeyfobFiles
internal import KeyfobOAuth
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobVault

extension Keyring.SignIns {
    /// Stores what a sign-in gave, under the account that signed in.
    ///
    /// - Parameter nonce: What the ID token must repeat; nil for a sign-in that sent none.
    func file(
        _ received: ReceivedTokens, _ context: SignInContext, nonce: String?, _ client: borrowing OAuthClient,
        _ network: Network
    ) async throws(KeyringError) -> SignInReport {
        let (account, isNew, lost): (Account, Bool, ScopeSet)
        do {
            try requireBound(received, context)
            let signedIn = try await signedInAccount(received, context, nonce: nonce, client, network)
            (account, isNew, lost) = try store(received, signedIn, context)
        } catch {
            // Nobody keeps it, so nobody should be able to use it.
            await discard(received, context, client, network)
            throw error
        }
        let details = received.response.details
        let wanted = context.scopes.scopes.filter { !context.kept.scopes.contains($0) }
        let scopes = GrantedScopes(
            asked: ScopeSet(wanted), answered: context.provider.granted(details.scopes, of: context.scopes))
        var report = SignInReport(
            account: account, group: context.group, clientID: context.clientID, scopes: scopes.granted,
            declinedScopes: scopes.declined, isNew: isNew, hasRefreshToken: received.response.hasRefreshToken(),
            tokenEndsOn: Self.filing(account.id, realm: "", context).accessToken(received).expiresOn)
        report.lostScopes = lost
        return report
    }

    /// Who asks for tokens that are bound to a key keeps no others.
    private func requireBound(_ received: ReceivedTokens, _ context: SignInContext) throws(KeyringError) {
        guard context.key != nil || received.key != nil, received.accessKey == nil else { return }
        throw KeyringError(
            .providerFailed, "\(context.provider.title) gave a token that is bound to no key; nothing was stored")
    }

    /// Everything in one transaction, durable when it returns.
    private func store(
        _ received: ReceivedTokens, _ signedIn: SignedInAccount, _ context: SignInContext
    ) throws(KeyringError) -> (Account, isNew: Bool, lost: ScopeSet) {
        // A person would have to sign in again.
        Patience.ofCall?.renew(adding: GrantRefresh.storePatience)
        let locks = try locks(of: signedIn, context)
        defer { withExtendedLifetime(locks) {} }
        return try withState { state in
            let group = try state.group(context.group)
            return try change(&state, group, as: "login") { writer in
                let isNew = try save(signedIn, context, locks, writer)
                let held = try Self.scopes(of: signedIn.id, context, writer)
                let details = received.response.details
                let rotates: Bool? = context.provider.rotation == .no ? false : nil
                var grant = Grant(rotates: rotates)
                grant.served = Self.served(signedIn, context)
                let token = Credential(
                    kind: .refreshToken, account: signedIn.id, clientID: context.clientID,
                    scopes: context.provider.granted(details.scopes, of: context.scopes) ?? context.scopes,
                    familyID: details.familyID, tokenType: received.isBound ? received.tokenType : nil,
                    keyID: received.key?.thumbprint ?? received.identity?.thumbprint, cachedAt: received.sentAt,
                    expiresOn: details.refreshTokenExpiresIn.map(received.sentAt.advanced(by:)),
                    grant: grant)
                try received.withRefreshToken { secret in
                    var token = token
                    token.signInParameters = context.parameters
                    if let epoch = try writer.removeGrants(besides: token) { token.grant?.epoch = epoch &+ 1 }
                    _ = try writer.save(token, secret: secret, from: .signIn)
                }
                // A provider that gives none leaves one that it gave before; what was signed out is no longer.
                if !received.response.hasRefreshToken() {
                    try writer.removeEndedGrants(of: signedIn.id, clientID: context.clientID)
                }
                // Nobody has looked at that of a server which is none of OpenID Connect.
                try Self.filing(signedIn.id, realm: signedIn.profile.realm, context)
                    .save(received, hasIDToken: context.metadata.isOpenID, in: writer)
                let kept = try Self.scopes(of: signedIn.id, context, writer)
                let lost = ScopeSet(held.scopes.filter { !ScopeSet([$0]).isSubset(of: kept) })
                return (try writer.account(signedIn.id) ?? signedIn.account, isNew, lost)
            }
        }
    }

    /// What the client's tokens for an account are for; none where each resource has tokens of its own.
    private static func scopes(
        of account: AccountID, _ context: SignInContext, _ writer: GroupWriter
    ) throws -> ScopeSet {
        guard !context.provider.quirks.contains(.multipleResources) else { return [] }
        let scopes = try writer.accessTokens(of: account, clientID: context.clientID).flatMap(\.scopes.scopes)
        return ScopeSet(scopes.filter { !ScopeSet.isOfSignIn($0) })
    }

    private static func filing(_ account: AccountID, realm: String, _ context: SignInContext) -> TokenFiling {
        TokenFiling(
            account: account, clientID: context.clientID, realm: realm, askedScopes: context.scopes,
            provider: context.provider)
    }

    /// The scopes that a refresh at the account's home is known to be given, where each request names them.
    private static func served(_ signedIn: SignedInAccount, _ context: SignInContext) -> ScopeSet? {
        guard context.provider.quirks.contains(.multipleResources), context.request.claims == nil else { return nil }
        let home = Account(id: signedIn.id, username: "").homeRealm.map(Identifier.folded)
        let isHome =
            !EnvironmentAliases.isMicrosoft(signedIn.id.environment)
            || home == Identifier.folded(signedIn.profile.realm)
        return isHome ? context.scopes.ofResources : nil
    }

    /// Revokes what nobody will keep, as far as that goes.
    private func discard(
        _ received: ReceivedTokens, _ context: SignInContext, _ client: borrowing OAuthClient, _ network: Network
    ) async {
        guard let message = received.revocation(client, context.metadata) else { return }
        _ = await network.send(message, GrantRefresh.deadline)
    }

    // MARK: Who signed in

    private func signedInAccount(
        _ received: ReceivedTokens, _ context: SignInContext, nonce: String?, _ client: borrowing OAuthClient,
        _ network: Network
    ) async throws(KeyringError) -> SignedInAccount {
        let claims: IDToken.Claims?
        if context.metadata.isOpenID, received.response.hasIDToken() {
            claims = try await verifiedClaims(received, context, nonce: nonce, client, network)
        } else if nonce != nil, context.metadata.isOpenID {
            // A browser's answer to an OpenID provider is bound to this sign-in by its ID token, or not at all.
            throw nobody(context)
        } else if let told = try await userInfo(received, context, network) {
            claims = told
        } else {
            claims = try await introspection(received, context, client, network)
        }
        guard var claims else {
            // Where people are known to be told, one of whom nothing comes is not just anybody.
            guard context.provider.endpoints[.userInfo] == nil else { throw nobody(context) }
            return SignedInAccount(namedByPeople: try nameless(context))
        }
        if context.metadata.isOpenID, received.response.hasIDToken() {
            try await addNames(to: &claims, received, context, network)
        }
        guard
            let account = SignedInAccount(
                claims, clientInfo: received.response.details.clientInfo, environment: context.provider.environment,
                quirks: context.provider.quirks)
        else { throw nobody(context) }
        return account
    }

    private func nobody(_ context: SignInContext) -> KeyringError {
        KeyringError(
            .providerFailed, "\(context.provider.title) did not say who signed in", advice: .askWhoSignedIn)
    }

    /// Asks for the names of whoever signed in, where the ID token has no user name; who does not get them goes on without.
    ///
    /// - Throws: `providerFailed` where the answer is about somebody else (OpenID Connect Core, section 5.3.2).
    private func addNames(
        to claims: inout IDToken.Claims, _ received: ReceivedTokens, _ context: SignInContext, _ network: Network
    ) async throws(KeyringError) {
        // Microsoft's is for tokens of its own, and calls people by other subjects.
        guard claims.preferredUsername == nil, claims.upn == nil,
            !context.provider.quirks.contains(.multipleResources),
            !EnvironmentAliases.isMicrosoft(context.provider.environment),
            let told = try? await userInfo(received, context, network)
        else { return }
        guard told.subject.utf8.elementsEqual(claims.subject.utf8) else {
            throw KeyringError(
                .providerFailed,
                "\(context.provider.title) says by its userinfo that somebody else signed in than by its ID token; nothing was stored",
                advice: .askWhoSignedIn)
        }
        claims.preferredUsername = told.preferredUsername
        claims.name = claims.name ?? told.name
        if claims.email == nil || !claims.isEmailVerified, told.email != nil {
            (claims.email, claims.isEmailVerified) = (told.email, told.isEmailVerified)
        }
    }

    /// What the ID token says, after its signature and everything else in it was checked.
    private func verifiedClaims(
        _ received: ReceivedTokens, _ context: SignInContext, nonce: String?, _ client: borrowing OAuthClient,
        _ network: Network
    ) async throws(KeyringError) -> IDToken.Claims {
        let expectation = IDTokenExpectation(
            issuer: context.metadata.issuer ?? "", clientID: context.clientID, nonce: nonce,
            algorithms: context.metadata.idTokenAlgorithms)
        let failed = { (flaw: IDTokenFlaw) in KeyringError(flaw, of: context.provider) }
        let now = clock.now
        let read = received.response.withIDToken { token -> Result<IDToken, IDTokenFlaw> in
            do throws(IDTokenFlaw) {
                let token = try IDToken(reading: token)
                try expectation.check(token, now: now)
                return .success(token)
            } catch {
                return .failure(error)
            }
        }
        let token: IDToken
        switch read {
        case .success(let found)?: token = found
        case .failure(let flaw)?: throw failed(flaw)
        case nil: throw failed(.notAToken)
        }
        let secret = received.response.withIDToken { $0.withBytes { HeldToken(SecretBytes(copying: $0)) } }
        guard let secret else { throw failed(.notAToken) }
        if token.isSignedBySecret {
            // Only where the provider says that it signs so: whoever knows the secret could, and a public key is none.
            guard context.metadata.idTokenAlgorithms?.contains(token.algorithm) ?? false,
                let shared = client.withSharedSecret({ $0.withBytes { HeldToken(SecretBytes(copying: $0)) } })
            else { throw failed(.algorithmRefused) }
            if let flaw = await network.flawBySecret(secret.secret, shared.secret) { throw failed(flaw) }
            return token.claims
        }
        let endpoint: EndpointURL
        do {
            endpoint = try context.metadata.require(.keys)
        } catch {
            throw KeyringError(error, of: context.provider)
        }
        let keys = try await document(at: endpoint, context, network)
        if let flaw = await network.flaw(secret.secret, keys) { throw failed(flaw) }
        return token.claims
    }

    /// Who the access token belongs to, for providers that give no ID token.
    private func userInfo(
        _ received: ReceivedTokens, _ context: SignInContext, _ network: Network
    ) async throws(KeyringError) -> IDToken.Claims? {
        guard let endpoint = context.metadata.endpoints[.userInfo] else { return nil }
        let key = received.accessKey
        let hash = key.map { _ in Proof.hash(of: received.response.accessToken) }
        let identity = received.identity
        let place = identity.flatMap { _ in context.metadata.mutualEndpoints[.userInfo] } ?? endpoint
        let answer = await network.send(provingBy: key, tokenHash: hash, seconds: 20, clock) {
            HTTPRequest(getting: place, bearer: received.response.accessToken, isBound: key != nil).showing(identity)
        }
        // A server that says by itself where this is need not let every token ask there.
        if context.provider.endpoints[.userInfo] == nil, !context.metadata.isOpenID, answer.isRefused { return nil }
        let body = try await Self.body(answer, context)
        return try? IDToken.Claims(
            userInfo: body, issuer: context.metadata.issuer ?? context.provider.environment,
            mayLackSubject: !context.metadata.isOpenID)
    }

    /// The same as the server tells it of a token (RFC 7662); nil where it does not tell this client.
    private func introspection(
        _ received: ReceivedTokens, _ context: SignInContext, _ client: borrowing OAuthClient, _ network: Network
    ) async throws(KeyringError) -> IDToken.Claims? {
        guard let endpoint = context.metadata.endpoints[.introspection] else { return nil }
        let message = TokenRequests.introspect(received.response.accessToken, client: client, at: endpoint)
        let answer = await network.send(message, 20)
        if answer.isRefused { return nil }
        let body = try await Self.body(answer, context)
        return try? IDToken.Claims(
            introspection: body, issuer: context.metadata.issuer ?? context.provider.environment,
            clientID: context.clientID)
    }

    private func document(
        at endpoint: EndpointURL, _ context: SignInContext, _ network: Network
    ) async throws(KeyringError) -> SecretBytes {
        try await Self.body(await network.send(HTTPRequest(getting: endpoint), 20), context)
    }

    private static func body(
        _ exchange: consuming HTTPExchange, _ context: SignInContext
    ) async throws(KeyringError) -> SecretBytes {
        switch consume exchange {
        case .answered(let response):
            guard response.status == 200 else {
                throw KeyringError(.unexpectedStatus(response.status), of: context.provider)
            }
            return response.takeBody()
        case .failed(let failure): throw KeyringError(failure, of: context.provider)
        }
    }
}
