import Foundation
import KeyfobTestSupport
import Testing

/// What others do who get at a kernel keyring in which `keyfob unlock` has kept a key.
@Suite("Attacks on the key that is kept", .waitsForPrograms)
struct SessionKeyringAttackTests {
    /// Runs lines in a session of its own, after the key was kept there; `$id` is the kernel's number of it.
    private func inSession(_ place: Workplace, _ lines: String..., unlocking: String = "") throws -> Outcome {
        let script = """
            unset KEYFOB_KEY_FILE
            keyfob unlock -q --for 1m --key-file key \(unlocking) || exit
            vault=$(keyfob status | sed -n 's/^id *//p')
            id=$(keyctl search @s user keyfob:$vault:$(id -u)) || exit
            """
        try place.write("session", script + "\n" + lines.joined(separator: "\n") + "\n")
        return try place.run("keyctl session - sh session 2>&1 | grep -v '^Joined session'")
    }

    /// A vault with a runtime folder, nothing of it in the kernel from earlier tests.
    private func place() throws -> Workplace {
        let place = try Workplace.withVault()
        try place.add("ada", token: "token")
        return place
    }

    @Test(
        "another user of the same session, as with su and sudo, cannot read it, nor take or change it",
        .enabled(if: Privileges.isRoot, "only root can become another user"),
        arguments: [
            "setpriv --reuid=nobody --regid=nogroup --clear-groups", "su -s /bin/sh nobody -c '\"$@\"' --",
        ])
    func otherUser(_ becoming: String) throws {
        let place = try place()
        let attacks =
            ["pipe", "print", "revoke", "invalidate"].map { "keyctl \($0) $id" }
            + [
                "keyctl setperm $id 0x3f3f3f3f", "keyctl chown $id 65534", "keyctl link $id @u",
                "keyctl update $id other",
            ]
        let prefix = becoming.hasPrefix("su ") ? "\(becoming) sh" : becoming
        let outcome = try inSession(
            place, attacks.map { "\(prefix) \($0) 2>/dev/null && echo '\($0) works'" }.joined(separator: "\n"),
            "\(prefix) id -u", "\(prefix) cat run/keyfob/session.key 2>/dev/null && echo read", "keyfob token")
        #expect(outcome.text == "65534\ntoken\n", "\(outcome)")
    }

    @Test("another session of the same user cannot read it, though it knows its number")
    func otherSession() throws {
        let place = try place()
        let outcome = try inSession(
            place, "for what in \"pipe $id\" \"link $id @s\" \"setperm $id 0x3f3f3f3f\"; do",
            "keyctl session - keyctl $what 2>/dev/null && echo \"$what works\"", "done", "keyfob token")
        #expect(outcome.text == "token\n", "\(outcome)")
    }

    @Test("what lies in the kernel is worth nothing without the file of the login, nor with another one")
    func otherSecret() throws {
        let place = try place()
        let outcome = try inSession(
            place, "stat -c %a run/keyfob run/keyfob/session.key", "mv run/keyfob/session.key kept",
            "keyfob token --no-input || echo $?", "head -c 32 /dev/urandom > run/keyfob/session.key",
            "keyfob token --no-input || echo $?", "chmod 644 kept; mv kept run/keyfob/session.key",
            "keyfob token --no-input || echo $?", "chmod 600 run/keyfob/session.key", "keyfob token")
        let locked =
            "keyfob: the vault is locked; it opens with a key file (--key-file FILE), or the recovery key or another "
            + "identity (--identity FILE)\n12\n"
        #expect(outcome.text == "700\n600\n" + locked + locked + locked + "token\n", "\(outcome)")
    }

    @Test("the wrapped key of a vault opens no other, and not once it was altered")
    func moved() throws {
        let place = try place()
        try place.run("keyfob init -q --vault second").expectSuccess()
        let outcome = try inSession(
            place, "second=$(keyfob status --vault second | sed -n 's/^id *//p')",
            "keyctl pipe $id > wrapped; wc -c < wrapped", "keyctl padd user keyfob:$second:$(id -u) @s < wrapped > id",
            "keyfob verify --vault second --no-input > out 2>&1 || echo $?",
            "keyfob lock -q; for byte in x y; do cp wrapped altered",
            "printf $byte | dd of=altered bs=1 seek=40 conv=notrunc status=none; cmp -s wrapped altered || break; done",
            "first=$(keyfob status | sed -n 's/^id *//p')",
            "keyctl padd user keyfob:$first:$(id -u) @s < altered > id", "keyfob token --no-input 2> out || echo $?")
        #expect(outcome.text == "129\n12\n12\n", "\(outcome)")
    }

    @Test("a folder of the login that others can write is not used")
    func openFolder() throws {
        let place = try Workplace.withVault()
        try place.run("mkdir -m 777 run/keyfob; keyctl session - keyfob unlock 2>&1 | grep -q 'chmod 0700'")
            .expectSuccess()
        try place.run("rmdir run/keyfob; ln -s $PWD/io run/keyfob")
            .expectSuccess()
        try place.run("keyctl session - keyfob unlock 2>&1 | grep -q 'cannot be trusted'").expectSuccess()
        #expect(try place.run("ls io").text.contains("session.key") == false)
    }

    @Test(
        "where the system offers no keyring that is said before a passphrase is asked for",
        arguments: ["ENOSYS", "EPERM"])
    func noKeyrings(_ reason: String) throws {
        let place = try Workplace()
        try place.write("words", "correct horse\n")
        try place.run("keyfob init -q --passphrase-fd 3 --kdf-memory 64 --recovery-file recovery 3<words")
            .expectSuccess()
        // add_key, request_key and keyctl.
        let without = "\(PythonScript.interpreter) \(PythonScript.path("forbidding")) \(reason) 248,249,250 keyfob"
        for option in ["", "--user"] {
            let run = try place.onTerminal("\(without) unlock \(option)", [])
            #expect(run.status == 69 && run.screen.contains("the kernel offers no keyring here"), "\(run)")
            #expect(!run.screen.contains("Passphrase"), "\(run)")
        }
        let doctor = try place.run("\(without) doctor --identity recovery").expectSuccess()
        #expect(doctor.text.contains("warning session keyring: "), "\(doctor)")
        #expect(doctor.text.contains("warning user keyring: "), "\(doctor)")
    }

    @Test("without a folder of the login that is said before a passphrase is asked for, with the way out")
    func noRuntimeFolder() throws {
        let place = try Workplace.withVault()
        for prefix in ["env -u XDG_RUNTIME_DIR", "env XDG_RUNTIME_DIR=run"] {
            try place.run("\(prefix) keyfob unlock --user").expectError(69, "XDG_RUNTIME_DIR", "pam_systemd")
        }
        try place.run("env XDG_RUNTIME_DIR=/nowhere keyfob unlock --user").expectError(69, "XDG_RUNTIME_DIR", "0700")
    }
}
