import Foundation
import KeyfobTestSupport
import Testing

@Suite("Requests to an API", .waitsForPrograms, .serialized)
struct APIRequestTests {
    // One for all of them, one after the other.
    private static let started = Result { try ProviderServer() }
    private let server: ProviderServer
    private let home: SignInPlace

    init() throws {
        server = try Self.started.get()
        try server.control(.init())
        home = try SignInPlace(server)
    }

    private func user(_ outcome: Outcome) throws -> String? {
        let document = try JSONSerialization.jsonObject(with: outcome.expectSuccess().output) as? [String: Any]
        return document?["preferred_username"] as? String ?? document?["user"] as? String
    }

    @Test("each directory's own account calls, and an address's before the others")
    func bound() throws {
        for user in ["alice", "bob", "carol"] { try home.signIn(user) }
        try home.run(
            """
            mkdir one two && keyfob bind --quiet --directory one alice && keyfob bind --quiet --directory two bob \\
                && keyfob bind --quiet --url \(server.base)/api carol
            """
        ).expectSuccess()
        #expect(try user(home.run("cd one && keyfob request \(server.issuer)/userinfo/")) == "alice")
        #expect(try user(home.run("cd two && keyfob request \(server.issuer)/userinfo/")) == "bob")
        #expect(try user(home.run("keyfob request \(server.base)/api/me")) == "carol")
        #expect(try user(home.run("cd one && keyfob request \(server.base)/api/me --account bob")) == "bob")
        try home.run("keyfob request --no-input \(server.issuer)/userinfo/").expectError(
            11, "fits 3 accounts (alice, bob, carol)")
    }

    @Test("the answer is printed whatever its status, and a refusal is told in a line without the query")
    func refused() throws {
        try home.signIn("alice")
        let outcome = try home.run("keyfob request '\(server.base)/nothing?key=PRIVATE'")
        #expect(outcome.status == 1 && outcome.text.contains("Not Found"), "\(outcome)")
        #expect(outcome.errors == "keyfob: GET \(server.base)/nothing: \(server.host) answered 404\n", "\(outcome)")
    }

    @Test("the method goes as it was given", arguments: ["HEAD", "PUT", "PATCH", "DELETE"])
    func method(name: String) throws {
        try home.place.add("ada", token: "sample", "--host \(server.base.dropFirst("http://".count))")
        let path = "/methods/\(UUID().uuidString)"
        #expect(try home.run("keyfob request -X \(name.lowercased()) \(server.base)\(path)").status == 1)
        #expect(try server.requests().filter { $0.path == path }.map(\.method) == [name])
    }

    @Test("a token that the service takes no more is replaced once, and a redirection is not followed")
    func unauthorized() throws {
        try home.signIn("alice")
        let count = try server.refreshes().count
        try server.control(.init(paths: ["/api/me"], times: 1, status: 401))
        #expect(try user(home.run("keyfob request \(server.base)/api/me")) == "alice")
        #expect(try server.refreshes().dropFirst(count).map(\.status) == [200])
        try server.control(.init(paths: ["/api/me"], status: 401))
        let refused = try home.run("keyfob request \(server.base)/api/me")
        #expect(
            refused.status == 1
                && refused.errors.contains(
                    "/api/me: \(server.host) answered 401; the token of alice is not for this service"),
            "\(refused)")
        #expect(try server.refreshes().count == count + 2)
        #expect(try home.run("keyfob request -X POST --data x \(server.base)/api/me").status == 1)
        #expect(try server.refreshes().count == count + 2)

        try server.control(.init(paths: ["/api/me"], status: 302, location: "\(server.base)/elsewhere"))
        let redirected = try home.run("keyfob request \(server.base)/api/me")
        #expect(redirected.text.contains("Not now"))
        #expect(redirected.errors.contains("answered 302 to \(server.base)/elsewhere"), "\(redirected)")
        #expect(try !server.requests().contains { $0.path == "/elsewhere" })
    }

    @Test("an answer of two megabytes comes whole")
    func long() throws {
        try home.signIn("alice")
        try server.control(.init(paths: ["/api/me"], status: 200, filler: 2 << 20))
        #expect(try home.run("keyfob request \(server.base)/api/me").expectSuccess().output.count > 2 << 20)
    }
}
