import Foundation
import KeyfobTestSupport
import Testing

/// A person's home with an installation of the library and of the full program of its own: so its processes are told from others'.
private struct InstalledPlace {
    let server: ProviderServer
    let home: SignInPlace

    /// What says that the full program was started, and becomes it.
    static let program = "echo >> started\nexec -a \"$0\" '\(KeyfobBinary.path)' \"$@\""

    /// With a full program that does this, in terms of bash.
    init(program: String = program) throws {
        server = try ProviderServer()
        home = try SignInPlace(server, variables: LibraryFile.variables)
        try home.signIn("alice")
        try run(
            """
            mkdir lib; ln '\(LibraryFile.path)' lib/libkeyfob.so.1 2> error || cp '\(LibraryFile.path)' lib/libkeyfob.so.1
            ln -s libkeyfob.so.1 lib/libkeyfob.so; touch started got
            """
        ).expectSuccess()
        try home.place.write("lib/keyfob", "#!/bin/bash\n\(program)\n")
        try run("chmod 700 lib/keyfob").expectSuccess()
    }

    /// Runs lines in which programs use that library; `$ask` is one in Python that asks for a new token.
    @discardableResult
    func run(_ lines: String) throws -> Outcome {
        try home.run("export KEYFOB_LIBRARY=\"$PWD/lib/libkeyfob.so.1\"\n\(Self.ask)\n\(lines)", deadline: 900)
    }

    private static let ask = """
        ask() { "$PYTHON" -c 'import keyfob; ring = keyfob.Keyring()
        try: print(len(ring.token(force_refresh=True).token) > 0, ring.warnings())
        except keyfob.Error as error: print(error.status, error)'; }
        """

    /// A program in each language that says when it begins, and asks for a new token.
    static let callers = [
        (
            "Python",
            #""$PYTHON" -c 'import keyfob, os; keyfob.accounts(); os.write(1, b"."); keyfob.token(force_refresh=True)'"#
        ),
        ("C", "./refresh"),
    ]

    /// How often the full program was started.
    var starts: Int {
        get throws { try run("wc -l < started").text.split(separator: "\n").first.flatMap { Int($0) } ?? -1 }
    }
}

@Suite("A refresh that a program asks the library for", .waitsForPrograms)
struct LibraryRefreshTests {
    @Test(
        "goes on without its caller, its process group and its terminal, and no sign-in is lost",
        arguments: InstalledPlace.callers)
    func killedCallers(language: String, line: String) throws {
        struct Killed: Decodable {
            let killed: [String: Int]
            let lost: [String]
        }
        let place = try InstalledPlace()
        try place.server.control(.init(grantTypes: ["refresh_token"], delay: 100))
        let rounds = TestLength.rounds(6, full: 300)
        let outcome = try place.run(
            """
            cc -std=c11 -I \(LibraryFile.folder) \(ProjectFolder.tests.appending(path: "Support/C/refresh.c").path) -o refresh \\
                -L lib -lkeyfob -Wl,-rpath,"$PWD/lib" && "$PYTHON" '\(PythonScript.path("killing"))' \(rounds) \(line)
            """
        ).expectSuccess()
        let found = try JSONDecoder().decode(Killed.self, from: outcome.output)
        #expect(found.lost == [])
        #expect(found.killed.count == 3 && found.killed.values.allSatisfy { $0 > 0 }, "\(found.killed)")
        print(
            "killed refreshes, \(language): \(found.killed.sorted { $0.key < $1.key }) of \(rounds), lost: \(found.lost.count)"
        )
        #expect(try place.server.refreshes().allSatisfy { $0.status == 200 })
        try place.home.expectSound()
    }

    @Test("in the process that does it is told to who waits, and to the next one")
    func killedProcess() throws {
        let place = try InstalledPlace()
        try place.server.control(.init(times: 1, delay: 60_000))
        let outcome = try place.run(
            """
            ask > said & pid=$!
            until grep -q refresh_token '\(place.server.folder)/requests.jsonl'; do sleep 0.02; done
            other=$(pgrep -f "^$PWD/lib/keyfob ---refresh")
            [ "$(ps -o comm=,tty=,sid= -p $other | tr -s ' ')" = "keyfob-refresh ? $other" ] || ps $other
            kill -9 $other; wait $pid; cat said
            """
        ).expectSuccess()
        #expect(outcome.text.hasPrefix("10 alice must sign in"), "\(outcome)")
        #expect(
            outcome.text.contains("a refresh was cut off") && outcome.text.count(where: \.isNewline) == 1, "\(outcome)")
        try place.run("keyfob account refresh alice").expectError(10, "a refresh was cut off")
        #expect(try place.server.refreshes().map(\.error) == [nil, "invalid_grant"])
        try place.home.expectSound()
    }

    @Test("in the process that does it, at any moment, costs a sign-in only where the provider had replaced the token")
    func killedAtAnyMoment() throws {
        let place = try InstalledPlace()
        var (lost, kept) = (0, 0)
        for round in 0..<TestLength.rounds(6, full: 100) {
            try place.server.control(.init(grantTypes: ["refresh_token"], delay: round.isMultiple(of: 2) ? 150 : 0))
            let before = try place.server.refreshes().count
            let patience = Double.random(in: 0...0.5)
            let said = try place.run(
                """
                ask > said & pid=$!
                until [ -s said ] || pgrep -f "^$PWD/lib/keyfob ---refresh" > found; do sleep 0.01; done
                sleep \(patience); kill -9 $(cat found) 2> error; wait $pid; cat said
                """
            ).expectSuccess()
            let answers = try place.server.refreshes().dropFirst(before).map(\.status)
            let next = try place.run("keyfob account refresh alice --quiet")
            let context: Comment = "round \(round), killed after \(patience) s: \(said) \(next), \(answers)"
            if said.text == "True []\n" {
                kept += 1
                #expect(next.status == 0, context)
            } else {
                lost += 1
                #expect(
                    said.text.hasPrefix("10 alice must sign in") && said.text.contains("a refresh was cut off"), context
                )
                #expect(next.status == 10 && answers.first == 200 && answers.last == 400, context)
                try place.home.signIn("alice", "--account alice")
            }
        }
        print("killed processes: \(kept) told a token, \(lost) a sign-in that was cut off")
        try place.home.expectSound()
    }

    /// Full programs that begin nothing: why, what is done to the installation, what they do, and how often they are started.
    private static let idle = [
        ("is missing", "rm lib/keyfob", ":", 0),
        ("is not executable", "chmod 600 lib/keyfob", ":", 0),
        ("is anybody's to write", "chmod 702 lib/keyfob", ":", 0),
        ("lies where anybody writes", "chmod 703 lib", ":", 0),
        ("ends at once", ":", "exit 3", 1),
        ("is killed at once", ":", "kill -9 $$", 1),
        ("is of a release before it was asked so", ":", "echo 'unknown option' >&2; exit 64", 1),
        ("is of another release", ":", #"printf 'io.keyfob.Refresh 0.0.0\0' >&0; cat > got"#, 1),
        ("ends before it is asked", ":", #"printf 'io.keyfob.Refresh %s\0' "$(keyfob --version)" >&0"#, 1),
    ]

    // One installation for all, which is large.
    @Test("is done in the program itself where the full program begins nothing, which has no key then")
    func notBegun() throws {
        let place = try InstalledPlace()
        var count = 0
        for (reason, preparation, program, starts) in Self.idle {
            let before = try place.starts
            try place.home.place.write("lib/keyfob", "#!/bin/bash\necho >> started; \(program)\n")
            let outcome = try place.run("chmod 700 lib lib/keyfob; \(preparation); ask; cat got").expectSuccess()
            #expect(outcome.text == "True []\n", "\(reason): \(outcome)")
            #expect(try place.starts == before + starts, "\(reason)")
            count += 1
        }
        #expect(try place.server.refreshes().map(\.status) == Array(repeating: 200, count: count))
    }

    @Test(
        "is done in the program itself where the full program hangs before it is asked",
        .enabled(if: TestLength.isFull, "a hanging program is waited for for 10 s"))
    func hanging() throws {
        let place = try InstalledPlace(program: "exec sleep 15")
        #expect(try place.run("ask").expectSuccess().text == "True []\n")
        #expect(try place.server.refreshes().map(\.status) == [200])
    }

    @Test("leaves a program no child and no signal, whatever it does with its signals, descriptors and threads")
    func hosts() throws {
        let place = try InstalledPlace()
        try place.server.control(.init(grantTypes: ["refresh_token"], delay: 300))
        try place.run("\"$PYTHON\" '\(PythonScript.path("hosting"))'").expectSuccess()
        #expect(try place.server.refreshes().allSatisfy { $0.status == 200 })
        try place.home.expectSound()
    }

    @Test("is nothing that a person asks for")
    func typed() throws {
        let place = try Workplace.withVault()
        try place.run("keyfob ---refresh < /dev/null").expectError(64, "libkeyfob")
        #expect(try !place.run("keyfob --help; keyfob help; keyfob man").text.contains("---refresh"))
    }
}
