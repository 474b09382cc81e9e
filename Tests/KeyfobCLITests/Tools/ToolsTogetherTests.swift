import Foundation
import KeyfobTestSupport
import Testing

/// Git, kubectl's and docker's helpers, `exec`, `token` and the library, twenty at once over two groups.
@Suite("Many tools at once", .waitsForPrograms)
struct ToolsTogetherTests {
    private struct Report: Decodable {
        let answers: [String: Int]
        let odd: [String]
    }

    @Test("nobody gets another account's token, or one of a sign-in that has ended, and all ends as documented")
    func together() throws {
        let provider = try ProviderServer()
        let server = try GuestServer.git(provider, owners: "alice", "bob")
        let home = try SignInPlace(
            provider,
            variables: LibraryFile.variables.merging(
                ["GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "PYTHONUNBUFFERED": "1"]) { $1 })
        try home.run(
            """
            keyfob group create -q work && ln -s keyfob bin/git-credential-keyfob
            git config --global credential.helper '!git-credential-keyfob' && git config --global credential.useHttpPath true
            """
        ).expectSuccess()
        try home.signIn("alice")
        try home.addProvider(to: "work")
        try home.signIn("bob", "--group work")
        try home.run(
            """
            keyfob bind -q --host \(server.host) alice && keyfob bind -q --url http://\(server.host)/alice alice
            keyfob bind -q --group work --url http://\(server.host)/bob bob
            """
        ).expectSuccess()
        let cache = SampleCache(people: 1)
        try home.place.write("cache.json", cache.json())
        let program = PythonScript.path("together")
        let seconds = TestLength.rounds(8, full: 60)
        let outcome = try home.run(
            "\(PythonScript.interpreter) \(program) \(seconds) \(server.host) \(provider.issuer) cache.json \(cache.username(0))",
            deadline: seconds + 120
        ).expectSuccess()
        let report = try JSONDecoder().decode(Report.self, from: outcome.output)
        #expect(report.odd.isEmpty, "\(report.odd.joined(separator: "\n"))")
        #expect(report.answers.count == 12 && report.answers.values.allSatisfy { $0 > 0 }, "\(report.answers)")
        try home.expectSound()
    }
}
