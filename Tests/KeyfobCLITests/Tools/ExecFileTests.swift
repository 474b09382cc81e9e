import Foundation
import KeyfobTestSupport
import Testing

/// Real programs beside keyfob, which keeps a token in a file for them.
@Suite("A program with a token in a file", .waitsForPrograms)
struct ExecFileTests {
    private let place: Workplace

    init() throws {
        place = try Workplace.withVault()
        try place.add("ada", token: "TOKEN", "--scope repo")
    }

    /// Waits in the shell until something holds.
    private static let awaiting =
        "await() { for try in $(seq 1000); do eval \"$1\" && return; sleep 0.02; done; echo late; }"

    @Test("finds it by its variable, alone, and it goes with the program")
    func file() throws {
        let outcome = try place.run(
            """
            export BEARER_TOKEN=older; umask 027
            echo 'ls /proc/self/fd; grep -E "^(Sig[BIC]|NoNewPrivs|Seccomp)" /proc/self/status; umask; ulimit -c' > probe
            sh probe > without
            keyfob exec --file --env T -- sh -c '
                echo ${BEARER_TOKEN-unset} $T; stat -c "%a %n" $BEARER_TOKEN_FILE; cat $BEARER_TOKEN_FILE
                sh probe > with; exit 3'
            echo " $?"; cmp with without && echo same; ls run/keyfob
            """)
        let file = /600 \S+\/run\/keyfob\/bearer-token-[0-9a-f]{16}\n/
        #expect(outcome.text.replacing(file, with: "FILE\n") == "unset TOKEN\nFILE\nTOKEN 3\nsame\n", "\(outcome)")
        #expect(outcome.errors.isEmpty, "\(outcome)")
    }

    @Test("who holds the key is confined, and who waits for the program has none")
    func confined() throws {
        let outcome = try place.run(
            """
            keyfob exec --file -- sh -c '
                for process in $(cat /proc/$PPID/task/*/children); do
                    test $process = $$ || grep -hE "^(NoNewPrivs|Seccomp):" /proc/$process/status
                done'
            """)
        #expect(outcome.text.replacing("\t", with: " ") == "NoNewPrivs: 1\nSeccomp: 2\n", "\(outcome)")
    }

    @Test("gets the signals that keyfob gets, each once, and keyfob ends as it does")
    func signals() throws {
        try place.write(
            "program",
            """
            for name in HUP INT QUIT TERM USR1 USR2; do trap "echo $name >> got" $name; done
            echo $$ > pid; while ! test -e stop; do sleep 0.02; done; exit 9
            """)
        try place.write(
            "test",
            """
            \(Self.awaiting)
            # Each has a group of its own: otherwise it would ignore some of them.
            set -m; keyfob exec --file -- sh program & keyfob=$!
            await 'test -s pid'
            for name in HUP INT QUIT TERM USR1 USR2; do kill -$name $keyfob; await "grep -qs $name got"; done
            touch stop; wait $keyfob; echo $?; cat got
            rm stop pid; keyfob exec --file -- sh -c 'echo $$ > pid; exec sleep 60' & keyfob=$!
            await 'test -s pid'; kill -TERM $keyfob; wait $keyfob; echo $?; ls run/keyfob
            """)
        let outcome = try place.run("bash test")
        #expect(outcome.text == "9\nHUP\nINT\nQUIT\nTERM\nUSR1\nUSR2\n143\n", "\(outcome)")
    }

    @Test("stops and goes on together with keyfob")
    func stopped() throws {
        try place.write(
            "test",
            """
            \(Self.awaiting)
            state() { sed 's/.*) //' /proc/$1/stat | cut -c1; }
            set -m; keyfob exec --file -- sh -c 'echo $$ > pid; while ! test -e stop; do sleep 0.02; done' & keyfob=$!
            await 'test -s pid'; pid=$(cat pid)
            # The program stops itself, as an editor does, or somebody asks keyfob to stop.
            for who in $pid $keyfob; do
                kill -TSTP $who; await 'test $(state $pid)$(state $keyfob) = TT'
                kill -CONT $keyfob; await 'test $(state $pid)$(state $keyfob) = SS'; echo again
            done
            touch stop; wait $keyfob; echo $?
            """)
        let outcome = try place.run("bash test")
        #expect(outcome.text == "again\nagain\n0\n", "\(outcome)")
    }

    @Test("at a terminal, Ctrl-C and Ctrl-Z are the program's, and it gets each once")
    func terminal() throws {
        let program =
            #"trap 'n=$((n+1)); echo int$n' INT; echo rea''dy; while read -r line; do echo "got $line"; done; exit 4"#
        try place.write("program", program)
        let run = try place.onTerminal(
            "env PS1='%> ' bash --norc --noprofile -i",
            [
                ("%> ", "keyfob exec --file -- bash program\r"), ("ready", "\u{3}"), ("int1", "a\r"),
                ("got a", "\u{1A}"), ("Stopped", "echo st''ill; fg\r"), ("still", "b\r"), ("got b", "\u{3}"),
                ("int2", "\u{4}"),
                ("%> ", "echo status $?\r"), ("status 4", "ls run/keyfob; exit\r"),
            ])
        #expect(run.status == 0 && !run.screen.contains("int3") && !run.screen.contains("bearer-token"), "\(run)")
    }

    @Test("of a killed keyfob the file stays until the next one, and nobody with a key")
    func killed() throws {
        let outcome = try place.run(
            """
            \(Self.awaiting)
            keyfob exec --file -- sh -c 'echo $$ > pid; exec sleep 60' 2> /dev/null & keyfob=$!
            await 'test -s pid'; pid=$(cat pid)
            for process in $(cat /proc/$keyfob/task/*/children); do test $process = $pid || holder=$process; done
            kill -9 $keyfob; wait $keyfob; echo $?
            # Nobody may be there to ask how it ended.
            await '! grep -qs "^State:.[^ZX]" /proc/$holder/status'
            ls run/keyfob/bearer* | wc -l; keyfob exec --file -- sh -c 'ls run/keyfob/bearer* | wc -l'; ls run/keyfob
            kill -9 $pid
            """)
        #expect(outcome.text == "137\n1\n1\n", "\(outcome)")
    }

    @Test("where the process with the keys is killed, that is told, and the program goes on with what it has")
    func orphaned() throws {
        let outcome = try place.run(
            """
            keyfob exec --file -- sh -c '
                for process in $(cat /proc/$PPID/task/*/children); do test $process = $$ || kill -9 $process; done
                until test -s errors; do sleep 0.02; done; cat $BEARER_TOKEN_FILE; exit 4' 2> errors
            echo " $?"; ls run/keyfob; cat errors >&2
            """)
        #expect(outcome.text == "TOKEN 4\n", "\(outcome)")
        #expect(
            outcome.errors.hasPrefix("keyfob: warning: the token in ")
                && outcome.errors.hasSuffix(" is not renewed any more\n"))
    }

    @Test("two at once have a file each, and what a program leaves behind has none")
    func several() throws {
        let outcome = try place.run(
            """
            \(Self.awaiting)
            for number in 1 2; do
                keyfob exec --file -- sh -c "echo \\$BEARER_TOKEN_FILE > path$number; until='test -e path1 -a -e path2'; \\
                    while ! eval \\$until; do sleep 0.02; done; cat \\$BEARER_TOKEN_FILE" &
            done
            wait; cmp -s path1 path2 || echo; ls run/keyfob
            keyfob exec --file -- sh -c '(until test -e go; do sleep 0.02; done; test -e $BEARER_TOKEN_FILE || touch gone) \\
                > /dev/null 2>&1 & exit 0'
            touch go; await 'test -e gone'
            """)
        #expect(outcome.text == "TOKENTOKEN\n", "\(outcome)")
    }

    @Test("without a folder that ends with the login there is none, and none that others can look into is used")
    func folder() throws {
        try place.run("env -u XDG_RUNTIME_DIR keyfob exec --file -- true").expectError(78, "XDG_RUNTIME_DIR", "--env")
        try place.run("XDG_RUNTIME_DIR=$PWD/nowhere keyfob exec --file -- true").expectError(69, "XDG_RUNTIME_DIR")
        try place.run("mkdir -p run/keyfob; chmod 755 run/keyfob; keyfob exec --file -- true").expectError(
            78, "chmod 0700")
        try place.run("chmod 700 run/keyfob; env -u XDG_RUNTIME_DIR keyfob exec --env T -- true").expectSuccess()
    }
}

/// The same with a provider whose tokens expire soon.
@Suite("A token in a file that expires", .waitsForPrograms)
struct ExecRenewalTests {
    private let server: ProviderServer
    private let home: SignInPlace

    init() throws {
        server = try ProviderServer()
        home = try SignInPlace(server)
        try server.control(.init(accessLifetime: 12))
        try home.signIn("alice")
    }

    /// Prints the first token and, when there is another, that one; what the file holds meanwhile is one or the other.
    private static let program = """
        first=$(cat $BEARER_TOKEN_FILE); echo $first
        for try in $(seq 30000); do
            now=$(cat $BEARER_TOKEN_FILE) || exit 2; test "$now" = "$first" || break; sleep 0.01
        done
        echo $now
        """

    @Test("is replaced before it does, by one refresh, while the program runs")
    func renewed() async throws {
        try home.place.write("program", Self.program)
        let count = try server.refreshes().count
        let outcome = try home.run("keyfob exec --file --min-validity 0 -- sh program").expectSuccess()
        let tokens = outcome.text.split(separator: "\n").map(String.init)
        #expect(tokens.count == 2 && tokens[0] != tokens[1], "\(outcome)")
        #expect(try server.refreshes().count == count + 1)
        let answer = try await server.me(tokens[1])
        #expect(try answer.text("user") == "alice")
        try home.expectSound()
    }

    @Test("while the provider has none, that is told once, and it comes when it can")
    func refused() throws {
        try home.place.write("program", Self.program)
        try server.control(.init(times: 1, status: 503))
        let outcome = try home.run("keyfob exec --file --min-validity 0 -- sh program")
        let tokens = Set(outcome.text.split(separator: "\n"))
        #expect(outcome.status == 0 && tokens.count == 2, "\(outcome)")
        #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome)")
        #expect(outcome.errors.hasPrefix("keyfob: warning: no new token for sh yet: "), "\(outcome)")
    }

    @Test("a program that ends while the provider is asked is not waited for by anybody")
    func ended() throws {
        try home.place.write(
            "ending",
            """
            asked() { grep -c refresh_token '\(server.folder)/requests.jsonl'; }
            before=$(asked); until test $(asked) -gt $before; do sleep 0.05; done
            date +%s > end; exit 5
            """)
        try server.control(.init(grantTypes: ["refresh_token"], delay: 30_000))
        let outcome = try home.run(
            "keyfob exec --file --min-validity 0 -- sh ending 2> /dev/null; echo $?; test $(date +%s) -lt $(($(cat end) + 20))"
        )
        #expect(outcome.text == "5\n" && outcome.status == 0, "\(outcome)")
        #expect(try home.run("ls run/keyfob | grep bearer").text.isEmpty)
        try home.run(
            "for try in $(seq 3000); do pgrep -f 'exec --file --min-validity 0 -- sh endin[g]' || break; sleep 0.02; done"
        )
        .expectSuccess()
        try home.expectSound()
    }
}
