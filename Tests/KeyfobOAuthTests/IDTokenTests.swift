import KeyfobModel
import KeyfobOAuth
import KeyfobSodium
import Testing

@Suite("ID tokens") struct IDTokenTests {
    static let claims = """
        {"iss":"https://idp.example","sub":"subject","aud":"client","exp":1795246800,"iat":1795243200,"nonce":"n",\
        "preferred_username":"ann@contoso.example","name":"Ann","oid":"o1","tid":"f645ad92-e38d-4d1a-b510-d1b09a74a8ca"}
        """

    static func compact(_ claims: String, header: String = #"{"alg":"RS256","kid":"k"}"#, signature: String = "c2ln")
        -> String
    {
        Base64.url.text(Array(header.utf8)) + "." + Base64.url.text(Array(claims.utf8)) + "." + signature
    }

    static func token(_ edit: (inout String) -> Void = { _ in }) throws -> IDToken {
        var claims = claims
        edit(&claims)
        return try IDToken(reading: secret(compact(claims)))
    }

    static let expectation = IDTokenExpectation(
        issuer: "https://idp.example", clientID: "client", nonce: "n", algorithms: ["RS256"])

    @Test("are read and accepted when all is well")
    func accepted() throws {
        let token = try Self.token()
        #expect(token.algorithm == "RS256")
        #expect(token.keyID == "k")
        try Self.expectation.check(token, now: now)
    }

    @Test(
        "are refused for what they say",
        arguments: [
            (#""iss":"https://idp.example""#, #""iss":"https://idp.example/""#, IDTokenFlaw.otherIssuer),
            (#""aud":"client""#, #""aud":"other""#, .otherAudience),
            (#""aud":"client""#, #""aud":["client","other"]"#, .otherAudience),
            (#""aud":"client""#, #""aud":"client","azp":"other""#, .otherAudience),
            (#""nonce":"n""#, #""nonce":"m""#, .otherNonce), (#","nonce":"n""#, "", .otherNonce),
            ("1795246800", "1795242900", .expired), (#""iat":1795243200"#, #""iat":1795243501"#, .notYetValid),
            (#""iat":1795243200"#, #""iat":1795243200,"nbf":1795243501"#, .notYetValid),
        ])
    func refused(old: String, new: String, flaw: IDTokenFlaw) throws {
        let token = try Self.token { $0 = $0.replacing(old, with: new) }
        #expect(throws: flaw) { try Self.expectation.check(token, now: now) }
    }

    @Test(
        "are accepted within five minutes of skew, and for several audiences where we are the party",
        arguments: [
            ("1795246800", "1795242901"), (#""iat":1795243200"#, #""iat":1795243500"#),
            (#""aud":"client""#, #""aud":["other","client"],"azp":"client""#),
        ])
    func tolerated(old: String, new: String) throws {
        try Self.expectation.check(try Self.token { $0 = $0.replacing(old, with: new) }, now: now)
    }

    @Test(
        "are refused for how they are signed",
        arguments: [
            (#"{"alg":"none"}"#, "c2ln", IDTokenFlaw.algorithmRefused), (#"{"alg":"NONE"}"#, "c2ln", .algorithmRefused),
            (#"{"alg":"none"}"#, "", .algorithmRefused), (#"{"alg":"RS256"}"#, "", .algorithmRefused),
            ("{}", "c2ln", .algorithmRefused),
            (#"{"alg":1}"#, "c2ln", .algorithmRefused),
            (#"{"alg":"RS256","crit":["b64"]}"#, "c2ln", .criticalExtension),
            ("[]", "c2ln", .malformed(.notAnObject)),
            (#"{"alg":"RS256","alg":"none"}"#, "c2ln", .malformed(.repeatedName)),
            (#"{"alg":"RS256"}"#, "c2ln.x", .notAToken), (#"{"alg":"RS256"}"#, "c2ln=", .notAToken),
        ])
    func signature(header: String, signature: String, flaw: IDTokenFlaw) {
        let compact = Self.compact(Self.claims, header: header, signature: signature)
        #expect(throws: flaw) { try IDToken(reading: secret(compact)) }
    }

    @Test("are refused for an algorithm the provider does not use")
    func otherAlgorithm() throws {
        let token = try IDToken(reading: secret(Self.compact(Self.claims, header: #"{"alg":"HS256"}"#)))
        #expect(throws: IDTokenFlaw.algorithmRefused) { try Self.expectation.check(token, now: now) }
    }

    @Test(
        "are refused without a claim that must be there",
        arguments: [
            (#""iss":"https://idp.example","#, "iss"), (#""sub":"subject","#, "sub"), (#""aud":"client","#, "aud"),
            (#""exp":1795246800,"#, "exp"), (#""iat":1795243200,"#, "iat"),
        ])
    func missing(claim: String, name: String) {
        #expect(throws: IDTokenFlaw.malformed(.missing(name))) { try Self.token { $0 = $0.replacing(claim, with: "") } }
    }

    @Test("are refused about somebody else after a refresh, which needs no nonce")
    func subject() throws {
        let token = try Self.token { $0 = $0.replacing(#","nonce":"n""#, with: "") }
        var expectation = Self.expectation
        expectation.nonce = nil
        expectation.subject = "subject"
        try expectation.check(token, now: now)
        expectation.subject = "other"
        #expect(throws: IDTokenFlaw.otherSubject) { try expectation.check(token, now: now) }
    }

    @Test(
        "of Microsoft name their tenant's issuer",
        arguments: [
            ("f645ad92-e38d-4d1a-b510-d1b09a74a8ca", true), ("00000000-e38d-4d1a-b510-d1b09a74a8ca", false),
            ("common", false),
        ])
    func tenants(tenant: String, isTaken: Bool) throws {
        let token = try Self.token {
            $0 = $0.replacing("https://idp.example", with: "https://login.microsoftonline.com/\(tenant)/v2.0")
        }
        var expectation = Self.expectation
        expectation.issuer = "https://login.microsoftonline.com/{tenantid}/v2.0"
        if isTaken {
            try expectation.check(token, now: now)
        } else {
            #expect(throws: IDTokenFlaw.otherIssuer) { try expectation.check(token, now: now) }
        }
    }

    @Test("are refused at every truncation", arguments: 0..<compact(claims).utf8.count - 2)
    func truncated(count: Int) {
        let part = String(Self.compact(Self.claims).prefix(count))
        #expect(throws: IDTokenFlaw.self) { try IDToken(reading: secret(part)) }
    }
}

@Suite("Signed-in accounts") struct SignedInAccountTests {
    static let microsoft = "login.microsoftonline.com"

    @Test("are known by client_info, by object and tenant, or by subject")
    func ids() throws {
        let claims = try IDTokenTests.token().claims
        let info = try #require(ClientInfo(uid: "uid", utid: "utid"))
        let full = try #require(SignedInAccount(claims, clientInfo: info, environment: Self.microsoft))
        #expect(full.id.homeAccountID == "uid.utid")
        #expect(full.profile.realm == "f645ad92-e38d-4d1a-b510-d1b09a74a8ca")
        #expect(full.profile.localAccountID == "o1")
        #expect(full.profile.username == "ann@contoso.example")
        let object = SignedInAccount(claims, clientInfo: nil, environment: Self.microsoft)
        #expect(object?.id.homeAccountID == "o1.f645ad92-e38d-4d1a-b510-d1b09a74a8ca")
        #expect(SignedInAccount(claims, clientInfo: info, environment: "idp.example")?.id.homeAccountID == "subject")
        #expect(SignedInAccount(claims, clientInfo: nil, environment: "") == nil)
    }

    @Test("are compared with the account asked for")
    func compared() throws {
        let account = try #require(
            SignedInAccount(IDTokenTests.token().claims, clientInfo: nil, environment: Self.microsoft))
        let same = Account(id: account.id, username: "whatever")
        #expect(account.compared(with: same) == .same)
        let other = try #require(AccountID(homeAccountID: "x.y", environment: "login.windows.net"))
        #expect(account.compared(with: Account(id: other, username: "ann@contoso.example")) == .other)
        var profile = account.profile
        profile.username = "ANN@contoso.example"
        #expect(account.compared(with: Account(id: other, username: "", tenantProfiles: [profile])) == .renumbered)
        let elsewhere = try #require(AccountID(homeAccountID: "x.y", environment: "idp.example"))
        #expect(account.compared(with: Account(id: elsewhere, username: "", tenantProfiles: [profile])) == .other)
    }

    @Test(
        "have no home id from a client_info that is damaged",
        arguments: [
            "", "e30", "eyJ1aWQiOiJ1In0", "eyJ1aWQiOiIiLCJ1dGlkIjoidCJ9", "eyJ1aWQiOiJ1IiwidXRpZCI6InQifQ==", "W10",
        ])
    func damaged(encoded: String) {
        #expect(ClientInfo(encoded: secret(encoded)) == nil)
    }
}
