import Foundation
import Keyfob
import KeyfobOAuth
import KeyfobTestSupport
import Synchronization
import Testing

@Suite("Signing in", .eachStorageInFullRun)
struct SignInTests: SilentSuite {
    let home: SilentHome

    init() throws {
        home = try .atPlainProvider()
    }

    /// An answer whose ID token repeats the nonce that was asked for.
    private static func good(_ access: String = "at", refresh: String? = "rt", scope: String? = nil)
        -> @Sendable ([String: String]) -> ScriptedNetwork.Answer
    {
        { .tokens(access, refresh: refresh, scope: scope, id: TestIDToken(nonce: $0["nonce"]).text) }
    }

    @Test("by browser: account, grant and tokens are stored, and found silently")
    func browser() async throws {
        let report = try await signInByBrowser(request, home, Self.good(scope: "openid mail.read"))
        #expect(report.account.id == ada.id && report.account.username == "ada@id.example" && report.isNew)
        #expect(report.scopes == ["openid", "mail.read"] && report.declinedScopes == [] && report.hasRefreshToken)
        #expect(report.clientID == "app" && report.group == .default)
        let grants = try home.grants(of: ada)
        #expect(grants.map(\.grant) == [Grant()] && grants.map(\.scopes) == [["openid", "mail.read"]])
        #expect(try await home.token(ada).text == "at")
        let sent = try #require(provider.tokenRequests.first)
        #expect(sent.fields["grant_type"] == "authorization_code" && sent.fields["code"] == "c0de")
        #expect(sent.fields["redirect_uri"] == "http://127.0.0.1:8400/callback")
        #expect((sent.fields["code_verifier"] ?? "").utf8.count >= 43)
        #expect(try home.opened().accounts.credentials(of: ada.id, in: .default).count { $0.kind == .idToken } == 1)
        #expect(try home.opened().accounts.list().map(\.state) == [.signedIn])
    }

    @Test(
        "an account whose subject is its user name stays its person's, whatever is left of it",
        arguments: ["there", "signed out", "removed"])
    func subjectIsName(left: String) async throws {
        func signIn(_ subject: String, as account: AccountID? = nil) async throws -> SignInReport {
            var request = request
            request.account = account
            return try await signInByBrowser(request, home) {
                .tokens(
                    "at-\(subject)", refresh: "rt-\(subject)",
                    id: TestIDToken(subject: subject, nonce: $0["nonce"], username: "ada").text)
            }
        }
        let own = try await signIn("ada").account.id
        #expect(own.homeAccountID == "ada")
        switch left {
        case "signed out":
            _ = try await home.keyring.accounts.signOut(
                own, reach: .everywhere, from: .default, undo: .none, network: nil)
        case "removed": _ = try home.keyring.accounts.removeForGood(own, from: .default)
        default: break
        }
        let failed = await keyringError { _ = try await signIn("666", as: own) }
        #expect(failed?.code == .otherAccount)
        let other = try await signIn("666")
        #expect(other.isNew && other.account.id.homeAccountID == "666")
        let accounts = try home.opened().accounts.list().map(\.account)
        #expect(accounts.contains { $0.id == own } == (left != "removed"))
        #expect(accounts.allSatisfy { $0.formerNames.isEmpty && $0.isProved })
        // The person themselves gets it back.
        #expect(try await signIn("ada").account.id == own)
        #expect(try await home.token(Account(id: own, username: "ada")).text == "at-ada")
    }

    @Test(
        "a provider that asks for a moment, or is out of order for one, ends no sign-in",
        arguments: [
            .status(503, retryAfter: "1"), .status(429, retryAfter: "0"), .status(500), .failed(.unreachable(.refused)),
        ]
            as [ScriptedNetwork.Answer])
    func moment(answer: ScriptedNetwork.Answer) async throws {
        let count = Mutex(0)
        let report = try await signInByBrowser(request, home) { asked in
            count.withLock {
                $0 += 1; return $0
            } < 2 ? answer : Self.good()(asked)
        }
        #expect(report.isNew && provider.tokenRequests.map { $0.fields["code"] } == ["c0de", "c0de"])
    }

    @Test(
        "one that is out of order, asks to wait for long or has refused the code ends it",
        arguments: [
            (.status(503, retryAfter: "3600"), .throttled, 1), (.refused("invalid_grant"), .signInNeeded, 1),
            (.failed(.outcomeUnknown), .offline, 1),
        ] as [(ScriptedNetwork.Answer, KeyringError.Code, Int)])
    func refused(answer: ScriptedNetwork.Answer, code: KeyringError.Code, count: Int) async throws {
        let error = await keyringError { _ = try await signInByBrowser(request, home) { _ in answer } }
        #expect(error?.code == code && provider.tokenRequests.count == count, "\(String(describing: error))")
        #expect(try home.grants(of: ada).isEmpty)
    }

    @Test("the browser's address asks for what a sign-in needs besides")
    func address() async throws {
        var request = request
        request.loginHint = "ada"
        request.prompt = .selectAccount
        let signIn = try await home.keyring.signIns.begin(
            request, redirectURI: "http://127.0.0.1:1/callback", network: provider.network)
        let asked = query(of: signIn.url)
        #expect(signIn.url.hasPrefix("https://id.example/authorize?"))
        #expect(
            Set(asked["scope"]?.split(separator: " ") ?? []) == ["mail.read", "openid", "profile", "offline_access"])
        #expect(asked["code_challenge_method"] == "S256" && asked["login_hint"] == "ada")
        #expect(asked["prompt"] == "select_account" && asked["client_id"] == "app")
    }

    @Test("by device: the tokens are stored when the person has answered")
    func device() async throws {
        provider.answer(
            .refused("authorization_pending"), .tokens("at", refresh: "rt", scope: "mail.read", id: TestIDToken().text))
        provider.answerOthers { [home] request in
            // Each poll takes its time.
            if request.url.hasSuffix("/token") { home.clock.advance(by: 1) }
            guard request.url.hasSuffix("/device") else { return nil }
            return .json(
                """
                {"device_code": "dc", "user_code": "AB-CD", "verification_uri": "https://id.example/activate",
                "expires_in": 600, "interval": 1}
                """)
        }
        let signIn = try await home.keyring.signIns.beginDevice(request, network: provider.network)
        home.clock.advance(by: 1)
        let clock = home.clock
        let ticking = Task {
            while !Task.isCancelled {
                try await Task.sleep(for: .milliseconds(100))
                clock.advance(by: 2)
            }
        }
        defer { ticking.cancel() }
        let report = try await home.keyring.signIns.finish(signIn, network: provider.network)
        #expect(report.account.id == ada.id && report.hasRefreshToken)
        #expect(provider.tokenRequests.map { $0.fields["device_code"] } == ["dc", "dc"])
        #expect(try await home.token(ada).text == "at")
    }

    @Test(
        "by device: no, and too late",
        arguments: [
            ("access_denied", .cancelled), ("expired_token", .signInNeeded), ("invalid_client", .configuration),
        ] as [(String, KeyringError.Code)])
    func deviceRefused(error: String, code: KeyringError.Code) async throws {
        provider.answer(.refused(error))
        let failure = await keyringError { try await signInByDevice(request, home.keyring, home) }
        #expect(failure?.code == code)
        #expect(try home.opened().accounts.list().isEmpty)
    }

    @Test(
        "by device: nobody answers in time",
        arguments: [(30, 600, .cancelled), (600, 30, .signInNeeded), (nil, 1_800, .cancelled)]
            as [(Int64?, Int, KeyringError.Code)])
    func deviceTimeout(timeout: Int64?, expiresIn: Int, code: KeyringError.Code) async throws {
        let (keyring, network) = (home.keyring, provider.network)
        provider.answerOthers { request in
            guard request.url.hasSuffix("/device") else { return nil }
            return .json(
                """
                {"device_code": "dc", "user_code": "AB-CD", "verification_uri": "https://id.example/activate",
                "expires_in": \(expiresIn), "interval": 5}
                """)
        }
        let signIn = try await keyring.signIns.beginDevice(request, network: network)
        // The default is a quarter of an hour.
        home.clock.advance(by: timeout == nil ? 900 : 30)
        let failure = await keyringError {
            guard let timeout else { return try await keyring.signIns.finish(signIn, network: network) }
            return try await keyring.signIns.finish(signIn, timeout: timeout, network: network)
        }
        #expect(failure?.code == code)
        #expect(provider.tokenRequests.isEmpty)
        if code == .cancelled { #expect(failure?.message == "nobody signed in within \(timeout ?? 900) seconds") }
    }

    @Test("a second sign-in raises the epoch and takes the place of the first")
    func again() async throws {
        _ = try await signInByBrowser(request, home, Self.good("at1", refresh: "rt1"))
        let report = try await signInByBrowser(request, home, Self.good("at2", refresh: "rt2"))
        #expect(!report.isNew)
        #expect(try home.theGrant(of: ada) == Grant(epoch: 2))
        #expect(try await home.token(ada).text == "at2")
        #expect(try await home.storedRefreshToken(of: ada) == "rt2")
    }

    @Test("after a sign-in that was needed the grant is active again")
    func afterNeed() async throws {
        try home.grant("rt", ada)
        provider.answer(.refused("invalid_grant"))
        #expect(await home.refusal(ada)?.code == .signInNeeded)
        _ = try await signInByBrowser(request, home, Self.good())
        #expect(try home.theGrant(of: ada) == Grant(epoch: 2))
    }

    @Test("who has signed out is asked to log in, and is signed in again afterwards")
    func afterSignOut() async throws {
        _ = try await signInByBrowser(request, home, Self.good())
        _ = try await home.keyring.accounts.signOut(ada.id, from: .default, undo: .none, network: provider.network)
        var request = request
        request.account = ada.id
        let signIn = try await home.keyring.signIns.begin(
            request, redirectURI: "http://127.0.0.1:1/callback", network: provider.network)
        #expect(query(of: signIn.url)["prompt"] == "login")
        #expect(query(of: signIn.url)["login_hint"] == "ada@id.example")
        _ = try await signInByBrowser(request, home, Self.good("at2"))
        #expect(try home.theGrant(of: ada) == Grant(epoch: 2, ended: 1))
        #expect(try await home.token(ada).text == "at2")
    }

    @Test("fewer scopes than asked for are reported, and stored")
    func fewerScopes() async throws {
        var request = request
        request.scopes = ["mail.read", "mail.send"]
        let report = try await signInByBrowser(request, home, Self.good(scope: "openid mail.read"))
        #expect(report.declinedScopes == ["mail.send"] && report.scopes == ["openid", "mail.read"])
        #expect(try await home.token(ada).text == "at")
        #expect(await home.refusal(ada, scopes: ["mail.send"])?.code == .signInNeeded)
    }

    @Test("Microsoft: client_info says who, whatever tenant the token is from, and a family is learned")
    func microsoft() async throws {
        var request = SignInRequest(provider: "microsoft")
        request.clientID = "app"
        request.scopes = ["mail.read"]
        let report = try await signInByBrowser(request, home) { asked in
            .tokens(
                "at", refresh: "frt", scope: "mail.read", foci: "1",
                id: TestIDToken(
                    issuer: "https://login.microsoftonline.com/\(SilentHome.guest)/v2.0", nonce: asked["nonce"],
                    tenant: SilentHome.guest, object: "guest-oid", username: "ada@contoso.example"
                ).text, clientInfo: clientInfo("ada-oid", SilentHome.tenant))
        }
        let ada = try SilentHome.microsoftAccount()
        #expect(report.account.id == ada.id && report.account.id.homeAccountID == "ada-oid.\(SilentHome.tenant)")
        #expect(report.account.tenantProfiles.map(\.realm) == [SilentHome.guest])
        #expect(try home.accessTokens(of: ada).map(\.realm) == [SilentHome.guest])
        #expect(try home.grants(of: ada).map(\.familyID) == ["1"])
        #expect(provider.tokenRequests[0].url == "https://login.microsoftonline.com/common/oauth2/v2.0/token")
        provider.answer { _ in .tokens("home", refresh: "frt2", scope: "mail.read", foci: "1") }
        #expect(try await home.token(ada, realm: SilentHome.tenant).text == "home")
    }

    @Test("Microsoft: joining the family keeps the count of sign-ins")
    func joiningFamily() async throws {
        let ada = try SilentHome.microsoftAccount()
        try home.grant("rt", ada)
        var request = SignInRequest(provider: "microsoft")
        request.clientID = "app"
        _ = try await signInByBrowser(request, home) { asked in
            .tokens(
                "at", refresh: "frt", foci: "1",
                id: TestIDToken(
                    issuer: "https://login.microsoftonline.com/\(SilentHome.tenant)/v2.0", nonce: asked["nonce"],
                    tenant: SilentHome.tenant, object: "ada-oid"
                ).text, clientInfo: clientInfo("ada-oid", SilentHome.tenant))
        }
        #expect(try home.countsOfTheGrant(of: ada) == Grant(epoch: 2))
    }

    @Test("GitHub: no ID token, no refresh token, commas between scopes; userinfo says who")
    func gitHub() async throws {
        provider.answerOthers { request in
            if request.url == "https://api.github.com/user" {
                #expect(request.authorization == "Bearer gho")
                return .json("{\"id\": 4711, \"login\": \"ada\", \"name\": \"Ada\"}")
            }
            guard request.url.hasSuffix("/access_token") else { return nil }
            return .json("{\"access_token\": \"gho\", \"token_type\": \"bearer\", \"scope\": \"repo,read:user\"}")
        }
        var request = SignInRequest(provider: "github")
        request.clientID = "gh"
        request.scopes = ["repo", "read:user"]
        let report = try await signInByBrowser(request, home) { _ in .status(500) }
        #expect(report.account.id.description == "4711@github.com" && report.account.username == "ada")
        #expect(!report.hasRefreshToken && report.declinedScopes == [])
        home.clock.advance(by: 1_000_000_000)
        #expect(try await home.token(report.account, scopes: ["repo"]).text == "gho")
        // Signed out, and in again: nothing says that the account is signed out.
        _ = try await home.keyring.accounts.signOut(
            report.account.id, from: .default, undo: .none, network: provider.network)
        #expect(await home.refusal(report.account, scopes: ["repo"])?.code == .signInNeeded)
        #expect(try home.opened().accounts.list().map(\.state) == [.signedOut])
        request.account = report.account.id
        _ = try await signInByBrowser(request, home) { _ in .status(500) }
        #expect(try await home.token(report.account, scopes: ["repo"]).text == "gho")
        #expect(try home.opened().accounts.list().map(\.state) == [.tokensOnly])
    }

    @Test("a provider that gives its refresh token only once keeps the one that it gave")
    func refreshTokenOnce() async throws {
        _ = try await signInByBrowser(request, home, Self.good("at1", refresh: "rt1"))
        let report = try await signInByBrowser(request, home, Self.good("at2", refresh: nil))
        #expect(!report.hasRefreshToken)
        #expect(try home.theGrant(of: ada).state == .active)
        #expect(try await home.storedRefreshToken(of: ada) == "rt1")
    }
}

/// The error of the library that `body` throws.
func keyringError<Value>(_ body: () async throws -> Value) async -> KeyringError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? KeyringError
    }
}
