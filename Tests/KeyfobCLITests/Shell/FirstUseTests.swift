import KeyfobTestSupport
import Testing

/// What people type in their first hour, who have read the README alone.
@Suite("The first hour", .waitsForPrograms)
struct FirstUseTests {
    @Test("a binding that lets tokens go to a host of nobody's is asked about, and warned of where nobody can be asked")
    func strangeHost() throws {
        let place = try Workplace.withVault()
        try place.run("echo OCTO | keyfob add -q -a octo --host github.com").expectSuccess()
        let question = "githb.com is no host of github.com: it would get the tokens of octo. Bind it? [y/N] "
        let no = try place.onTerminal("keyfob bind --host githb.com octo", [(question, "\n")])
        #expect(no.status == 15, "\(no)")
        try place.run("keyfob token --url https://githb.com/x").expectError(77)
        let warned = try place.run("keyfob bind -q --url https://githb.com/x octo").expectSuccess()
        #expect(warned.errors.contains("warning: githb.com is no host of github.com"), "\(warned)")
        try place.run("keyfob token --url https://githb.com/x").expectSuccess()
        // Of the provider's own hosts, and of one that is bound already, nothing is said.
        for line in [
            "--host api.github.com octo", "--url https://githb.com/x octo", "--host other.example octo --force",
        ] {
            let outcome = try place.run("keyfob bind \(line)").expectSuccess()
            #expect(!outcome.errors.contains("is no host of"), "\(outcome)")
        }
    }

    @Test("a word without a dot is no host to bind, unless its scheme says so", arguments: ["--url", "--host"])
    func owner(option: String) throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "t")
        try place.run("keyfob bind \(option) contoso ada").expectError(
            64, "no host: it has no dot", "https://github.com/contoso")
        for host in ["https://intranet", "localhost", "git.example", "git:8443"] {
            try place.run("keyfob bind --force \(option) \(host) ada").expectSuccess()
        }
    }

    @Test("'use' counts at once, also where another account was chosen before")
    func use() throws {
        let place = try Workplace.withVault()
        for name in ["ada", "bob", "cleo"] { try place.add(name, token: name) }
        let pick = try place.onTerminal("keyfob token", [("cleo", "\r")])
        #expect(pick.status == 0, "\(pick)")
        try place.run("keyfob which | grep -E '^ada .*chosen: used the last time here'").expectSuccess()
        let used = try place.run("keyfob use bob").expectSuccess()
        #expect(!used.errors.contains("it is not taken"), "\(used)")
        #expect(try place.run("keyfob token").expectSuccess().text == "bob\n")
        try place.run("keyfob bind --here cleo").expectSuccess()
        let elsewhere = try place.run("keyfob use ada").expectSuccess()
        #expect(elsewhere.errors.contains("in this directory it is not taken: cleo"), "\(elsewhere)")
    }

    @Test("a name with a mistake names the account that it most likely means")
    func mistyped() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "t")
        try place.run("keyfob account show adda").expectError(13, "there is no account 'adda', but 'ada'")
        let far = try place.run("keyfob account show zebra").expectError(13, "there is no account 'zebra'")
        #expect(!far.errors.contains("but 'ada'"), "\(far)")
    }

    @Test("a backup that does not open is told before a new passphrase is asked for")
    func restoring() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "t")
        try place.run("umask 077; keyfob backup -q --to b.age; age-keygen -o other 2> keys; rm -r \(place.vault)")
            .expectSuccess()
        let run = try place.onTerminal("env -u KEYFOB_KEY_FILE keyfob restore b.age --bundle-identity other", [])
        #expect(run.status == 77 && !run.screen.contains("New passphrase"), "\(run)")
    }

    @Test("what is typed while a passphrase is tried is not shown")
    func typedAhead() throws {
        let place = try Workplace()
        try place.write("words", "correct horse\n")
        try place.run("keyfob init -q --passphrase-fd 3 --recovery-file rec 3< words").expectSuccess()
        let question = "Passphrase for \(place.vault): "
        let run = try place.onTerminal(
            "keyfob verify; stty | grep -c -- '-echo'",
            [(question, "wrong\nSEEN AHEAD\n"), (question, "correct horse\n")])
        #expect(!run.screen.contains("SEEN AHEAD") && run.screen.contains("does not open the vault"), "\(run)")
    }
}
