import KeyfobTestSupport
import Testing

/// `keyfob agent` beside a logind that says that the person leaves.
@Suite("The agent when its person leaves", .waitsForPrograms)
struct ScreenLockTests {
    /// Types lines while an agent has been handed the vault's key, and logind says what `logind WORD…` tells it to.
    private func run(_ options: String = "", _ lines: String...) throws -> Outcome {
        let place = try Workplace()
        try place.makeKey("key")
        try place.run("keyfob init -q --key-file key --recovery-file recovery").expectSuccess()
        try place.run("keyfob add -q --key-file key --account ada --host git.example", text: "TOKEN-OF-ADA")
            .expectSuccess()
        return try place.run(
            """
            set -e
            mkfifo say answers
            '\(PythonScript.interpreter)' '\(PythonScript.path("logind"))' say answers 2> logind-told & logind=$!
            until test -s bus-address || ! kill -0 $logind; do sleep 0.01; done
            logind() { echo "$*" > say; cat answers; }
            \(Workplace.agent(options, variables: "DBUS_SYSTEM_BUS_ADDRESS=$(cat bus-address)"))
            trap 'kill $agent $logind' EXIT
            ask() { keyfob token --account ada --no-input 2> refused || echo refused $?; }
            keyfob program allow -q --key-file key "executable:$(readlink -f "$(command -v keyfob)")" --account ada
            hand() { keyfob unlock --agent --key-file key -q; }
            hand
            test "$(ask)" = TOKEN-OF-ADA
            \(lines.joined(separator: "\n"))
            """)
    }

    @Test("a locked screen of theirs, by either of logind's ways, and a sleep, take the keys before anything goes on")
    func away() throws {
        let outcome = try run(
            "",
            "logind sleep; ask; hand; ask", "logind wake; ask",
            "logind lock _32; logind hint _32; sleep 1; ask",
            "logind lock _31; sleep 1; ask; hand; ask",
            "logind hint _31; sleep 1; ask; hand",
            "logind sleep; ask")
        #expect(
            outcome.text == """
                let go
                refused 12
                TOKEN-OF-ADA
                done
                TOKEN-OF-ADA
                done
                done
                TOKEN-OF-ADA
                done
                refused 12
                TOKEN-OF-ADA
                done
                refused 12
                let go
                refused 12

                """, "\(outcome)")
    }

    @Test("whoever does not want that says so")
    func stays() throws {
        let outcome = try run("--screen-lock none", "logind lock _31; logind sleep; sleep 1; ask")
        #expect(outcome.text == "done\nnobody is waited for\nTOKEN-OF-ADA\n", "\(outcome)")
    }

    @Test("with all of them go those too that the kernel keeps, and where there is no logind that is told")
    func all() throws {
        let outcome = try run(
            "--screen-lock all", "keyfob unlock --user --key-file key -q",
            "keyfob lock -q; keyfob unlock --user --key-file key -q",
            "ask", "logind lock _31; sleep 1; ask")
        #expect(outcome.text == "TOKEN-OF-ADA\ndone\nrefused 12\n", "\(outcome)")
        let place = try Workplace.withVault()
        let alone = try place.run(
            """
            \(Workplace.agent("--screen-lock all", variables: "DBUS_SYSTEM_BUS_ADDRESS=unix:path=$PWD/nobody"))
            for n in $(seq 300); do grep -q 'when you leave' told && break; sleep 0.01; done; cat told
            """)
        #expect(alone.text.contains("logind does not answer: keys may stay when you leave"), "\(alone)")
    }
}
