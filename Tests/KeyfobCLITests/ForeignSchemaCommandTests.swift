import Foundation
import KeyfobTestSupport
import Testing

@Suite("A database that another program has changed", .waitsForPrograms)
struct ForeignSchemaCommandTests {
    /// Runs SQL on the vault's database, as any program can.
    private func tamper(_ place: Workplace, _ sql: String) throws {
        try place.write(
            "tamper.py", "import sqlite3; sqlite3.connect('data/keyfob/keyring.db').executescript('''\(sql)''')")
        try place.run("\"$PYTHON\" tamper.py").expectSuccess()
    }

    @Test("a trigger that would keep every secret is refused, and the doctor takes it away")
    func trigger() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "token")
        try tamper(
            place,
            """
            CREATE TABLE kept (bytes);
            CREATE TRIGGER keeping AFTER DELETE ON secrets BEGIN INSERT INTO kept VALUES (OLD.bytes); END
            """)
        for command in ["token", "account list", "group rotate default", "account remove --force ada", "verify"] {
            try place.run("keyfob \(command)").expectError(65, "is not Keyfob's", "keyfob doctor --repair")
        }
        let told = try place.run("keyfob doctor")
        #expect(told.status == 65 && told.text.contains("'keyfob doctor --repair'"), "\(told)")
        let mended = try place.run("keyfob doctor --repair").expectSuccess()
        #expect(mended.text.contains("another program had written to the database: 2 removed"), "\(mended)")
        #expect(try place.run("keyfob token").text == "token\n")
        try place.run("keyfob verify").expectSuccess()
        try place.run("keyfob doctor").expectSuccess()
    }

    @Test("a table that is not as it should be cannot be mended: the advice is a copy or a backup, and both work")
    func table() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "token")
        try place.run("keyfob backup --quiet && cp -a data/keyfob copy").expectSuccess()
        try tamper(place, "ALTER TABLE secrets ADD COLUMN more BLOB")
        try place.run("keyfob token").expectError(65, "put back the vault's folder from a copy, or restore a backup")
        let told = try place.run("keyfob doctor --repair")
        #expect(told.status == 65 && told.text.contains("'keyfob restore \(place.vault)/backups/keyfob-"), "\(told)")
        try place.run(
            "keyfob restore data/keyfob/backups/* --bundle-identity recovery --vault new --recovery-file new-recovery"
        ).expectSuccess()
        #expect(try place.run("keyfob token --vault new").text == "token\n")
        try place.run("rm -r data/keyfob && mv copy data/keyfob").expectSuccess()
        #expect(try place.run("keyfob token").text == "token\n")
    }
}
