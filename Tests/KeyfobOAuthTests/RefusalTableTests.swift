import KeyfobModel
import KeyfobOAuth
import Testing

@Suite("How far a refusal reaches") struct RefusalTableTests {
    /// A row of the table: what Microsoft says, and how far that reaches at home and in another tenant.
    struct Row: CustomTestStringConvertible {
        let error: String
        let suberror: String?
        let code: Int64?
        let home: RefusalRuling
        let away: RefusalRuling

        init(
            _ error: String, _ suberror: String?, _ code: Int64?, _ home: RefusalRuling, away: RefusalRuling? = nil
        ) {
            (self.error, self.suberror, self.code, self.home, self.away) = (error, suberror, code, home, away ?? home)
        }

        var testDescription: String {
            [error, suberror, code.map(String.init)].compactMap(\.self).joined(separator: " ")
        }

        func failure(_ suberror: String? = nil) -> ProviderFailure {
            ProviderFailure(
                Refusal(
                    status: 400, error: error, suberror: self.suberror ?? suberror, codes: [code].compactMap(\.self)))
        }
    }

    static let signIn = RefusalRuling(.request, .signIn)
    static let factor = RefusalRuling(.request, .secondFactor)
    static let policy = RefusalRuling(.request, .meetPolicy)
    static let consent = RefusalRuling(.request, .consent)
    static let unknown = RefusalRuling(.request, .signIn, needsProbe: true)
    static let guest = RefusalRuling(.tenant, .invitation)
    static let client = RefusalRuling(.tenant, .administrator, isOfClient: true)

    static let byCode: [Row] =
        [50_173, 50_132, 50_133, 70_008, 700_082, 700_084].map { Row("invalid_grant", nil, $0, .grantEnds) }
        + [50_020, 90_072].map { Row("invalid_grant", nil, $0, guest) }
        + [50_074, 50_076, 50_078, 50_079].map { Row("invalid_grant", nil, $0, factor) }
        + [50_158, 53_004, 70_043, 500_133].map { Row("invalid_grant", nil, $0, signIn) }
        + [53_000, 53_001, 53_002, 53_003, 53_009, 530_002, 530_003, 530_021].map {
            Row("invalid_grant", nil, $0, policy)
        }
        + [
            Row("invalid_grant", nil, 50_034, unknown, away: guest),
            Row("invalid_grant", nil, 50_057, .grantEnds, away: guest),
            Row("invalid_grant", nil, 50_105, client), Row("unauthorized_client", nil, 700_016, client),
            Row("invalid_grant", nil, 65_001, consent), Row("interaction_required", nil, 50_076, factor),
            Row("invalid_resource", nil, 500_011, RefusalRuling(.request, .otherScopes)),
            Row("interaction_required", "token_expired", 70_043, signIn),
            Row("invalid_grant", nil, 99_999, unknown), Row("invalid_grant", "bad_token", 99_999, .grantEnds),
        ]

    static let byName: [Row] = [
        Row("invalid_grant", "bad_token", nil, .grantEnds),
        Row("invalid_grant", "user_account_deleted", nil, .grantEnds),
        Row("invalid_grant", "client_mismatch", nil, RefusalRuling(.client, .signIn)),
        Row("invalid_grant", "basic_action", nil, signIn), Row("invalid_grant", "additional_action", nil, signIn),
        Row("invalid_grant", "message_only", nil, signIn), Row("invalid_grant", "token_expired", nil, signIn),
        Row("invalid_grant", "device_authentication_failed", nil, signIn),
        Row("invalid_grant", "consent_required", nil, consent),
        Row("invalid_grant", "user_password_expired", nil, RefusalRuling(.request, .newPassword)),
        Row("invalid_grant", "protection_policy_required", nil, policy), Row("interaction_required", nil, nil, signIn),
        Row("login_required", nil, nil, signIn), Row("consent_required", nil, nil, consent),
        Row("access_denied", nil, nil, signIn), Row("invalid_scope", nil, nil, RefusalRuling(.request, .otherScopes)),
        Row("invalid_target", nil, nil, RefusalRuling(.request, .otherScopes)),
        Row("invalid_client", nil, nil, RefusalRuling(.client, .otherClient)),
        Row("unauthorized_client", nil, nil, RefusalRuling(.client, .otherClient)),
        Row("unauthorized_client", "protection_policy_required", nil, RefusalRuling(.client, .otherClient)),
        Row("unsupported_grant_type", nil, nil, RefusalRuling(.request, nil)),
        Row("something_new", nil, nil, RefusalRuling(.request, nil)),
        Row("invalid_grant", nil, nil, unknown), Row("invalid_grant", "never_heard_of", nil, unknown),
    ]

    @Test("Microsoft's words and codes, at home and as a guest", arguments: byCode + byName)
    func microsoft(row: Row) {
        for (isHome, expected) in [(true, row.home), (false, row.away)] {
            let circumstances = RefusalCircumstances(.entra, isHome: isHome, wasServed: false)
            #expect(RefusalTable.ruling(on: row.failure(), circumstances) == expected)
        }
    }

    @Test("a code counts by itself, and in the sentence where no list has it", arguments: byCode)
    func sentence(row: Row) throws {
        let code = try #require(row.code)
        let text = try #require(ProviderText("AADSTS\(code): Nobody reads this."))
        let failure = ProviderFailure(Refusal(status: 400, error: row.error, suberror: row.suberror, text: text))
        #expect(RefusalTable.ruling(on: failure, RefusalCircumstances(.entra, wasServed: false)) == row.home)
    }

    @Test("a suberror that nobody knows takes nothing from a code", arguments: byCode)
    func strangeSuberror(row: Row) {
        let circumstances = RefusalCircumstances(.entra, wasServed: false)
        #expect(RefusalTable.ruling(on: row.failure("never_heard_of"), circumstances) == row.home)
    }

    @Test("of several codes the narrowest counts, and it goes before a token that is called bad")
    func several() {
        let circumstances = RefusalCircumstances(.entra, wasServed: true)
        let both = ProviderFailure(Refusal(status: 400, error: "invalid_grant", codes: [50_173, 50_076]))
        #expect(RefusalTable.ruling(on: both, circumstances) == Self.factor)
        let bad = ProviderFailure(Refusal(status: 400, error: "invalid_grant", suberror: "bad_token", codes: [70_043]))
        #expect(RefusalTable.ruling(on: bad, circumstances) == Self.signIn)
    }

    @Test("other providers' numbers are nobody's, but names mean the same", arguments: byCode)
    func otherProvider(row: Row) {
        let plain = Row(row.error, row.suberror, nil, row.home).failure()
        for wasServed in [false, true] {
            let circumstances = RefusalCircumstances(.other, wasServed: wasServed)
            // That an organisation forbids it is told by number wherever it comes from.
            guard row.failure().refusal?.policy == nil else { continue }
            #expect(
                RefusalTable.ruling(on: row.failure(), circumstances) == RefusalTable.ruling(on: plain, circumstances))
        }
    }

    @Test("what the grant served before and does not serve now ends it; of what it never served nobody knows")
    func served() {
        let failure = ProviderFailure(Refusal(status: 400, error: "invalid_grant"))
        for provider in [RefusalCircumstances.Provider.entra, .other] {
            #expect(RefusalTable.ruling(on: failure, RefusalCircumstances(provider, wasServed: true)) == .grantEnds)
            #expect(RefusalTable.ruling(on: failure, RefusalCircumstances(provider, wasServed: false)) == Self.unknown)
        }
    }

    @Test("another client's grant is ended by what is certain alone")
    func family() {
        let circumstances = RefusalCircumstances(.entra, wasServed: false, source: .family)
        let unknown = ProviderFailure(Refusal(status: 400, error: "invalid_grant"))
        #expect(RefusalTable.ruling(on: unknown, circumstances) == Self.signIn)
        let revoked = ProviderFailure(Refusal(status: 400, error: "invalid_grant", codes: [50_173]))
        #expect(RefusalTable.ruling(on: revoked, circumstances) == .grantEnds)
    }

    @Test(
        "what is no refusal is about the provider",
        arguments: [
            .serverDown(status: 500, retryAt: nil), .throttled(until: now), .unreachable(.refused), .outcomeUnknown,
            .unexpectedStatus(404), .protocolViolation(.html, status: 200), .refusedWithoutReason(Refusal(status: 400)),
        ] as [ProviderFailure])
    func provider(failure: ProviderFailure) {
        for wasServed in [false, true] {
            let ruling = RefusalTable.ruling(on: failure, RefusalCircumstances(.entra, wasServed: wasServed))
            #expect(ruling == RefusalRuling(.provider, nil))
        }
    }

    @Test("a remembered refusal is the one that came", arguments: byCode + byName)
    func remembered(row: Row) throws {
        let text = ProviderText("AADSTS1: " + String(repeating: "word ", count: 80))
        var refusal = try #require(row.failure().refusal)
        (refusal.text, refusal.claims) = (text, #"{"access_token":{}}"#)
        let judged = JudgedRefusal(ProviderFailure(refusal), row.away)
        let verdict = try #require(RefusalVerdict(judged, of: RefusedRequest(clientID: "app"), id: "1", at: now))
        #expect(verdict.judged.failure == judged.failure)
        let ruling = verdict.judged.ruling
        #expect(ruling.reach == judged.ruling.reach && ruling.remedy == judged.ruling.remedy)
    }
}
