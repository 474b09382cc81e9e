import KeyfobModel
import KeyfobOAuth
import KeyfobSodium
import Testing

@Suite("PKCE") struct PKCETests {
    @Test("gives the challenge of RFC 7636, appendix B")
    func vector() {
        let pkce = PKCE(verifier: secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        #expect(pkce.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test("makes a verifier of 43 letters from fresh randomness")
    func fresh() {
        let first = PKCE(randomness: SecretBytes.random(count:))
        let second = PKCE(randomness: SecretBytes.random(count:))
        #expect(first.verifier.count == 43)
        let areEqual = first.verifier.isEqual(to: second.verifier)
        #expect(!areEqual)
    }
}

@Suite("Authorization sessions") struct AuthorizationSessionTests {
    static let redirect = "http://127.0.0.1:49152/callback"

    static func provider(namesIssuer: Bool = false) throws -> ProviderMetadata {
        var provider = ProviderMetadata(
            issuer: "https://idp.example",
            endpoints: [
                .authorization: try EndpointURL("https://idp.example/authorize?tenant=a"),
                .token: try EndpointURL("https://idp.example/token"),
            ])
        provider.namesIssuerInAnswers = namesIssuer
        return provider
    }

    static func session(
        namesIssuer: Bool = false, _ edit: (inout AuthorizationOptions) -> Void = { _ in }
    ) throws -> AuthorizationSession {
        var options = AuthorizationOptions(scopes: ["openid", "mail.read"])
        edit(&options)
        let target = AuthorizationSession.Target(
            provider: try provider(namesIssuer: namesIssuer), clientID: "client", redirectURI: redirect)
        let randomness = CountingRandomness()
        return try AuthorizationSession(target, options, randomness: { randomness.bytes($0) })
    }

    /// The state that ``CountingRandomness`` leads to: its second call.
    static let state = Base64.url.text([UInt8](repeating: 2, count: 16))

    static func outcome(_ answer: consuming AuthorizationAnswer) -> String {
        switch consume answer {
        case .code(let code): "code " + text(code)
        case .failed(let failure): "failed \(failure)"
        case .rejected(let rejection): "rejected \(rejection)"
        }
    }

    @Test("asks for everything in the query")
    func url() throws {
        let session = try Self.session {
            $0.extraScopes = ["files.read"]
            $0.prompt = .selectAccount
            $0.loginHint = "a@b.example"
            $0.domainHint = ""
            $0.claims = #"{"id_token":{}}"#
            $0.responseMode = .formPost
        }
        let challenge = PKCE(randomness: { [UInt8](repeating: 1, count: $0).withBytes { SecretBytes(copying: $0) } })
            .challenge
        let expected =
            "https://idp.example/authorize?tenant=a&response_type=code&client_id=client"
            + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A49152%2Fcallback&scope=openid%20mail.read%20files.read"
            + "&state=\(Self.state)&nonce=\(session.nonce)&code_challenge=\(challenge)&code_challenge_method=S256"
            + "&response_mode=form_post&prompt=select_account&login_hint=a%40b.example&claims=%7B%22id_token%22%3A%7B%7D%7D"
        #expect(session.url.text == expected)
        #expect(session.url.description == "https://idp.example/authorize")
    }

    @Test("redeems the code with the verifier and the same redirect address")
    func redemption() throws {
        var session = try Self.session()
        guard case .code(let code) = session.receive(secret("code=c%2Fd&state=\(Self.state)")) else {
            Issue.record("no code")
            return
        }
        let request = session.redemption(of: code, client: OAuthClient(id: "client"))
        let verifier = PKCE(randomness: { [UInt8](repeating: 1, count: $0).withBytes { SecretBytes(copying: $0) } })
        #expect(
            body(request)
                == "client_id=client&grant_type=authorization_code&code=c%2Fd"
                + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A49152%2Fcallback&code_verifier=\(text(verifier.verifier))"
                + "&scope=openid+mail.read")
        #expect(request.redactedDescription == "POST https://idp.example/token")
    }

    @Test(
        "judges what comes to the redirect address",
        arguments: [
            ("code=abc&state=STATE", "code abc"), ("code=abc&state=STATE&iss=https%3A%2F%2Fidp.example", "code abc"),
            ("code=abc&state=STATE&iss=https%3A%2F%2Fevil.example", "failed \(AuthorizationFailure.otherIssuer)"),
            (
                "code=abc&state=STATE&iss=https%253A%252F%252Fidp.example",
                "failed \(AuthorizationFailure.issuerEncodedTwice)"
            ),
            (
                "code=abc&state=STATE&iss=https%253A%252F%252Fevil.example",
                "failed \(AuthorizationFailure.otherIssuer)"
            ),
            ("code=abc&state=STATF", "rejected \(CallbackRejection.otherState)"),
            ("code=abc&state=", "rejected \(CallbackRejection.otherState)"),
            ("code=abc", "rejected \(CallbackRejection.otherState)"), ("", "rejected \(CallbackRejection.otherState)"),
            ("code=abc&code=def&state=STATE", "rejected \(CallbackRejection.malformed)"),
            ("state=STATE", "failed \(AuthorizationFailure.codeMissing)"),
            ("code=&state=STATE", "failed \(AuthorizationFailure.codeMissing)"),
            ("error=access_denied&state=STATE", "failed the provider refused: access_denied"),
            ("error=access_denied&code=abc&state=STATE", "failed the provider refused: access_denied"),
            ("error=access_denied", "rejected \(CallbackRejection.otherState)"),
        ])
    func judges(query: String, expected: String) throws {
        var session = try Self.session()
        let query = query.replacing("STATE", with: Self.state).replacing("STATF", with: Self.state.dropLast() + "B")
        #expect(Self.outcome(session.receive(secret(query))) == expected)
    }

    @Test(
        "takes an answer of a server of which no issuer is known by the host that people are led to",
        arguments: [
            ("", "code a"), ("&iss=https%3A%2F%2Fidp.example", "code a"),
            ("&iss=https%3A%2F%2Fidp.example%2Flogin%2Foauth", "code a"),
            ("&iss=https%3A%2F%2Fevil.example", "failed \(AuthorizationFailure.otherIssuer)"),
            ("&iss=https%3A%2F%2Fidp.example.evil.example", "failed \(AuthorizationFailure.otherIssuer)"),
            ("&iss=https%3A%2F%2Fidp.example%3A8443", "failed \(AuthorizationFailure.otherIssuer)"),
            ("&iss=idp.example", "failed \(AuthorizationFailure.otherIssuer)"),
        ])
    func issuerUnknown(field: String, expected: String) throws {
        var provider = try Self.provider()
        provider.issuer = nil
        let randomness = CountingRandomness()
        var session = try AuthorizationSession(
            .init(provider: provider, clientID: "client", redirectURI: Self.redirect), .init(scopes: []),
            randomness: { randomness.bytes($0) })
        // Neither is asked for that it may not know.
        #expect(!session.url.text.contains("scope=") && !session.url.text.contains("nonce="))
        #expect(Self.outcome(session.receive(secret("code=a&state=\(Self.state)\(field)"))) == expected)
    }

    @Test("goes on after another's callback, and takes no second answer")
    func second() throws {
        var session = try Self.session()
        #expect(Self.outcome(session.receive(secret("code=x&state=y"))) == "rejected it belongs to another sign-in")
        #expect(Self.outcome(session.receive(secret("code=a&state=\(Self.state)"))) == "code a")
        #expect(
            Self.outcome(session.receive(secret("code=b&state=\(Self.state)")))
                == "rejected there was an answer already")
    }

    @Test("wants the issuer where the provider always names it")
    func issuerMissing() throws {
        var session = try Self.session(namesIssuer: true)
        #expect(
            Self.outcome(session.receive(secret("code=a&state=\(Self.state)")))
                == "failed \(AuthorizationFailure.issuerMissing)")
    }

    @Test("takes an error that does not name the issuer, because it hands nothing over")
    func issuerMissingFromError() throws {
        var session = try Self.session(namesIssuer: true)
        let outcome = Self.outcome(session.receive(secret("error=access_denied&state=\(Self.state)")))
        #expect(outcome != "failed \(AuthorizationFailure.issuerMissing)" && outcome.hasPrefix("failed "))
    }

    @Test(
        "takes an address that was pasted, if it is the redirect's",
        arguments: [
            (" \(redirect)?code=a&state=STATE#frag \n", "code a"), ("\(redirect)#code=a&state=STATE", "code a"),
            ("http://127.0.0.1:1/callback?code=a&state=STATE", "rejected \(CallbackRejection.otherAddress)"),
            ("\(redirect)x?code=a&state=STATE", "rejected \(CallbackRejection.otherAddress)"),
            ("\(redirect)", "rejected \(CallbackRejection.otherAddress)"),
            ("", "rejected \(CallbackRejection.otherAddress)"),
        ])
    func pasted(url: String, expected: String) throws {
        var session = try Self.session()
        let url = url.replacing("STATE", with: Self.state)
        #expect(Self.outcome(session.receive(secret(url), as: .pastedURL)) == expected)
    }

    @Test("takes no part of an answer for the answer", arguments: 0..<58)
    func truncated(count: Int) throws {
        let full = "state=\(Self.state)&iss=https%3A%2F%2Fidp.example&code=abcdef"
        var session = try Self.session()
        let part = String(full.prefix(count))
        #expect(!Self.outcome(session.receive(secret(part))).hasPrefix("code "))
    }

    @Test("does not begin without an endpoint, or without S256")
    func missing() throws {
        var provider = try Self.provider()
        provider.challengeMethods = ["plain"]
        #expect(throws: DiscoveryFailure.noPKCE) { try provider.require(.authorization) }
        provider = ProviderMetadata(issuer: nil)
        #expect(throws: DiscoveryFailure.endpointMissing(.token)) { try provider.require(.token) }
    }
}

@Suite("Client authentication") struct OAuthClientTests {
    @Test("goes in the body, in the header, or is the id alone")
    func places() throws {
        let endpoint = try EndpointURL("https://idp.example/token")
        let token = secret("rt")
        let open = TokenRequests.refresh(token, scopes: [], client: OAuthClient(id: "c d"), at: endpoint)
        #expect(body(open) == "client_id=c+d&grant_type=refresh_token&refresh_token=rt")
        let posted = TokenRequests.refresh(
            token, scopes: ["a"], client: OAuthClient(id: "c", secret: secret("s&")), at: endpoint,
            extra: [("client_info", "1")])
        #expect(
            body(posted)
                == "client_id=c&client_secret=s%26&grant_type=refresh_token&refresh_token=rt&scope=a&client_info=1")
        let basic = TokenRequests.refresh(
            token, scopes: [], client: OAuthClient(id: "c:d", secret: secret("s/ö"), authentication: .basic),
            at: endpoint)
        #expect(body(basic) == "grant_type=refresh_token&refresh_token=rt")
        // printf 'c%%3Ad:s%%2F%%C3%%B6' | base64
        let header =
            switch basic.authorization {
            case .some(let header): text(header)
            case .none: ""
            }
        #expect(header == "Basic YyUzQWQ6cyUyRiVDMyVCNg==")
    }

    @Test("revokes by RFC 7009")
    func revokes() throws {
        let endpoint = try EndpointURL("https://idp.example/revoke")
        let request = TokenRequests.revoke(
            secret("rt"), kind: .refreshToken, client: OAuthClient(id: "c"), at: endpoint)
        #expect(body(request) == "client_id=c&token=rt&token_type_hint=refresh_token")
        let byBearer = TokenRequests.revoke(secret("rt"), kind: .refreshToken, bearer: secret("at"), at: endpoint)
        #expect(body(byBearer) == "token=rt&token_type_hint=refresh_token")
        let header =
            switch byBearer.authorization {
            case .some(let header): text(header)
            case .none: ""
            }
        #expect(header == "Bearer at")
        #expect(RevocationOutcome(try response(200, ""), now: now) == .revoked)
        #expect(RevocationOutcome(try response(503, ""), now: now) == .failed(.serverDown(status: 503, retryAt: nil)))
    }
}
