import Foundation
import KeyfobTestSupport
import Testing

/// The window between the provider's rotation and the new token's being durable cannot be closed, only known: the
/// provider's log says whether it rotated, an export what is stored.
@Suite("A refresh that is killed", .waitsForPrograms)
struct KilledRefreshTests {
    @Test("when the provider has acted, is known to the next one, and costs nothing while the old token is good")
    func killedInTheWindow() throws {
        let server = try ProviderServer()
        let home = try SignInPlace(server)
        try home.signIn("alice")
        let token = try home.token()
        try server.control(.init(delay: 60_000))
        try home.run(
            """
            keyfob token --force-refresh > printed & pid=$!
            until grep -q refresh_token '\(server.folder)/requests.jsonl'; do sleep 0.02; done
            kill -9 $pid; wait $pid; [ ! -s printed ]
            """
        ).expectSuccess()
        try server.control(.init())
        try home.expectSound()
        #expect(try home.token() == token)
        #expect(try server.refreshes().count == 1)
        try home.run("keyfob account refresh alice").expectError(10, "alice must sign in", "a refresh was cut off")
        #expect(try server.refreshes().map(\.error) == [nil, "invalid_grant"])
        let count = try server.requests().count
        try home.run("keyfob account refresh alice").expectError(10, "a refresh was cut off")
        #expect(try server.requests().count == count)
        try home.expectSound()
        try home.signIn("alice", "--account alice")
        try home.run("keyfob account refresh alice --quiet").expectSuccess()
    }

    @Test("costs a sign-in only where the provider had replaced the token and the answer was not stored")
    func killed() async throws {
        let server = try ProviderServer()
        let home = try SignInPlace(server)
        try home.signIn("alice")
        _ = try home.token("--force-refresh")
        let clock = ContinuousClock()
        let duration = try clock.measure { _ = try home.token("--force-refresh") }
        let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        var (lost, kept) = (0, 0)
        for round in 0..<TestLength.rounds(20, full: 100) {
            let delay = round.isMultiple(of: 2) ? 150 : 0
            try server.control(.init(delay: delay))
            let patience = Double.random(in: 0...seconds * 1.1 + Double(delay) / 1_000)
            try home.run(
                """
                keyfob token --force-refresh > /dev/null & pid=$!
                sleep \(patience); kill -9 $pid 2>/dev/null; wait $pid
                """)
            // What was sent before the kill may still be on its way.
            try await server.waitUntilIdle()
            try server.control(.init())
            let answer = try home.run(
                """
                keyfob verify >&2 || exit 90
                keyfob export --quiet --format msal - | jq -j '.RefreshToken[].secret' | sha256sum | cut -c1-16
                keyfob token --force-refresh
                """)
            let stored = answer.text.split(separator: "\n").first.map(String.init)
            let uses = try server.refreshes().filter { $0.refreshToken == stored }
            let context: Comment = "round \(round), killed after \(patience) s: \(answer), uses: \(uses)"
            // The last use is that of the command which was not killed.
            if uses.dropLast().contains(where: { $0.status == 200 }) {
                lost += 1
                #expect(answer.status == 10, context)
                #expect(answer.errors.contains("a refresh was cut off"), context)
                try home.expectSound()
                try home.signIn("alice", "--account alice")
            } else {
                kept += 1
                #expect(answer.status == 0 && uses.last?.status == 200, context)
                let token = try #require(answer.text.split(separator: "\n").last)
                #expect(try await server.me(String(token)).text("user") == "alice", context)
            }
        }
        #expect(kept > 0, "\(lost) lost")
        try home.run("keyfob account refresh alice --quiet").expectSuccess()
    }
}
