import Foundation
import KeyfobTestSupport
import Testing

/// What a command finds around it: modes, folders, variables, many accounts.
@Suite("Surroundings", .waitsForPrograms)
struct SurroundingsTests {
    @Test("no umask opens or closes what is written", arguments: ["000", "777"])
    func umask(_ umask: String) throws {
        let place = try Workplace(["KEYFOB_KEY_FILE": "key"])
        try place.run(
            """
            umask \(umask); unset KEYFOB_KEY_FILE; keyfob init -q --new-key-file key --recovery-file recovery || exit
            export KEYFOB_KEY_FILE=key
            printf t | keyfob add -q ada@git.example && keyfob backup -q && keyfob bind -q --tool gh ada && keyfob token
            """
        ).expectSuccess()
        let modes = try place.run("find data state key recovery -printf '%y %m\\n' | sort -u").expectSuccess().text
        #expect(modes == "d 700\nf 600\n")
    }

    @Test("relative XDG folders do not count, and without HOME it says what to give")
    func folders() throws {
        let place = try Workplace.withVault()
        let relative = "XDG_DATA_HOME=data XDG_STATE_HOME=state XDG_RUNTIME_DIR=run"
        try place.run("\(relative) keyfob status").expectError(66, place.path + "/.local/share/keyfob", "'keyfob init'")
        try place.run("env -u HOME -u XDG_DATA_HOME keyfob status").expectError(78, "HOME", "--vault")
        try place.run("env -u HOME -u XDG_STATE_HOME keyfob status --vault data/keyfob")
            .expectError(78, "HOME", "XDG_STATE_HOME")
    }

    @Test("a vault that is named by a relative path is no other one in the next directory")
    func relativeVault() throws {
        let place = try Workplace.withVault()
        try place.run("mkdir a b && (cd a && KEYFOB_KEY_FILE=../key keyfob init -q --recovery-file r --vault v)")
            .expectSuccess()
        try place.run("cd b && KEYFOB_KEY_FILE=../key keyfob init -q --recovery-file r --vault v").expectSuccess()
        for folder in ["a", "b", "a"] {
            try place.run("cd \(folder) && KEYFOB_KEY_FILE=../key keyfob status --vault v").expectSuccess()
        }
    }

    @Test("nothing that is typed or shown depends on the rules of a language")
    func turkish() throws {
        let place = try Workplace.withVault(["LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"])
        try place.run(
            "printf t | keyfob add -q INFO@GIT.EXAMPLE --label Title && keyfob provider list | grep -q microsoft"
        )
        .expectSuccess()
        for name in ["info@git.example", "INFO", "title", "TITLE"] {
            #expect(try place.run("keyfob token --account \(name)").text == "t\n", "\(name)")
        }
        try place.run("keyfob STATUS").expectError(64, "there is no command 'keyfob STATUS'")
    }

    @Test("where the kernel has no keyrings, that is said before a passphrase is asked for, with what to give instead")
    func noKeyrings() throws {
        let place = try Workplace()
        try place.write("right", "correct horse battery\n")
        try place.run("keyfob init -q --passphrase-fd 3 --kdf-memory 64 --recovery-file recovery 3<right")
            .expectSuccess()
        let without = "\"$PYTHON\" \(PythonScript.path("no_keyrings")) keyfob"
        for command in ["unlock", "unlock --user"] {
            let run = try place.onTerminal("sh -c '\(without) \(command)'", [])
            #expect(run.status == 69 && !run.screen.contains("Passphrase"), "\(run)")
            #expect(run.screen.contains("the kernel offers no keyring here"), "\(run)")
            #expect(run.screen.contains("--key-file FILE") && run.screen.contains("slot add key-file --new"), "\(run)")
        }
        try place.run("\(without) account list").expectError(12, "--key-file FILE")
        #expect(
            try place.run("\(without) status").text.contains("the kernel offers no keyring here that keeps it open"))
        #expect(try !place.run("\(without) doctor").text.contains("run 'keyfob unlock' first"))
        try place.run("\(without) slot add key-file --new key --passphrase-fd 3 3<right").expectSuccess()
        try place.run("\(without) account list --key-file key").expectSuccess()
    }

    /// Where no key is kept: what is run before, what is said, and whether what is advised opens the vault.
    private static let places: [(before: String, with: String, told: String, command: String)] = [
        ("", "", "this session has no kernel keyring of its own; run 'keyfob unlock --user'", "keyfob unlock --user"),
        ("unset XDG_RUNTIME_DIR", "", "XDG_RUNTIME_DIR names no folder", ""),
        ("export XDG_RUNTIME_DIR=$PWD/none", "", "the folder 'keyfob' in XDG_RUNTIME_DIR cannot be made", ""),
        ("chmod 755 run; mkdir -m 755 run/keyfob", "", "run/keyfob cannot be trusted: its mode is 0755", ""),
        ("", "no_keyrings", "the kernel offers no keyring here", ""),
    ]

    @Test(
        "a locked vault says by one rule, at every door, why nothing is kept here and what opens it",
        arguments: places.indices)
    func locked(index: Int) throws {
        let (before, with, told, command) = Self.places[index]
        let place = try Workplace(LibraryFile.variables)
        try place.write("right", "correct horse battery\n")
        try place.run("keyfob init -q --passphrase-fd 3 --kdf-memory 64 --recovery-file recovery 3<right")
            .expectSuccess()
        let prefix = "\(before)\n" + (with.isEmpty ? "exec " : "exec \"$PYTHON\" \(PythonScript.path(with)) ")
        let answer = try place.run(prefix + "keyfob token --account ada")
        answer.expectError(12, "the vault is locked", told)
        let library =
            "import keyfob, sys\ntry: keyfob.Keyring().token(account='ada')\n"
            + "except keyfob.Error as error: print('keyfob: %s' % error)\n"
        try place.write("ask.py", library)
        let other = try place.run(prefix + "\(PythonScript.interpreter) ask.py").expectSuccess()
        #expect(other.text == answer.errors, "\(other)")
        for line in ["keyfob status", "keyfob doctor"] {
            let shown = try place.run(prefix + line).text
            #expect(!shown.contains("run 'keyfob unlock'") || told.contains("'keyfob unlock'"), "\(shown)")
        }
        guard !command.isEmpty else { return }
        try place.run(
            "\(before)\n\(command) --passphrase-fd 3 3<right && keyfob account list --no-input; keyfob lock -q"
        )
        .expectSuccess()
    }

    @Test("very many accounts are listed, named, chosen and completed")
    func many() throws {
        let count = TestLength.rounds(1_000, full: 10_000)
        let (last, beginning) = ("person\(count - 1)", "person\(count / 10 - 1)")
        let place = try Workplace.withVault()
        try place.write("cache.json", SampleCache(people: count).json())
        try place.run("keyfob import -q cache.json").expectSuccess()
        #expect(try place.run("keyfob account list | wc -l").text == "\(count + 1)\n")
        try place.run("keyfob token --account \(last) --tenant tenant-one").expectSuccess()
        try place.run("keyfob token").expectError(11, "\(count) accounts", " and \(count - 3) more")
        let pick = try place.onTerminal("keyfob pick", [("\(count)/\(count)", last), ("m1/\(count)", "\r")])
        #expect(pick.status == 0 && pick.screen.contains(last + "@"), "\(pick)")
        let words = try place.run("keyfob ---complete line 'keyfob use \(beginning)'").expectSuccess().text
        #expect(words.split(separator: "\n").count == 12, "\(words)")
    }
}
