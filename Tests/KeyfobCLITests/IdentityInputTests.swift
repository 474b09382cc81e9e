import Foundation
import KeyfobTestSupport
import Testing

@Suite("Files and pipes with identities and recipients", .waitsForPrograms)
struct IdentityInputTests {
    /// A vault with a backup, and identities that Keyfob cannot use before its recovery key.
    private func place() throws -> Workplace {
        let place = try Workplace.withVault()
        try place.run(
            """
            set -e; umask 077; keyfob backup -q --to kept.age > /dev/null
            keyfob export -q --to $(keyfob slot list --json | grep -o 'age1[0-9a-z]*') some.age
            printf '%s\n' '# several' AGE-PLUGIN-YUBIKEY-1SECRET '-----BEGIN OPENSSH PRIVATE KEY-----' SECRET \
                '-----END OPENSSH PRIVATE KEY-----' > others
            cat others recovery > mixed
            """
        ).expectSuccess()
        return place
    }

    @Test(
        "a file is used as far as it can be, and names by line and kind what cannot",
        arguments: ["verify --identity", "doctor --identity", "backup --verify kept.age --bundle-identity"])
    func mixed(command: String) throws {
        let place = try place()
        let outcome = try place.run("KEYFOB_KEY_FILE= keyfob \(command) mixed").expectSuccess()
        let warnings = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("keyfob: warning: mixed: ") }
        #expect(warnings.count == 2, "\(outcome)")
        #expect(warnings.first?.contains("line 2 is a plugin's") == true, "\(outcome)")
        #expect(warnings.last?.contains("line 3 begins a private key of SSH") == true, "\(outcome)")
        #expect(!outcome.errors.contains("SECRET") && !outcome.text.contains("SECRET"), "\(outcome)")
        try place.run("KEYFOB_KEY_FILE= keyfob \(command) others").expectError(
            65, "nothing that Keyfob can use", "line 2 is a plugin's", "line 3")
    }

    @Test(
        "what comes through a pipe is taken as a file is",
        arguments: [
            "verify --identity <(cat recovery)", "doctor --identity <(cat recovery)",
            "verify --key-file <(cat key)", "backup --verify kept.age --bundle-identity <(cat recovery)",
            "restore kept.age --bundle-identity <(cat recovery) --vault other --key-file <(cat key) --recovery-file new",
            "import some.age --key-file key --bundle-identity <(cat recovery) --dry-run",
            "slot add key-file <(head -c 32 /dev/urandom) --key-file key",
            "rekey --identity <(cat recovery) --keep-key-file <(cat key) --recovery-file new",
            "export --key-file key --recipients-file <(echo $to) other.age",
        ])
    func pipes(line: String) throws {
        let place = try place()
        try place.run(
            """
            export KEYFOB_KEY_FILE= to=$(keyfob slot list --json | grep -o 'age1[0-9a-z]*')
            exec bash -c 'keyfob \(line)'
            """
        ).expectSuccess()
    }

    @Test("a list of backups reads the pipe once for all of them")
    func list() throws {
        let place = try place()
        let outcome = try place.run(
            "for i in 1 2 3; do keyfob backup -q > /dev/null; done; bash -c 'keyfob backup --list --bundle-identity <(cat recovery)'"
        ).expectSuccess()
        #expect(outcome.text.split(separator: "\n").filter { $0.contains("its owner") }.count == 3, "\(outcome)")
    }

    @Test("a named pipe is waited for, and must be closed to others as a file must")
    func named() throws {
        let place = try place()
        try place.run(
            """
            mkfifo -m 600 pipe
            keyfob verify --identity pipe & pid=$!
            # Opening it waits for the one that reads.
            cat recovery > pipe; wait $pid
            """
        ).expectSuccess()
        try place.run("chmod 644 pipe; KEYFOB_KEY_FILE= keyfob verify --identity pipe")
            .expectError(78, "pipe is open to other users", "chmod 600")
        try place.run("chmod 620 pipe; keyfob export --recipients-file pipe x.age")
            .expectError(78, "pipe can be changed by other users")
        try place.run("keyfob import pipe").expectError(74, "nothing came through pipe in 10 seconds")
    }

    @Test("an encrypted identity file is opened on a terminal, and named where there is none")
    func encrypted() throws {
        let place = try place()
        let made = try place.onTerminal(
            "age -p -o locked recovery", [("Enter passphrase", "horse\n"), ("Confirm passphrase", "horse\n")])
        #expect(made.status == 0, "\(made)")
        try place.run("chmod 600 locked; KEYFOB_KEY_FILE= keyfob verify --identity locked")
            .expectError(12, "locked is encrypted with a passphrase", "age -d locked")
        let steps = [("Passphrase of locked: ", "horse\n")]
        let read = try place.onTerminal("keyfob verify --identity locked", steps)
        #expect(read.status == 0 && read.echoes == [false] && read.screen.contains("all is well"), "\(read)")
        // Asked for once, although both the vault and its backups are opened.
        #expect(try place.onTerminal("keyfob doctor --identity locked", steps).status == 0)
        let wrong = try place.onTerminal(
            "keyfob verify --identity locked", [("Passphrase of locked: ", "house\n")])
        #expect(wrong.status == 77, "\(wrong)")
    }

    @Test("recipients of plugins and of SSH are told and left out")
    func recipients() throws {
        let place = try place()
        try place.run(
            """
            printf '%s\n' 'ssh-ed25519 AAAAC3 ada@example' age1yubikey1qqqqqqqq > others.txt
            { cat others.txt; keyfob slot list --json | grep -o 'age1[0-9a-z]*'; } > team.txt
            """
        ).expectSuccess()
        let outcome = try place.run("keyfob export --recipients-file team.txt team.age").expectSuccess()
        #expect(
            outcome.errors.contains("team.txt: line 1 is a key of SSH, for whom Keyfob cannot write"), "\(outcome)")
        #expect(outcome.errors.contains("team.txt: line 2 is a plugin's recipient, for whom"), "\(outcome)")
        try place.run("keyfob backup --verify team.age --bundle-identity recovery").expectSuccess()
        try place.run("keyfob export --recipients-file others.txt x.age")
            .expectError(65, "holds no age recipient", "line 1 is a key of SSH", "line 2 is a plugin's recipient")
    }
}
