import Foundation
import KeyfobTestSupport
import Testing

@Suite("The provider of these tests", .waitsForPrograms)
struct ProviderServerTests {
    private let server: ProviderServer

    init() throws {
        server = try ProviderServer.shared()
    }

    @Test("a person signs in, and both the ID token and the interface say who that is")
    func signsIn() async throws {
        let tokens = try await server.signIn("alice")
        let claims = try tokens.claims()
        #expect(claims["iss"] as? String == server.issuer)
        #expect(claims["preferred_username"] as? String == "alice")
        #expect(claims["name"] as? String == "Alice Sample")
        #expect(claims["email"] as? String == "alice@example.com")
        #expect(try await server.me(tokens.text("access_token")).text("user") == "alice")
        #expect(try await server.me("no token").status == 401)
    }

    @Test("a code is worth nothing without its verifier")
    func holdsToVerifier() async throws {
        let visit = try server.visit(server.authorizationAddress(), "alice", ["--stay"]).expectSuccess()
        let address = visit.text.trimmingCharacters(in: .newlines)
        let answer = try await server.redeem(address, verifier: String(repeating: "a", count: 43))
        #expect(answer.error == "invalid_grant", "\(answer)")
    }

    @Test("a refresh token that comes twice ends its whole family")
    func endsFamily() async throws {
        let first = try await server.signIn("bob").text("refresh_token")
        let second = try await server.refresh(first).text("refresh_token")
        let third = try await server.refresh(second).text("refresh_token")
        #expect(Set([first, second, third]).count == 3)
        #expect(try await server.refresh(first).error == "invalid_grant")
        #expect(try await server.refresh(third).error == "invalid_grant")
    }

    @Test("within the grace period a refresh token may come twice")
    func toleratesRetry() async throws {
        let server = try ProviderServer(.init(gracePeriod: 600))
        let first = try await server.signIn("bob").text("refresh_token")
        let second = try await server.refresh(first).text("refresh_token")
        #expect(try await server.refresh(first).text("refresh_token") == second)
    }

    @Test("without rotation a refresh token stays")
    func keepsToken() async throws {
        let server = try ProviderServer(.init(rotates: false))
        let token = try await server.signIn("bob").text("refresh_token")
        for _ in 0..<2 {
            let answer = try await server.refresh(token)
            #expect(answer.status == 200, "\(answer)")
            #expect(answer.document["refresh_token"] as? String ?? token == token)
        }
    }

    @Test("a refresh token that is revoked is refused, and so is its access token")
    func revokes() async throws {
        let tokens = try await server.signIn("carol")
        let token = try tokens.text("refresh_token")
        let fields = ["token": token, "client_id": ProviderServer.publicClient]
        #expect(try await server.post("/revoke_token/", fields).status == 200)
        #expect(try await server.refresh(token).error == "invalid_grant")
        #expect(try await server.me(tokens.text("access_token")).status == 401)
    }

    @Test("who has not consented comes back with an error", arguments: [false, true])
    func denies(inBrowser: Bool) throws {
        // Nobody listens there: the browser says so, after it was sent there.
        let address = server.authorizationAddress()
        let outcome =
            inBrowser
            ? try server.browser(address, "alice", ["--deny"])
            : try server.visit(address, "alice", ["--deny", "--stay"])
        #expect((outcome.text + outcome.errors).contains("/callback?error=access_denied"), "\(outcome)")
    }

    @Test(
        "a device waits until a person has said yes or no",
        arguments: [(inBrowser: false, isDenied: false), (false, true), (true, false)])
    func authorizesDevice(inBrowser: Bool, isDenied: Bool) async throws {
        let scope = ["client_id": ProviderServer.deviceClient, "scope": "openid profile offline_access"]
        let start = try await server.post("/device-authorization/", scope)
        let fields = [
            "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": ProviderServer.deviceClient,
            "device_code": try start.text("device_code"),
        ]
        #expect(try await server.post("/token/", fields).error == "authorization_pending")

        let (address, code) = try (start.text("verification_uri"), start.text("user_code"))
        let options = ["--code", code] + (isDenied ? ["--deny"] : [])
        let outcome =
            inBrowser
            ? try server.browser(address, "carol", options) : try server.visit(address, "carol", options)
        #expect(outcome.text == (isDenied ? "Device Denied\n" : "Device Authorized\n"), "\(outcome)")
        let answer = try await server.post("/token/", fields)
        #expect(answer.error == (isDenied ? "access_denied" : nil), "\(answer)")
        #expect((answer.document["refresh_token"] != nil) == !isDenied)
    }

    @Test("a sign-out ends at the address that was asked for")
    func signsOut() async throws {
        // Of its own: all tokens of who signs out are gone.
        let server = try ProviderServer()
        let tokens = try await server.signIn("alice")
        let hint = try tokens.text("id_token")
        let outcome = try server.visit(
            "\(server.issuer)/logout/?id_token_hint=\(hint)&post_logout_redirect_uri=http://127.0.0.1:9/&state=over",
            "alice", ["--stay"])
        #expect(outcome.text == "http://127.0.0.1:9/?state=over\n", "\(outcome)")
        #expect(try await server.refresh(tokens.text("refresh_token")).error == "invalid_grant")
    }
}
