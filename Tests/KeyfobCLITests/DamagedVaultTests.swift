import Foundation
import KeyfobTestSupport
import Testing

@Suite("Vaults that do not open", .waitsForPrograms)
struct DamagedVaultTests {
    /// A way to spoil a vault, and what is said of it.
    struct Damage: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let line: String
        let words: String
        var status: Int32 = 65
    }

    static let damages: [Damage] = [
        Damage(testDescription: "missing", line: "rm -r data", words: "there is no vault", status: 66),
        Damage(
            testDescription: "database missing", line: "rm data/keyfob/keyring.db", words: "there is no vault",
            status: 66),
        Damage(testDescription: "empty", line: ": > data/keyfob/keyring.db", words: "empty"),
        Damage(testDescription: "one byte", line: "truncate -s 1 data/keyfob/keyring.db", words: "is damaged"),
        Damage(
            testDescription: "cut short in the first page", line: "truncate -s 5000 data/keyfob/keyring.db",
            words: "is damaged"),
        Damage(testDescription: "cut in half", line: "truncate -s 50000 data/keyfob/keyring.db", words: "is damaged"),
        Damage(
            testDescription: "random bytes", line: "head -c 65536 /dev/urandom > data/keyfob/keyring.db",
            words: "is damaged"),
        Damage(
            testDescription: "text", line: "yes keyfob | head -c 65536 > data/keyfob/keyring.db", words: "is damaged"),
        Damage(testDescription: "another program's database", line: change("other-database"), words: "not Keyfob's"),
        Damage(
            testDescription: "newer header", line: change("header-version 4"),
            words: "has format 4, this Keyfob knows 3"),
        Damage(
            testDescription: "newer primitives", line: change("header-suite 2"),
            words: "cipher suite 2, which this Keyfob does not know; update Keyfob"),
        Damage(testDescription: "header damaged with its copy", line: change("flip-header --copy"), words: "header"),
        Damage(testDescription: "pages of records damaged", line: change("flip-records"), words: "damaged"),
    ]

    private static func change(_ action: String) -> String {
        "\"$PYTHON\" \(PythonScript.path("vault_bytes")) data/keyfob \(action)"
    }

    private static let commands = [
        "verify", "account list", "token --account ada", "group create more", "add --account eve --host git.example",
        "export --format msal out.json", "import cache.json", "group rotate default",
    ]

    @Test("each command says in one line what is wrong, and changes no byte", arguments: damages)
    func damaged(_ damage: Damage) throws {
        let place = try Workplace.withVault()
        try place.write("cache.json", SampleCache(people: 30).json())
        try place.add("ada", token: "token")
        try place.run("keyfob import --quiet cache.json").expectSuccess()
        try place.run(damage.line).expectSuccess()
        let before = try? place.contents(of: "data")
        for command in Self.commands {
            let outcome = try place.run("keyfob \(command)", text: "token")
            outcome.expectError(damage.status, damage.words)
            #expect(outcome.errors.count < 300, "\(outcome)")
        }
        #expect(try place.run("test -e out.json").status == 1)
        #expect((try? place.contents(of: "data")) == before)
        // The doctor finds it too, and gives other advice than to call the doctor.
        let doctor = try place.run("keyfob doctor")
        #expect(
            doctor.status == damage.status && !(doctor.text + doctor.errors).contains("run 'keyfob doctor'"),
            "\(doctor)")
    }

    @Test("a vault with a newer schema is read, and not written")
    func newerSchema() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "token")
        try place.run(Self.change("database-version 2")).expectSuccess()
        let before = try place.contents(of: "data")
        #expect(try place.run("keyfob token").expectSuccess().text == "token\n")
        try place.run("keyfob verify").expectSuccess()
        #expect(try place.run("keyfob status").expectSuccess().text.contains("(KEYFOB_KEY_FILE), read-only: a newer"))
        let doctor = try place.run("keyfob doctor").expectSuccess()
        #expect(doctor.text.contains("warning vault: a newer Keyfob wrote it"), "\(doctor)")
        let status = try place.run("keyfob status --json").expectSuccess().text
        #expect(status.contains(#""isReadOnly" : true"#), "\(status)")
        try place.run("keyfob add --account eve --host git.example", text: "x").expectError(65, "update Keyfob")
        try place.run("keyfob group create work").expectError(65, "update Keyfob")
        #expect(try place.contents(of: "data") == before)
    }

    @Test("an export without a record that does not open is written, and ends with 65")
    func incompleteExport() throws {
        let place = try Workplace.withVault()
        for name in ["ada", "eve"] { try place.add(name, token: "token-of-\(name)") }
        try place.run(Self.change("flip-token")).expectSuccess()
        let export = try place.run("keyfob export --format msal out.json")
        #expect(export.status == 65 && export.errors.contains("skipped: group default: "), "\(export)")
        let text = try place.run("cat out.json").expectSuccess().text
        #expect(text.contains("token-of-eve") && !text.contains("token-of-ada"))
    }

    @Test("what is left of a vault without its database is not made anew")
    func headerCopyAlone() throws {
        let place = try Workplace.withVault()
        try place.run("rm data/keyfob/keyring.db").expectSuccess()
        let before = try place.contents(of: "data")
        try place.run("keyfob init --recovery-file other")
            .expectError(73, "header.copy exists already")
        #expect(try place.contents(of: "data") == before)
    }

    @Test("a vault that is damaged as a whole is not said to be there, and its backups make one of it")
    func nothingOpens() throws {
        let place = try Workplace.withVault()
        try place.run("printf 'garbage garbage' > data/keyfob/keyring.db").expectSuccess()
        try place.run("keyfob init --recovery-file other").expectError(73, "it is left of a vault; 'keyfob restore")
        #expect(try place.run("cat data/keyfob/keyring.db").text == "garbage garbage")
    }

    @Test("a damaged header is read from its copy, and mended on request")
    func headerCopy() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "token")
        try place.run(Self.change("flip-header")).expectSuccess()
        let token = try place.run("keyfob token")
        #expect(token.status == 0 && token.text == "token\n" && token.errors.contains("warning"), "\(token)")
        let verify = try place.run("keyfob verify")
        #expect(verify.status == 65 && verify.text.contains("the header is damaged; its copy is used"), "\(verify)")
        try place.run("keyfob doctor --repair").expectSuccess()
        #expect(try place.run("keyfob verify").expectSuccess().errors.isEmpty)
    }

    @Test("tokens that changed places are noticed, never handed out, and put aside on request")
    func swapped() throws {
        let place = try Workplace.withVault()
        for name in ["ada", "eve", "bob"] { try place.add(name, token: "token-of-\(name)") }
        try place.run(Self.change("swap-secrets")).expectSuccess()
        for name in ["ada", "eve", "bob"] {
            let outcome = try place.run("keyfob token --account \(name)")
            if outcome.status == 0 {
                #expect(outcome.text == "token-of-\(name)\n", "\(outcome)")
            } else {
                outcome.expectError(65)
            }
        }
        let verify = try place.run("keyfob verify")
        #expect(verify.status == 65 && verify.text.contains("2 problems"), "\(verify)")
        let doctor = try place.run("keyfob doctor")
        #expect(doctor.status == 65 && doctor.text.contains("failure loss"), "\(doctor)")
        try place.run("keyfob doctor --repair").expectSuccess()
        try place.run("keyfob verify").expectSuccess()
        let left = try place.run("ls data/keyfob/quarantine | wc -l").text
        #expect(left == "2\n")
    }

    @Test("a wrong passphrase opens nothing and makes nothing")
    func wrongPassphrase() throws {
        let place = try Workplace()
        try place.write("right", "correct horse\n")
        try place.run("keyfob init --quiet --passphrase-fd 3 --kdf-memory 64 --recovery-file recovery 3<right")
            .expectSuccess()
        let before = try place.contents(of: "data")
        for (text, status) in [("wrong\n", 77), ("correct horse \n", 77), ("\n", 64), ("", 64)] as [(String, Int32)] {
            try place.write("wrong", text)
            try place.run("keyfob verify --passphrase-fd 3 3<wrong").expectError(status)
            try place.run("keyfob add --account ada --host git.example --passphrase-fd 3 3<wrong", text: "x")
                .expectError(status)
        }
        let after = try place.contents(of: "data").filter { $0.key != "keyfob/vault.lock" }
        #expect(after == before.filter { $0.key != "keyfob/vault.lock" })
        try place.run("keyfob verify --passphrase-fd 3 3<right").expectSuccess()
    }

    @Test(
        "a slot that asks for too much, or too little, work is refused before any is done",
        arguments: [
            (3, 4 << 40), (11, 256 << 20), (3, (1 << 30) + 1), (1, 256 << 20), (3, 1 << 20), (0, 0),
        ])
    func costs(operations: Int, memory: Int) throws {
        let place = try Workplace()
        try place.write("right", "correct horse\n")
        try place.run("keyfob init --quiet --passphrase-fd 3 --kdf-memory 64 --recovery-file recovery 3<right")
            .expectSuccess()
        try place.run(Self.change("kdf-cost \(operations) \(memory)")).expectSuccess()
        let before = try place.contents(of: "data").filter { $0.key != "keyfob/vault.lock" }
        try place.run("keyfob verify --passphrase-fd 3 3<right").expectError(65, "nothing was computed")
        #expect(try place.contents(of: "data").filter { $0.key != "keyfob/vault.lock" } == before)
    }
}
