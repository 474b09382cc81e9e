import Foundation
import KeyfobTestSupport
import Testing

/// Services that want what only a person can give: `Tests/Provider/standins/{plain,strict}.py`.
@Suite("What a service wants of a person", .waitsForPrograms)
struct ChallengeTests {
    /// A line that asks the service, and what it prints once that is content.
    private enum Way: String, CaseIterable {
        case request, proxy

        func line(_ url: String) -> String {
            switch self {
            case .request: "keyfob request \(url)"
            case .proxy:
                "keyfob exec --proxy --env API=\(url.dropFirst("https://".count)) -- sh -c 'curl -sSf \"$API\"'"
            }
        }
    }

    private static func place(
        _ kind: String, _ options: [String: any Sendable]
    ) throws -> (home: NamedPlace, url: String) {
        let home = try NamedPlace(.init(kind, options))
        guard kind == "strict" else {
            try home.signIn("https://api.plain.example/mcp", "--scope notes.read")
            return (home, "https://api.plain.example/mcp/write")
        }
        try home.addProvider("strict", "https://strict.example", "--api-host api.strict.example")
        try home.signIn("strict")
        return (home, "https://api.strict.example/api")
    }

    @Test(
        "one command is printed, which, typed, ends in a token that will do", arguments: Way.allCases,
        [
            ("plain", ["resource": true], "wants the scope notes.write"),
            ("strict", ["methods": ["none"], "context": "gold"], "wants another way of signing in"),
            (
                "strict", ["methods": ["none"], "context": "gold", "proof": "required"],
                "wants another way of signing in"
            ),
        ] as [(String, [String: any Sendable], String)])
    private func typed(way: Way, wish: (kind: String, options: [String: any Sendable], words: String)) throws {
        let (home, url) = try Self.place(wish.kind, wish.options)
        let refreshes = try home.refreshes()
        let refused = try home.run(way.line(url))
        #expect(refused.status != 0 && refused.errors.contains(wish.words), "\(refused)")
        // No other token would do.
        #expect(try home.refreshes() == refreshes)
        let command = String(try #require(refused.errors.firstMatch(of: /run '(keyfob login [^']*)'/)).1)
        #expect(refused.errors.components(separatedBy: "keyfob login").count == 2, "\(refused)")
        let browser = home.server.environment["BROWSER"] ?? ""
        try home.run("BROWSER='\(browser)' \(command) --quiet").expectSuccess()
        try home.run(way.line(url)).expectSuccess()
        #expect(try home.names().count == 1)
    }

    @Test("a token that was added by hand is replaced by hand")
    func byHand() throws {
        let home = try NamedPlace(.init("strict", ["methods": ["none"]]))
        try home.run("echo mine | keyfob add -q --account ada --host api.strict.example").expectSuccess()
        let outcome = try home.run("keyfob request https://api.strict.example/api").expectError(10, "keyfob add ada")
        #expect(!outcome.errors.contains("keyfob login"), "\(outcome)")
    }
}
