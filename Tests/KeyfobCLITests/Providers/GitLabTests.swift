import Foundation
import KeyfobTestSupport
import Testing

/// gitlab.com as it is documented: `Tests/Provider/standins/gitlab.py`.
@Suite("git and GitLab's scopes, names and rotation", .waitsForPrograms)
struct GitLabTests {
    private func home(_ options: [String: any Sendable] = [:]) throws -> NamedPlace {
        let home = try NamedPlace(.init("gitlab", options))
        try home.run("keyfob client add --quiet client-1 --provider gitlab").expectSuccess()
        return home
    }

    private func clone(_ repository: String, _ home: NamedPlace) throws -> Outcome {
        try home.run("rm -rf cloned; \(TestProgram.git) clone -q https://gitlab.com/\(repository) cloned")
    }

    @Test(
        "what a token's scopes let git clone",
        arguments: [("read_user", false), ("read_api", false), ("read_repository", true), ("api", true)])
    func scopes(_ scope: String, clones: Bool) throws {
        let home = try home()
        try home.signIn("gitlab", "--scope openid --scope \(scope)")
        let outcome = try clone("ada/notes", home)
        #expect((outcome.status == 0) == clones, "\(outcome)")
        try clone("ada/blog", home).expectSuccess()
    }

    @Test("what a sign-in for git gets clones a private repository, and is the person's by name")
    func forGit() throws {
        let home = try home()
        try home.signIn("gitlab", "--for git")
        try clone("ada/notes", home).expectSuccess()
        #expect(try home.names() == ["ada"])
    }

    @Test("a refresh ends the tokens before it: each is used once, and two programs at once ask once")
    func rotation() throws {
        let home = try home()
        try home.signIn("gitlab", "--scope openid --scope read_repository")
        let first = try home.token()
        let second = try home.token("--force-refresh")
        #expect(first != second)
        #expect(try home.run("keyfob request https://gitlab.com/api/v4/user").text.contains("insufficient_scope"))
        try clone("ada/notes", home).expectSuccess()
        // Of a token that lives for no longer than it takes to ask.
        try home.server.set(.init("gitlab", ["access_lifetime": 1]))
        _ = try home.token("--force-refresh")
        try home.run("sleep 1.1").expectSuccess()
        try home.server.set(.init("gitlab"))
        let count = try home.server.requests().count
        let line = "for i in 1 2 3 4 5 6 7 8; do keyfob token --no-input > out$i & done; wait; cat out*"
        let tokens = try home.run(line).expectSuccess().text.split(separator: "\n")
        #expect(tokens.count == 8 && Set(tokens).count == 1, "\(tokens)")
        #expect(try home.refreshes(since: count) == 1)
        let used = try home.server.requests().compactMap(\.refreshToken)
        #expect(used.count == Set(used).count, "\(used)")
        #expect(try home.server.requests().allSatisfy { $0.error == nil || $0.error == "insufficient_scope" })
    }

    @Test("an owner is the same in any letter case", arguments: ["fabrikam", "Fabrikam"])
    func owners(_ spelling: String) throws {
        let home = try home()
        for person in ["ada", "ben"] { try home.signIn("gitlab", as: person, "--scope openid --scope read_repository") }
        let ids = try home.run("keyfob account list --format '{id}'").expectSuccess().text.split(separator: "\n")
        let ben = try #require(ids.first { $0.hasPrefix("1816") })
        let ada = try #require(ids.first { $0.hasPrefix("1815") })
        try home.run("keyfob bind --quiet --host gitlab.com \(ada)").expectSuccess()
        try home.run("keyfob bind --quiet --url https://gitlab.com/fabrikam \(ben)").expectSuccess()
        try demand("gitlab: the binding of an owner holds for \(spelling)/lab") {
            try clone("\(spelling)/lab", home).expectSuccess()
        }
    }

    @Test("a sign-out ends the tokens there")
    func signOut() throws {
        let home = try home()
        try home.signIn("gitlab", "--scope openid --scope read_user")
        let token = try home.token()
        let id = try home.run("keyfob account list --format '{id}'").text.trimmingCharacters(in: .newlines)
        try home.run("keyfob logout --quiet \(id)").expectSuccess()
        #expect(try home.server.requests().last?.path == "/oauth/revoke")
        let curl = "curl -s --cacert $KEYFOB_CA_FILE -H 'Authorization: Bearer \(token)' https://gitlab.com/api/v4/user"
        #expect(try home.run(curl).text.contains("invalid_token"))
    }
}
