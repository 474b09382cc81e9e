import Foundation
import KeyfobTestSupport
import Testing

/// Real programs with tokens in variables.
@Suite("A program with tokens in variables", .waitsForPrograms)
struct ExecTests {
    private let place: Workplace

    init() throws {
        place = try Workplace.withVault()
        try place.add("ada", token: "TOKEN", "--scope repo")
    }

    @Test("takes keyfob's place, and finds all else as it would without")
    func inPlace() throws {
        try place.write(
            "probe",
            """
            umask; ulimit -Sc; ulimit -Hc
            grep -E '^(SigBlk|SigIgn|SigCgt|NoNewPrivs|Seccomp|Threads):' /proc/self/status
            env | grep -av ^T= | sort; ls /proc/self/fd; cat /proc/thread-self/children; echo "$# $2"
            """)
        let outcome = try place.run(
            #"""
            export SSLKEYLOGFILE=log BEARER_TOKEN=mine ODD="$(printf 'a\nb\377')"; umask 027; trap '' HUP
            argument="$(printf '\377 x')"
            sh probe 1 "$argument" > without
            keyfob exec --env T -- sh probe 1 "$argument" > with; cmp with without && echo same
            sh -c 'echo $$; exec keyfob exec --env T -- sh -c '\''echo $$ $T; exit 42'\''' > pids
            echo $?; test $(head -n 1 pids) = $(tail -n 1 pids | cut -d' ' -f1) && echo one; tail -n 1 pids | cut -d' ' -f2
            """#)
        #expect(outcome.text == "same\n42\none\nTOKEN\n" && outcome.errors.isEmpty, "\(outcome)")
    }

    @Test("has a core dump, a debugger and privileges if it would without")
    func limits() throws {
        let outcome = try place.run(
            """
            probe='ulimit -c; true < /proc/$$/mem && true < /proc/$$/environ && echo open'
            ulimit -c unlimited 2> /dev/null || ulimit -c $(ulimit -H -c)
            sh -c "$probe" > own; grep -qx open own || exit
            keyfob exec --env T -- sh -c "$probe" | cmp - own
            """)
        outcome.expectSuccess()
    }

    @Test("no variable has more than its token, and one that is set twice is set once")
    func variables() throws {
        let outcome = try place.run(
            """
            A=old keyfob exec --env A --env B=repo --env C='repo' -- env | grep -E '^[ABC]=' | sort
            env -i "PATH=$PATH" "HOME=$HOME" "XDG_DATA_HOME=$XDG_DATA_HOME" "XDG_STATE_HOME=$XDG_STATE_HOME" \\
                "KEYFOB_KEY_FILE=$KEYFOB_KEY_FILE" keyfob exec --env HOME -- /usr/bin/env | grep -c ^HOME=TOKEN
            """)
        #expect(outcome.text == "A=TOKEN\nB=TOKEN\nC=TOKEN\n1\n", "\(outcome)")
    }

    @Test("a program that is not there, or is none, is told before anything else, with the shell's status")
    func missing() throws {
        try place.write("plain", "echo")
        try place.run("rm key; mkdir folder; printf '#!/nowhere/sh\\n' > broken; chmod +x broken").expectSuccess()
        for (name, status, words) in [
            ("nowhere", 127, "there is no program nowhere"), ("./nowhere", 127, "there is no file ./nowhere"),
            ("./plain", 126, "./plain is not a program"), ("./folder", 126, "./folder is not a program"),
            ("''", 127, "no program"),
            ("./plain/x", 127, "no file ./plain/x"),
        ] {
            for way in ["--env T", "--file"] {
                try place.run("keyfob exec \(way) -- \(name)").expectError(Int32(status), words)
            }
        }
        try place.run("keyfob exec --env T -- true").expectError(66)
    }

    @Test("one that cannot be started all the same is told as well, and a script without a head is run")
    func broken() throws {
        try place.run("printf '#!/nowhere/sh\\n' > broken; echo 'echo $T' > headless; chmod +x broken headless")
            .expectSuccess()
        for way in ["--env T", "--file"] {
            try place.run("keyfob exec \(way) -- ./broken").expectError(127, "./broken cannot be started")
        }
        #expect(try place.run("keyfob exec --env T -- ./headless").text == "TOKEN\n")
        #expect(try place.run("ls run/keyfob").text.isEmpty)
    }

    @Test("without a token no program runs, and the status is that of the token")
    func refused() throws {
        try place.add("bob", token: "OTHER", "--scope repo")
        for way in ["--env T=repo", "--env T --env U", "--file --scope repo"] {
            try place.run("keyfob exec \(way) -- touch ran").expectError(11, "ada", "bob")
        }
        try place.run("keyfob exec --account ada --env T --env U=admin -- touch ran").expectError(10, "admin")
        try place.run("keyfob exec --account eve --file -- touch ran").expectError(13, "eve")
        try place.run("keyfob exec --account ada --url https://evil.example --env T -- touch ran").expectError(77)
        #expect(try place.run("ls ran run/keyfob/bearer*").text.isEmpty)
    }

    @Test("a token that is too long for a variable is handed over in a file")
    func long() throws {
        let token = String(repeating: "x", count: 140_000)
        try place.add("bob", token: token)
        try place.run("keyfob exec --account bob --env T -- true").expectError(65, "--file")
        #expect(try place.run("keyfob exec --account bob --file -- sh -c 'cat $BEARER_TOKEN_FILE'").text == token)
    }

    @Test("its reader may go away, and a signal ends it as it would without")
    func ends() throws {
        for way in ["--env T", "--file"] {
            let outcome = try place.run("bash -c 'keyfob exec \(way) -- yes | head -n 1; echo ${PIPESTATUS[0]}'")
            #expect(outcome.text == "y\n141\n" && outcome.errors.isEmpty, "\(way): \(outcome)")
            let killed = try place.run("bash -c 'keyfob exec \(way) -- sh -c \"kill -9 \\$\\$\"; echo $?' 2> /dev/null")
            #expect(killed.text == "137\n", "\(way): \(killed)")
        }
        #expect(try place.run("ls run/keyfob").text.isEmpty)
    }

    @Test("the passphrase that opened the vault is not the program's to read")
    func passphrase() throws {
        try place.write("passphrase", "a long passphrase\n")
        let outcome = try place.run(
            """
            keyfob slot add passphrase -q --kdf-memory 64 --new-passphrase-fd 3 3< passphrase || exit; unset KEYFOB_KEY_FILE
            keyfob exec --passphrase-fd 4 --env T -- sh -c 'echo $T; ls /proc/self/fd | grep -c "^4$"' 4< passphrase
            keyfob exec --passphrase-fd 0 --env T -- readlink /proc/self/fd/0 < passphrase
            keyfob exec --key-file /dev/fd/5 --env T -- sh -c 'ls /proc/self/fd | grep -c "^5$"' 5< key
            """)
        #expect(outcome.text == "TOKEN\n0\n/dev/null\n0\n", "\(outcome)")
    }
}
