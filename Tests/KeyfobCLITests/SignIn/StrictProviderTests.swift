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
