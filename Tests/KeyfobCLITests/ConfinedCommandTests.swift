import Foundation
import KeyfobTestSupport
import Testing

/// What the command does to itself once it holds keys; what it can do then is `KeyfobConfinementTests`' matter.
@Suite("Confined commands", .waitsForPrograms)
struct ConfinedCommandTests {
    @Test("a command that writes out tokens has one thread, which is filtered and gains no privilege")
    func filtered() throws {
        let place = try Workplace.withVault()
        try place.write("cache.json", SampleCache(people: 400).json())
        try place.run("keyfob import -q cache.json").expectSuccess()
        // It waits for its output to be read.
        let outcome = try place.run(
            """
            mkfifo p; keyfob export --quiet --format msal - > p & pid=$!
            exec 9< p; head -c 1 <&9 > count
            cat /proc/$pid/task/*/status | grep -E '^(NoNewPrivs|Seccomp):' | tr '\\t' ' '
            cat count - <&9 | wc -c > size; wait $pid && test $(cat size) -gt 100000 && echo whole
            """)
        #expect(outcome.text == "NoNewPrivs: 1\nSeccomp: 2\nwhole\n", "\(outcome)")
    }

    @Test("what only looks at a vault is confined too", arguments: ["status", "doctor", "verify", "doctor --repair"])
    func looking(_ command: String) throws {
        let place = try Workplace.withVault()
        // Its output is full, so that it waits before it ends.
        let outcome = try place.run(
            """
            mkfifo p; exec 9<>p; head -c 65536 /dev/zero >&9
            keyfob \(command) > p & pid=$!
            for try in $(seq 3000); do grep -q '^Seccomp:.*2$' /proc/$pid/status && break; sleep 0.01; done
            # The doctor has threads of the library by which it has asked for the desktop's keyring.
            cat /proc/$pid/task/*/status | grep -E '^(NoNewPrivs|Seccomp):' | tr '\\t' ' ' | sort -u
            head -c 65536 <&9 > /dev/null; wait $pid; echo $?
            """)
        #expect(outcome.text == "NoNewPrivs: 1\nSeccomp: 2\n0\n", "\(outcome)")
    }

    @Test("a link that leads out of the vault's folder is not followed to write")
    func link() throws {
        let place = try Workplace.withVault()
        try place.run("mkdir -m 700 elsewhere && ln -s $PWD/elsewhere data/keyfob/backups").expectSuccess()
        let outcome = try place.run("keyfob backup")
        #expect(outcome.status != 0, "\(outcome)")
        #expect(try place.run("ls elsewhere").text.isEmpty)
        try place.run("keyfob verify").expectSuccess()
    }

    @Test("what a person names is written where they say, beside the vault and elsewhere")
    func named() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "token")
        try place.run("mkdir -m 700 out; umask 077; keyfob backup -q --to out/backup.age > /dev/null").expectSuccess()
        try place.run("keyfob export -q --format msal cache.json && keyfob export -q --format msal $PWD/out/cache.json")
            .expectSuccess()
        try place.run("cd out && keyfob export -q --format msal ../again.json && cmp ../again.json cache.json")
            .expectSuccess()
        try place.run("keyfob import -q again.json && keyfob token --offline").expectSuccess()
    }

    @Test("the doctor says what the kernel offers")
    func doctor() throws {
        let place = try Workplace.withVault()
        let doctor = try place.run("keyfob doctor").expectSuccess()
        #expect(
            try doctor.text.contains(Regex("(?m)^(ok     |warning) confinement: (Landlock ABI [0-9]+|no Landlock), ")),
            "\(doctor)")
    }
}
