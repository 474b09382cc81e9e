import KeyfobModel
import KeyfobOAuth
import KeyfobSodium
import Testing

@Suite("Token answers") struct TokenResponseTests {
    static let full = """
        {"token_type":"Bearer","scope":"a b","expires_in":3600,"ext_expires_in":"7200","refresh_in":-1,\
        "access_token":"at\\u0031","refresh_token":"rt","id_token":"h.p.s","foci":"1",\
        "client_info":"eyJ1aWQiOiJ1IiwidXRpZCI6InQifQ","unknown":{"a":[1]}}
        """

    static func read(_ json: String) throws -> TokenResponse {
        try TokenResponse(reading: secret(json))
    }

    @Test("reads every field")
    func reads() throws {
        let answer = try Self.read(Self.full)
        #expect(text(answer.accessToken) == "at1")
        let refresh =
            switch answer.refreshToken {
            case .some(let token): text(token)
            case .none: ""
            }
        #expect(refresh == "rt")
        #expect(answer.details.scopes == ["a", "b"])
        #expect(answer.details.familyID == "1")
        #expect(answer.details.clientInfo?.homeAccountID == "u.t")
        let times = TokenTimes(answer.details, sentAt: now, neverExpires: false)
        #expect(times.expiresOn == now.advanced(by: 3_600))
        #expect(times.extendedExpiresOn == now.advanced(by: 7_200))
        #expect(times.refreshOn == now.advanced(by: -1))
    }

    @Test(
        "lacks a refresh token where the answer has none, so that the old one is kept",
        arguments: ["", #","refresh_token":"""#, #","refresh_token":null"#])
    func keepsOld(field: String) throws {
        let answer = try Self.read(#"{"access_token":"at","token_type":"bearer"\#(field)}"#)
        let isAbsent =
            switch answer.refreshToken {
            case .some: false
            case .none: true
            }
        #expect(isAbsent)
    }

    @Test(
        "counts how long a token lives",
        arguments: [
            ("3600", 3_600), (#""3600""#, 3_600), ("3599.9", 3_599), ("-5", 0), ("0", 0), ("1", 1), ("null", 3_600),
            ("[]", 3_600),
            (#""soon""#, 3_600), ("1e3", 3_600), ("1000000000000", 315_360_000), ("99999999999999", 315_360_000),
            ("99999999999999999999999", 3_600),
        ] as [(String, Int64)])
    func lifetimes(value: String, seconds: Int64) throws {
        let answer = try Self.read(#"{"access_token":"at","refresh_token":"rt","expires_in":\#(value)}"#)
        #expect(TokenTimes(answer.details, sentAt: now, neverExpires: false).expiresOn == now.advanced(by: seconds))
    }

    @Test("never expires where the provider's tokens do not")
    func neverExpires() throws {
        let answer = try Self.read(#"{"access_token":"gho","token_type":"bearer","scope":"repo,gist"}"#)
        #expect(TokenTimes(answer.details, sentAt: now, neverExpires: true).expiresOn == nil)
        #expect(answer.details.scopes == ["repo", "gist"])
    }

    @Test(
        "O16: refuses what is no token",
        arguments: [
            ("{}", ProtocolViolation.missing("access_token")), (#"{"access_token":""}"#, .badValue("access_token")),
            (#"{"access_token":1}"#, .badValue("access_token")), ("[]", .notAnObject), ("", .empty),
            (#"{"access_token":"a","access_token":"b"}"#, .repeatedName),
            (#"{"access_token":"a","token_type":"mac"}"#, .unknownTokenType),
        ])
    func refuses(json: String, violation: ProtocolViolation) {
        #expect(throws: violation) { _ = try Self.read(json) }
    }

    @Test("refuses every truncation", arguments: 0..<full.utf8.count)
    func truncated(count: Int) {
        let part = String(decoding: Array(Self.full.utf8.prefix(count)), as: UTF8.self)
        #expect(throws: ProtocolViolation.self) { _ = try Self.read(part) }
    }

    @Test("refuses an answer longer than 1 MiB before it is read")
    func huge() {
        #expect(throws: ProtocolViolation.tooLarge) {
            _ = try response(200, String(repeating: " ", count: HTTPResponse.bodyLimit + 1))
        }
    }

    @Test("O27: finds the scopes that were declined")
    func scopes() {
        let asked: ScopeSet = ["new.SCOPE1", "new.sCope2", "openid", "https://x/.default"]
        let fewer = GrantedScopes(asked: asked, answered: ["new.scope", "New.Scope1"])
        #expect(fewer.declined.scopes == ["new.sCope2"])
        #expect(fewer.granted.scopes == ["new.scope", "New.Scope1"])
        #expect(GrantedScopes(asked: asked, answered: nil).declined.isEmpty)
    }
}

@Suite("Provider failures") struct ProviderFailureTests {
    @Test(
        "are told apart",
        arguments: [
            (
                400, #"{"error":"invalid_grant"}"#,
                ProviderFailure.invalidGrant(Refusal(status: 400, error: "invalid_grant"))
            ),
            (
                400, #"{"error":"invalid_grant","suberror":"bad_token"}"#,
                .invalidGrant(Refusal(status: 400, error: "invalid_grant", suberror: "bad_token"))
            ),
            (
                400, #"{"error":"invalid_grant","suberror":"basic_action"}"#,
                .interactionRequired(Refusal(status: 400, error: "invalid_grant", suberror: "basic_action"))
            ),
            (
                400, #"{"error":"interaction_required","error_codes":[50076]}"#,
                .interactionRequired(Refusal(status: 400, error: "interaction_required", codes: [50_076]))
            ),
            (400, #"{"error":"invalid_scope"}"#, .scopeRefused(Refusal(status: 400, error: "invalid_scope"))),
            (401, #"{"error":"invalid_client"}"#, .clientRefused(Refusal(status: 401, error: "invalid_client"))),
            (
                200, #"{"error":"authorization_pending"}"#,
                .requestRefused(Refusal(status: 200, error: "authorization_pending"))
            ),
            (400, #"{"error":"NO WORD"}"#, .requestRefused(Refusal(status: 400, error: "unreadable"))),
            (400, "", .refusedWithoutReason(Refusal(status: 400))),
            (401, "", .refusedWithoutReason(Refusal(status: 401))),
            (400, "{}", .refusedWithoutReason(Refusal(status: 400))),
            (400, "<html>", .protocolViolation(.html, status: 400)),
            (200, " <!DOCTYPE", .protocolViolation(.html, status: 200)),
            (200, "", .protocolViolation(.empty, status: 200)),
            (200, "[]", .protocolViolation(.notAnObject, status: 200)),
            (403, "<html>", .unexpectedStatus(403)), (404, "", .unexpectedStatus(404)),
            (302, "", .unexpectedStatus(302)),
            (500, "", .serverDown(status: 500, retryAt: nil)), (503, "x", .serverDown(status: 503, retryAt: nil)),
            (429, "", .throttled(until: now.advanced(by: 60))),
            (400, #"{"error":"temporarily_unavailable"}"#, .serverDown(status: 400, retryAt: nil)),
        ])
    func classified(status: Int, body: String, expected: ProviderFailure) throws {
        #expect(try failure(status, body) == expected)
    }

    @Test("wait as long as they are asked to")
    func throttled() throws {
        let retry = [("retry-after", "7")]
        #expect(try failure(429, "", retry) == .throttled(until: now.advanced(by: 7)))
        #expect(try failure(503, "", retry) == .throttled(until: now.advanced(by: 7)))
        #expect(try failure(500, "", retry) == .serverDown(status: 500, retryAt: now.advanced(by: 7)))
    }

    @Test("say nothing that could be secret")
    func messages() throws {
        let token = String(repeating: "eyJhbGciOi", count: 8)
        let body = """
            {"error":"invalid_grant","error_description":"Token \(token) at https://x.example/?code=hidden code=hidden \
            is bad.\\u001b[31m\\r\\nTrace ID: 1","correlation_id":"\(token)"}
            """
        let refusal = try #require(try failure(400, body)?.refusal)
        #expect(
            refusal.description
                == "the provider refused: invalid_grant (status 400): Token … at https://x.example/?… … is bad.[31m")
        #expect(refusal.correlationID == nil)
    }

    @Test(
        "show nothing that hides or turns text around",
        arguments: [
            0x85, 0xAD, 0x061C, 0x180E, 0x200B, 0x200D, 0x200F, 0x2028, 0x202E, 0x2060, 0x2069, 0xFEFF, 0xFFF9, 0xFFFB,
            0xE0000, 0xE0041, 0xE007F,
        ] as [UInt32])
    func invisible(value: UInt32) throws {
        let mark = String(try #require(Unicode.Scalar(value)))
        let body = "{\"error\":\"invalid_grant\",\"error_description\":\"\(mark)no\(mark)no\(mark)\"}"
        let text = try #require(try failure(400, body)?.refusal?.description)
        #expect(text.hasSuffix(": nono"))
    }

    @Test(
        "know whether the provider may have acted",
        arguments: [
            (ProviderFailure.outcomeUnknown, true), (.serverDown(status: 500, retryAt: nil), true),
            (.serverDown(status: 503, retryAt: nil), false), (.throttled(until: now), false),
            (.unreachable(.refused), false),
            (.protocolViolation(.html, status: 200), true), (.protocolViolation(.html, status: 400), false),
            (.invalidGrant(Refusal(status: 400)), false), (.unexpectedStatus(302), true),
            (.unexpectedStatus(404), false),
        ])
    func acted(failure: ProviderFailure, expected: Bool) {
        #expect(failure.mayHaveBeenProcessed == expected)
    }
}
