import Foundation
import KeyfobTestSupport
import Testing

@Suite("Many processes and one refresh token", .waitsForPrograms)
struct SingleFlightTests {
    private static let processes = 30

    // In each round the stored token expires, and then all ask at once. The new token outlives the test, so nobody has a
    // reason to refresh again, however late they come: a second request is a second use of the refresh token.
    @Test("thirty that want a token at once send one request, and all get what it brought")
    func once() async throws {
        let server = try ProviderServer()
        let home = try SignInPlace(server)
        try home.signIn("alice")
        for round in 0..<TestLength.rounds(5, full: 50) {
            try server.control(.init(accessLifetime: 1))
            try home.run("keyfob account refresh alice --quiet && sleep 1.2").expectSuccess()
            let before = try server.refreshes().count
            // A late answer keeps the others waiting for it; without one they meet in other places.
            try server.control(.init(delay: round.isMultiple(of: 2) ? 400 : nil))
            let outcome = try home.run(
                """
                for i in $(seq \(Self.processes)); do keyfob token > out.$i 2> err.$i || echo "$?" >> failed & done
                wait
                cat failed err.* >&2 2>/dev/null
                sort out.* | uniq -c; rm -f out.* err.* failed
                """, deadline: 300)
            #expect(outcome.errors.isEmpty, "round \(round): \(outcome)")
            let lines = outcome.text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            #expect(lines.count == 1 && lines.first?.first == "\(Self.processes)", "round \(round): \(outcome)")
            let refreshes = try server.refreshes().dropFirst(before)
            #expect(refreshes.map(\.status) == [200], "round \(round): \(refreshes)")
            let token = try #require(lines.first?.last)
            #expect(try await server.me(token).text("user") == "alice", "round \(round)")
        }
        let tokens = try server.requests().filter { $0.path == "/o/token/" }
        #expect(tokens.allSatisfy { $0.status == 200 })
        // Each refresh used what the one before it gave: a chain without a fork.
        #expect(tokens.dropFirst().map(\.refreshToken) == tokens.dropLast().map(\.issued))
        try home.run("keyfob account refresh alice --quiet").expectSuccess()
        try home.expectSound()
    }
}
