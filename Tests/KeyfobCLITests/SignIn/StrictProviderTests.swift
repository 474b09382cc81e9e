import Foundation
import KeyfobTestSupport
import Testing

/// Somebody who is signed in at a provider that takes each refresh token once, and ends the sign-in of one that is shown again.
@Suite("A refresh token that is taken once", .waitsForPrograms)
struct StrictProviderTests {
    private let home: SignInPlace

    init() throws {
        home = try SignInPlace(try ProviderServer())
        try home.signIn("alice")
    }

    /// Expects that the provider has taken so many, all of them.
    private func expectTaken(_ count: PartialRangeFrom<Int>, location: SourceLocation = #_sourceLocation) throws {
        let refreshes = try home.server.refreshes()
        #expect(
            count.contains(refreshes.count) && refreshes.allSatisfy { $0.status == 200 }, "\(refreshes)",
            sourceLocation: location)
        try home.expectSound(location: location)
    }

    @Test("is shown once, in whatever order backups, refreshes, restores and older caches come")
    func orders() throws {
        let refresh = "keyfob token --force-refresh > token"
        for round in 0..<TestLength.rounds(1, full: 100) {
            let seed = UInt64.random(in: .min ... .max)
            var random = SeededGenerator(seed: seed)
            var lines = [
                "keyfob backup -q --to \(round)-0.age", "keyfob export -q --format msal \(round)-0.json", refresh,
            ]
            var (backups, caches) = (1, 1)
            for _ in 0..<6 {
                switch Int.random(in: 0..<7, using: &random) {
                case 0:
                    lines.append("keyfob backup -q --to \(round)-\(backups).age")
                    backups += 1
                case 1:
                    lines.append("keyfob export -q --format msal \(round)-\(caches).json")
                    caches += 1
                case 2, 3:
                    let backup = "\(round)-\(Int.random(in: 0..<backups, using: &random)).age"
                    lines.append("keyfob restore -q --force \(backup) --bundle-identity recovery")
                case 4: lines.append("keyfob import -q \(round)-\(Int.random(in: 0..<caches, using: &random)).json")
                default: lines.append(refresh)
                }
            }
            let outcome = try home.run((lines + [refresh]).joined(separator: " && "))
            #expect(outcome.status == 0, "seed \(seed): \(outcome)")
        }
        try expectTaken(2...)
    }

    @Test("is redeemed in turns by machines that have one folder of a vault")
    func machines() throws {
        try home.server.control(.init(grantTypes: ["refresh_token"], delay: 100))
        try home.run(
            """
            for n in 1 2; do
                mkdir -m 700 run-$n
                for m in 1 2; do
                    XDG_STATE_HOME=$PWD/state-$n XDG_RUNTIME_DIR=$PWD/run-$n keyfob token --force-refresh > token-$n-$m &
                done
            done
            wait; [ "$(cat token-* | wc -l)" = 4 ]
            """
        ).expectSuccess()
        try expectTaken(1...)
    }

    @Test(
        "stays good where neither a process nor a thread can be started",
        .enabled(if: !Privileges.isRoot, "the superuser may start as many processes as there are"))
    func noProcesses() throws {
        try home.run("prlimit --nproc=0 keyfob token --force-refresh").expectError(75, "nothing is lost")
        try home.run("keyfob token --force-refresh").expectSuccess()
        try expectTaken(1...)
    }
}
