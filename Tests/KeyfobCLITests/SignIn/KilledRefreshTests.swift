import Foundation
import KeyfobTestSupport
import Testing

/// Whoever waits for a refresh may be killed: another process does it.
///
/// Where that is killed, the window between the provider's rotation and the new token's being durable cannot be closed, only
/// known: the provider's log says whether it rotated, an export what is stored.
@Suite("A refresh that is killed", .waitsForPrograms)
struct KilledRefreshTests {
    /// Kills a command, `$pid`, and the process that refreshes for it.
    private static let killBoth = "kill -STOP $pid; kill -9 $(pgrep -P $pid) $pid 2>/dev/null; wait $pid"

    @Test("goes on without its caller, its process group and its terminal, and no sign-in is lost")
    func killedCallers() throws {
        struct Killed: Decodable {
            let killed: [String: Int]
            let lost: [String]
        }
        let server = try ProviderServer()
        let home = try SignInPlace(server)
        try home.signIn("alice")
        try server.control(.init(grantTypes: ["refresh_token"], delay: 100))
        let rounds = TestLength.rounds(12, full: 300)
        let outcome = try home.place.python("killing", "\(rounds)")
        let found = try JSONDecoder().decode(Killed.self, from: outcome.output)
        #expect(found.lost == [])
        #expect(found.killed.count == 3 && found.killed.values.allSatisfy { $0 > 0 }, "\(found.killed)")
        print("killed refreshes: \(found.killed.sorted { $0.key < $1.key }) of \(rounds), lost: \(found.lost.count)")
        #expect(try server.refreshes().allSatisfy { $0.status == 200 })
        try home.expectSound()
    }

    @Test("gives its token to all who wait, when the one who asked first is killed")
    func firstIsKilled() throws {
        let server = try ProviderServer()
        let home = try SignInPlace(server)
        try server.control(.init(accessLifetime: 1))
        try home.signIn("alice")
        try server.control(.init(grantTypes: ["refresh_token"], delay: 1_500))
        try home.run(
            """
            sleep 2
            keyfob token > first & pid=$!
            until grep -q refresh_token '\(server.folder)/requests.jsonl'; do sleep 0.02; done
            kill -9 $pid
            for n in $(seq 29); do keyfob token > token.$n 2> error.$n & done
            wait
            cat error.*
            [ ! -s first ] && [ "$(cat token.* | wc -l)" = 29 ] && [ "$(cat token.* | sort -u | wc -l)" = 1 ]
            """
        ).expectSuccess()
        #expect(try server.refreshes().count == 1)
        try home.expectSound()
    }

    @Test("in the process that does it is told to who waits, and to the next one")
    func killedProcess() throws {
        let server = try ProviderServer()
        let home = try SignInPlace(server)
        try home.signIn("alice")
        try server.control(.init(times: 1, delay: 60_000))
        let outcome = try home.run(
            """
            keyfob token --force-refresh & pid=$!
            until grep -q refresh_token '\(server.folder)/requests.jsonl'; do sleep 0.02; done
            other=$(pgrep -P $pid -x keyfob-refresh)
            [ "$(ps -o tty=,sid= -p $other | tr -s ' ')" = "? $other" ] || echo "no session of its own: $(ps -p $other)"
            kill -9 $other; wait $pid
            """)
        outcome.expectError(10, "alice must sign in", "a refresh was cut off")
        #expect(try server.refreshes().map(\.error) == [nil, "invalid_grant"])
        try home.run("keyfob account refresh alice").expectError(10, "a refresh was cut off")
        #expect(try server.refreshes().count == 2)
        try home.expectSound()
    }

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
            \(Self.killBoth); [ ! -s printed ]
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
                sleep \(patience); \(Self.killBoth)
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
