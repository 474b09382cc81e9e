import KeyfobModel
import KeyfobOAuth
import Testing

/// The cases of MSAL for Python (S, F) and for Objective-C (O), by their numbers in those suites' inventory.
@Suite("Silent plans") struct SilentPlanTests {
    static let host = "login.microsoftonline.com"
    static let first = GrantVersion(epoch: 1, generation: 1)
    static let own = TokenIdentity(source: .own, version: first)
    static let family = TokenIdentity(source: .family, version: first)

    static func token(
        _ state: Grant.State = .active, version: GrantVersion = first, host: String = host, family: String? = nil
    ) -> SilentSituation.RefreshToken {
        SilentSituation.RefreshToken(state: state, version: version, environment: host, familyID: family)
    }

    static func situation(
        _ access: AccessTokenState, own: SilentSituation.RefreshToken? = token(),
        family: SilentSituation.RefreshToken? = nil, membership: AppMetadata.Family = .unknown
    ) -> SilentSituation {
        SilentSituation(accessToken: access, own: own, family: family, membership: membership, environment: host)
    }

    static func refused(_ error: String = "invalid_grant", _ suberror: String? = nil) -> ProviderFailure {
        ProviderFailure(Refusal(status: 400, error: error, suberror: suberror))
    }

    static let down = ProviderFailure.serverDown(status: 500, retryAt: nil)
    static let familyToken = token(family: "1")

    static func after(_ failure: ProviderFailure, _ token: TokenIdentity = own) -> [SilentPlan.Attempt] {
        guard failure.refusal != nil else { return [SilentPlan.Attempt(token: token, failure: failure)] }
        let ruling = judged(failure, token.source).ruling
        return [SilentPlan.Attempt(token: token, failure: failure, ruling: ruling.reach == .provider ? nil : ruling)]
    }

    /// A refusal of a request that the grant has served before.
    static func judged(
        _ failure: ProviderFailure, _ source: TokenIdentity.Source = .own
    ) -> JudgedRefusal {
        JudgedRefusal(
            failure,
            RefusalTable.ruling(on: failure, RefusalCircumstances(.entra, wasServed: true, source: source)))
    }

    /// What the store keeps of such a refusal.
    static func changes(_ failure: ProviderFailure, of token: TokenIdentity) -> [StoredChange] {
        StoredChange.after(judged(failure, token.source), of: token)
    }

    @Test(
        "S1, O2, O3, O30: a fresh token is handed out, whatever else there is",
        arguments: [token(), nil, token(.needsSignIn(reason: "r"))])
    func fresh(own: SilentSituation.RefreshToken?) {
        #expect(SilentPlan.decide(Self.situation(.fresh, own: own)) == .useCached)
        #expect(SilentPlan.decide(Self.situation(.fresh, own: own, family: Self.familyToken)) == .useCached)
    }

    @Test("S2, O28: an aging token is replaced")
    func aging() {
        #expect(SilentPlan.decide(Self.situation(.aging)) == .refresh(Self.own))
        #expect(SilentPlan.decide(Self.situation(.fresh), after: []) == .useCached)
    }

    @Test(
        "S3, O29: an aging token is handed out with a warning when the refresh fails, any way",
        arguments: [
            down, .throttled(until: now), .unreachable(.refused), .outcomeUnknown, refused(), refused("foo"),
            refused("invalid_scope"),
            refused("interaction_required"), .unexpectedStatus(403), .protocolViolation(.html, status: 200),
            .refusedWithoutReason(Refusal(status: 400)),
        ])
    func agingAndDown(failure: ProviderFailure) {
        #expect(SilentPlan.decide(Self.situation(.aging), after: Self.after(failure)) == .useOld(.failed(failure)))
    }

    @Test("an aging token without a refresh token is handed out with a warning")
    func agingAlone() {
        #expect(SilentPlan.decide(Self.situation(.aging, own: nil)) == .useOld(.needsSignIn(.noRefreshToken)))
        #expect(SilentPlan.decide(Self.situation(.aging, own: Self.token(.signedOut))) == .needsSignIn(.signedOut))
    }

    @Test(
        "what this machine lacks does not come by itself: nobody is told to try again",
        arguments: CertificateFlaw.allCases.map { ProviderFailure.untrustedCertificate($0) } + [.noHTTPLibrary])
    func lacking(failure: ProviderFailure) {
        #expect(SilentPlan.decide(Self.situation(.expired), after: Self.after(failure)) == .failed(failure))
        #expect(SilentPlan.decide(Self.situation(.aging), after: Self.after(failure)) == .useOld(.failed(failure)))
    }

    @Test("S4: an expired token and a refusal that nobody knows give that refusal")
    func expiredAndDown() {
        let failure = Self.refused("something_wrong")
        #expect(
            SilentPlan.decide(Self.situation(.expired), after: Self.after(failure))
                == .refused(JudgedRefusal(failure, RefusalRuling(.request, nil))))
    }

    @Test(
        "S5, O5, O6, O7, O12: an expired, missing or unsuitable token is refreshed",
        arguments: [AccessTokenState.expired, .none, .extended])
    func expired(access: AccessTokenState) {
        #expect(SilentPlan.decide(Self.situation(access)) == .refresh(Self.own))
    }

    @Test("S6, O13: nothing to refresh with needs a sign-in", arguments: [AccessTokenState.expired, .none, .extended])
    func empty(access: AccessTokenState) {
        let options = SilentPlan.Options(allowsExtendedLifetime: true)
        #expect(SilentPlan.decide(Self.situation(access, own: nil), options: options) == .needsSignIn(.noRefreshToken))
    }

    @Test(
        "S7, S8, O8: a refusal needs a sign-in and carries its suberror",
        arguments: [nil, "basic_action", "my_suberror", "token_expired"])
    func invalidGrant(suberror: String?) {
        let failure = Self.refused("invalid_grant", suberror)
        let action = SilentPlan.decide(Self.situation(.expired), after: Self.after(failure))
        #expect(action == .refused(Self.judged(failure)))
        #expect(failure.refusal?.suberror == suberror)
    }

    @Test("O8: a refusal of what was served before ends the grant and deletes nothing")
    func plainRefusal() {
        let failure = Self.refused("invalid_grant", "my_suberror")
        #expect(
            Self.changes(failure, of: Self.own) == [
                .markNeedsSignIn(Self.own, reason: "the provider refused: invalid_grant/my_suberror (status 400)"),
                .remember(JudgedRefusal(failure, .grantEnds)),
            ])
        let consent = Self.refused("invalid_grant", "consent_required")
        #expect(
            Self.changes(consent, of: Self.own)
                == [.remember(JudgedRefusal(consent, RefusalRuling(.request, .consent)))])
        #expect(Self.changes(.refusedWithoutReason(Refusal(status: 400)), of: Self.own).isEmpty)
        #expect(Self.changes(Self.down, of: Self.own).isEmpty)
    }

    @Test("O9: a client that may not is a failure that no sign-in mends")
    func unauthorizedClient() {
        let failure = Self.refused("unauthorized_client", "protection_policy_required")
        #expect(
            SilentPlan.decide(Self.situation(.expired), after: Self.after(failure))
                == .refused(JudgedRefusal(failure, RefusalRuling(.client, .otherClient))))
    }

    @Test(
        "O10: a token that the provider calls bad is deleted, by its version",
        arguments: [SilentPlanTests.own, SilentPlanTests.family])
    func badToken(token: TokenIdentity) {
        let changes = Self.changes(Self.refused("invalid_grant", "bad_token"), of: token)
        #expect(changes.contains(.deleteRefreshToken(token)))
    }

    @Test("O11: a deleted account loses this client's credentials")
    func accountDeleted() {
        let failure = Self.refused("invalid_grant", "user_account_deleted")
        #expect(
            Self.changes(failure, of: Self.own) == [
                .removeClientCredentials, .remember(JudgedRefusal(failure, .grantEnds)),
            ])
    }

    @Test("O1: an account that is not known needs a sign-in, whatever is stored")
    func noAccount() {
        var situation = Self.situation(.fresh)
        situation.hasAccount = false
        #expect(SilentPlan.decide(situation) == .needsSignIn(.noAccount))
    }

    @Test(
        "O14, O21: a caller who wants a new token, or claims, gets no stored one", arguments: AccessTokenState.allCases)
    func forced(access: AccessTokenState) {
        let options = SilentPlan.Options(ignoresStored: true, allowsExtendedLifetime: true)
        #expect(SilentPlan.decide(Self.situation(access), options: options) == .refresh(Self.own))
        #expect(SilentPlan.decide(Self.situation(access, own: nil), options: options) == .needsSignIn(.noRefreshToken))
        #expect(
            SilentPlan.decide(Self.situation(access), after: Self.after(Self.down), options: options)
                == .retryLater(.offline(Self.down)))
    }

    @Test("O17: one request is sent, not two", arguments: [down, .unreachable(.refused), .outcomeUnknown])
    func noBlindRetry(failure: ProviderFailure) {
        #expect(
            SilentPlan.decide(Self.situation(.expired), after: Self.after(failure)) == .retryLater(.offline(failure)))
    }

    @Test("O18: a provider that asks to wait is waited for; nothing is deleted, and no extended lifetime is used")
    func throttled() {
        let until = now.advanced(by: 30)
        let options = SilentPlan.Options(allowsExtendedLifetime: true)
        let action = SilentPlan.decide(
            Self.situation(.extended), after: Self.after(.throttled(until: until)), options: options)
        #expect(action == .retryLater(.throttled(until: until)))
    }

    @Test("O19: a status that no token endpoint should answer is a failure", arguments: [403, 404])
    func unexpectedStatus(status: Int) {
        let failure = ProviderFailure.unexpectedStatus(status)
        #expect(SilentPlan.decide(Self.situation(.expired), after: Self.after(failure)) == .failed(failure))
    }

    @Test("O20: a refresh token is not shown to another cloud")
    func otherCloud() {
        let german = Self.token(host: "login.microsoftonline.us")
        #expect(SilentPlan.decide(Self.situation(.expired, own: german)) == .needsSignIn(.otherCloud))
        #expect(
            SilentPlan.decide(Self.situation(.expired, own: Self.token(host: "login.windows.net")))
                == .refresh(Self.own))
    }

    @Test("O22: the extended lifetime is used while the provider is down, where the caller allows it")
    func extended() {
        let attempts = Self.after(Self.down)
        let allowed = SilentPlan.Options(allowsExtendedLifetime: true)
        #expect(
            SilentPlan.decide(Self.situation(.extended), after: attempts, options: allowed) == .useExtended(Self.down))
        #expect(SilentPlan.decide(Self.situation(.extended), after: attempts) == .retryLater(.offline(Self.down)))
        let refused = SilentPlan.decide(Self.situation(.extended), after: Self.after(Self.refused()), options: allowed)
        #expect(refused == .refused(Self.judged(Self.refused())))
    }

    @Test("O23, F1: the family's token is tried after the own one was refused")
    func familyAfterOwn() {
        let situation = Self.situation(.expired, family: Self.familyToken)
        #expect(SilentPlan.decide(situation) == .refresh(Self.own))
        #expect(SilentPlan.decide(situation, after: Self.after(Self.refused())) == .refresh(Self.family))
        let alone = Self.situation(.none, own: nil, family: Self.familyToken)
        #expect(SilentPlan.decide(alone) == .refresh(Self.family))
        #expect(
            Self.changes(Self.refused(), of: Self.family)
                == [.remember(JudgedRefusal(Self.refused(), RefusalRuling(.request, .signIn)))])
    }

    @Test("F2: a client known to be in no family uses its own token alone")
    func noFamily() {
        let situation = Self.situation(.expired, family: Self.familyToken, membership: .none)
        #expect(SilentPlan.decide(situation) == .refresh(Self.own))
        #expect(
            SilentPlan.decide(situation, after: Self.after(Self.refused())) == .refused(Self.judged(Self.refused())))
        let other = Self.situation(.expired, own: nil, family: Self.familyToken, membership: .member("2"))
        #expect(SilentPlan.decide(other) == .needsSignIn(.noRefreshToken))
    }

    @Test("F3: an answer teaches which family a client is in")
    func learnsFamily() throws {
        let member = try TokenResponse(reading: secret(#"{"access_token":"at","foci":"1"}"#))
        #expect(AppMetadata.Family(learnedFrom: member.details) == .member("1"))
        let none = try TokenResponse(reading: secret(#"{"access_token":"at"}"#))
        #expect(AppMetadata.Family(learnedFrom: none.details) == AppMetadata.Family.none)
    }

    @Test("F4: a member's refusal is told as it is")
    func familyRefused() {
        let situation = Self.situation(.none, own: nil, family: Self.familyToken, membership: .member("1"))
        let failure = Self.refused("invalid_grant", "xyz")
        #expect(
            SilentPlan.decide(situation, after: Self.after(failure, Self.family))
                == .refused(Self.judged(failure, .family)))
    }

    @Test("O24: a mismatch takes the client out of the family, and the first refusal is told")
    func clientMismatch() {
        let mismatch = Self.refused("invalid_grant", "client_mismatch")
        #expect(Self.changes(mismatch, of: Self.family) == [.leaveFamily])
        let attempts = Self.after(Self.refused()) + Self.after(mismatch, Self.family)
        let situation = Self.situation(.expired, family: Self.familyToken, membership: .none)
        #expect(SilentPlan.decide(situation, after: attempts) == .refused(Self.judged(Self.refused())))
    }

    @Test("O25: nothing but a family's token that was revoked needs a sign-in")
    func familyRevoked() {
        let situation = Self.situation(.expired, own: nil, family: Self.familyToken)
        #expect(
            SilentPlan.decide(situation, after: Self.after(Self.refused(), Self.family))
                == .refused(Self.judged(Self.refused(), .family)))
    }

    @Test("a newer token of another process is tried after a refusal, and its access token taken")
    func adopts() {
        let newer = GrantVersion(epoch: 1, generation: 2)
        let attempts = Self.after(Self.refused())
        let situation = Self.situation(.expired, own: Self.token(version: newer), family: Self.familyToken)
        #expect(SilentPlan.decide(situation, after: attempts) == .refresh(TokenIdentity(source: .own, version: newer)))
        #expect(
            SilentPlan.decide(Self.situation(.fresh, own: Self.token(version: newer)), after: attempts) == .useCached)
    }

    @Test("a store that changes under every attempt ends the attempts")
    func contention() {
        let attempts = (1...4).map { generation in
            SilentPlan.Attempt(
                token: TokenIdentity(source: .own, version: GrantVersion(epoch: 1, generation: generation)),
                failure: Self.refused(), ruling: .grantEnds)
        }
        let situation = Self.situation(.expired, own: Self.token(version: GrantVersion(epoch: 1, generation: 5)))
        #expect(SilentPlan.decide(situation, after: attempts) == .retryLater(.contention))
    }

    @Test("a grant that ended says why, and the family may still help")
    func ended() {
        let ended = Self.token(.needsSignIn(reason: "because"))
        #expect(SilentPlan.decide(Self.situation(.expired, own: ended)) == .needsSignIn(.grantEnded("because")))
        #expect(
            SilentPlan.decide(Self.situation(.expired, own: ended, family: Self.familyToken)) == .refresh(Self.family))
    }

    @Test("signed out beats everything that is stored", arguments: AccessTokenState.allCases)
    func signedOut(access: AccessTokenState) {
        let situation = Self.situation(access, own: Self.token(.signedOut), family: Self.familyToken)
        #expect(SilentPlan.decide(situation) == .needsSignIn(.signedOut))
    }

    @Test(
        "an access token's state follows from its times",
        arguments: [
            (-10, 300, nil, nil, AccessTokenState.fresh), (-10, 299, nil, nil, .expired), (-10, 299, nil, 1, .extended),
            (-10, 299, nil, 0, .expired), (-10, 900, -1, nil, .aging), (1, 900, nil, nil, .expired),
            (-10, nil, nil, nil, .fresh),
        ] as [(Int64, Int64?, Int64?, Int64?, AccessTokenState)])
    func states(cached: Int64, expires: Int64?, refresh: Int64?, extended: Int64?, expected: AccessTokenState) throws {
        let account = try #require(AccountID(homeAccountID: "a", environment: "idp.example"))
        let credential = Credential(
            kind: .accessToken, account: account, clientID: "c", cachedAt: now.advanced(by: cached),
            expiresOn: expires.map { now.advanced(by: $0) }, extendedExpiresOn: extended.map { now.advanced(by: $0) },
            refreshOn: refresh.map { now.advanced(by: $0) })
        #expect(AccessTokenState(credential, now: now, minimumValidity: 300) == expected)
        #expect(AccessTokenState(nil, now: now, minimumValidity: 300) == .none)
    }

    @Test(
        "where nobody says for how long it is needed, it is aging from its usual margin to its last ten seconds",
        arguments: [
            (-3_300, 300, AccessTokenState.fresh), (-3_301, 299, .aging), (-3_590, 10, .aging), (-3_591, 9, .expired),
            (-270, 30, .fresh), (-271, 29, .aging), (-54, 6, .fresh), (-55, 5, .expired), (-27, 3, .fresh),
            (nil, 300, .fresh), (nil, 299, .aging), (nil, 9, .expired), (1, 900, .expired), (0, .max, .fresh),
            (.min, 100, .aging), (0, 1, .fresh), (0, 0, .expired), (0, -1, .expired),
        ] as [(Int64?, Int64, AccessTokenState)])
    func usualStates(cached: Int64?, expires: Int64, expected: AccessTokenState) throws {
        let account = try #require(AccountID(homeAccountID: "a", environment: "idp.example"))
        let credential = Credential(
            kind: .accessToken, account: account, clientID: "c", cachedAt: cached.map(now.advanced(by:)),
            expiresOn: now.advanced(by: expires))
        #expect(AccessTokenState(credential, now: now, minimumValidity: nil) == expected)
    }

    @Test("what follows a refresh comes from how it ended")
    func continuations() {
        let failure = Self.refused()
        #expect(SilentContinuation(.refreshed(Self.first)) == .giveNew(isSaved: true))
        #expect(SilentContinuation(.refreshedUnsaved) == .giveNew(isSaved: false))
        #expect(
            SilentContinuation(.failed(Self.own, failure))
                == .decideAgain(SilentPlan.Attempt(token: Self.own, failure: failure)))
        let refusal = Self.judged(failure)
        #expect(
            SilentContinuation(.refused(Self.own, refusal))
                == .decideAgain(SilentPlan.Attempt(token: Self.own, failure: failure, ruling: refusal.ruling)))
        #expect(SilentContinuation(.superseded(Self.first)) == .decideAgain(nil))
        #expect(SilentContinuation(.busy) == .conclude(.retryLater(.contention)))
        #expect(SilentContinuation(.notDurable) == .storeFailed)
    }
}
