import Foundation
import FoundationNetworking
import KeyfobTestSupport
import Testing

@Suite("Misbehaviour of the provider of these tests", .waitsForPrograms)
struct ProviderMisbehaviourTests {
    private let server: ProviderServer

    init() throws {
        server = try ProviderServer()
    }

    @Test("an answer that is dropped or late belongs to a refresh that was done", arguments: [false, true])
    func rotatesWithoutAnswer(isDropped: Bool) async throws {
        let token = try await server.signIn("alice").text("refresh_token")
        var control = ProviderServer.Control(grantTypes: ["refresh_token"], times: 1)
        if isDropped { control.dropsAnswer = true } else { control.delay = 60_000 }
        try server.control(control)
        await #expect(throws: URLError.self) { try await server.refresh(token, timeout: 10) }
        try await eventually { try !server.refreshes().isEmpty }
        #expect(try await server.refresh(token).error == "invalid_grant")
        let refreshes = try server.refreshes()
        #expect(refreshes.map(\.status) == [200, 400])
        #expect(refreshes.map(\.hook) == [isDropped ? "drop" : "delay_ms", nil])
        #expect(refreshes.map(\.error) == [nil, "invalid_grant"])
    }

    @Test("a provider that is down has done nothing", arguments: [429, 503])
    func isDown(status: Int) async throws {
        let token = try await server.signIn("alice").text("refresh_token")
        try server.control(.init(times: 2, status: status, retryAfter: "7"))
        #expect(try await server.refresh(token).status == status)
        #expect(try await server.refresh(token).status == status)
        #expect(try await server.refresh(token).status == 200)
    }

    @Test("a refusal may have an empty body")
    func refusesWithoutBody() async throws {
        let token = try await server.signIn("alice").text("refresh_token")
        try server.control(.init(isEmptyRefusal: true))
        let answer = try await server.refresh(token)
        #expect(answer.status == 400 && answer.body.isEmpty, "\(answer)")
        try server.control(.init())
        #expect(try await server.refresh(token).status == 200)
    }

    @Test("fewer scopes and less time may be granted than were asked for")
    func grantsLess() async throws {
        try server.control(.init(scopes: "openid profile", accessLifetime: 5))
        let tokens = try await server.signIn("alice")
        #expect(tokens.scope == "openid profile" && tokens.expiresIn == 5, "\(tokens)")
        try server.control(.init(accessLifetime: -1))
        let expired = try await server.refresh(tokens.text("refresh_token"))
        #expect(try await server.me(expired.text("access_token")).status == 401)
    }

    @Test("other paths misbehave where they are named")
    func misbehavesElsewhere() async throws {
        let token = try await server.signIn("alice").text("access_token")
        try server.control(.init(paths: ["/api/me"], times: 1, status: 503))
        #expect(try await server.me(token).status == 503)
        #expect(try await server.me(token).status == 200)
    }

    @Test("the log tells tokens apart, and holds none")
    func logsNoToken() async throws {
        let first = try await server.signIn("alice")
        let second = try await server.refresh(first.text("refresh_token"))
        _ = try await server.post(
            "/revoke_token/",
            ["token": second.text("refresh_token"), "client_id": ProviderServer.publicClient])
        let log = try String(contentsOfFile: server.folder + "/requests.jsonl", encoding: .utf8)
        for answer in [first, second] {
            for name in ["access_token", "refresh_token", "id_token"] where answer.document[name] != nil {
                #expect(!log.contains(try answer.text(name)))
            }
        }
        #expect(!log.contains("alice-password"))
        let requests = try server.requests().filter { $0.path.contains("token/") }
        #expect(requests.count == 3)
        #expect(requests[0].issued != nil && requests[0].issued == requests[1].refreshToken)
        #expect(requests[1].issued != requests[0].issued && requests[1].issued == requests[2].token)
    }

    @Test("with TLS it serves those who trust its authority, such as MSAL for Python")
    func servesMSAL() throws {
        let server = try ProviderServer(.init(isSecure: true))
        let place = try Workplace()
        let cache = place.path + "/msal.json"
        let signIn = try server.msal("sign-in", cache, "bob").expectSuccess().text
        #expect(try server.msal("silent", cache, "bob").text.contains("\"source\": \"cache\""))
        let refreshed = try server.msal("silent", cache, "bob", ["--force-refresh"]).expectSuccess().text
        #expect(refreshed.contains("\"source\": \"identity_provider\"") && refreshed != signIn)
        #expect(try server.refreshes().count == 1)

        let address = server.authorizationAddress(redirect: server.base + "/login/")
        #expect(try server.visit(address, "bob").errors.contains("400 Error"), "only loopback is registered")
        let browsed = try server.browser(server.authorizationAddress(), "bob")
        #expect(browsed.status == 2 && browsed.errors.contains("/callback?code="), "\(browsed)")
    }

    @Test("it ends with whoever started it, and leaves nothing")
    func leavesNothing() throws {
        let folder = try ProviderServer().folder
        #expect(!FileManager.default.fileExists(atPath: folder))
        #expect(FileManager.default.fileExists(atPath: server.folder + "/provider.db"))
    }
}
