import KeyfobFiles
import KeyfobModel
import KeyfobRecords
import KeyfobSQLiteTestSupport
import KeyfobStore
import KeyfobStoreTestSupport
import KeyfobTestSupport
import Testing

@testable import KeyfobSQLite

@Suite("A schema that is not Keyfob's")
struct ForeignSchemaTests {
    private let home: StoreHome

    init() throws {
        home = try StoreHome()
        try home.change { _ = try $0.save(Account.named("ada")) }
    }

    /// Runs statements as another program would.
    private func run(_ sql: String) throws {
        try RawDatabase(path: home.directory.database).run(sql)
    }

    private func objects(in path: String) throws -> Set<SchemaObject> {
        let connection = try SQLiteConnection(path: path, .reading)
        var found: Set<SchemaObject> = []
        try connection.run(.schema, []) {
            found.insert($0.schemaObject)
            return true
        }
        return found
    }

    @Test("what the migrations make is what is expected of a file, byte for byte")
    func expected() throws {
        #expect(try objects(in: home.directory.database) == Set(VaultSchema.current))
        #expect(VaultSchema.current.count == Set(VaultSchema.current).count)
        // Nothing that opens, changes or verifies a vault adds to it.
        _ = try home.opened().verify(home.keys(), name: "default")
        #expect(try objects(in: home.directory.database) == Set(VaultSchema.current))
    }

    /// What is added or changed, what the error names, and whether it can be mended.
    private static let foreign: [(sql: String, words: String, isMendable: Bool)] = [
        ("CREATE TRIGGER undo AFTER DELETE ON secrets BEGIN SELECT 1; END", "a trigger 'undo' that is", true),
        ("CREATE TABLE copies (bytes BLOB)", "a table 'copies' that is", true),
        ("CREATE TABLE copies (id INTEGER PRIMARY KEY, bytes BLOB UNIQUE)", "copies", true),
        ("CREATE VIEW seen AS SELECT * FROM records", "a view 'seen' that is", true),
        ("CREATE INDEX more ON secrets (bytes)", "an index 'more' that is", true),
        ("ANALYZE", "a table 'sqlite_stat1' that is", true),
        ("CREATE TABLE \"\u{1B}[2J\" (a)", "a table that is", true),
        (
            "CREATE TABLE \"a\"\"b\" (a); CREATE TRIGGER \"x\"\"y\" AFTER INSERT ON \"a\"\"b\" BEGIN SELECT 1; END",
            "that is", true
        ),
        ("DROP TRIGGER records_deleted", "no trigger 'records_deleted'", true),
        ("DROP INDEX records_by_kind", "no index 'records_by_kind'", true),
        (
            "DROP INDEX records_by_kind; CREATE INDEX records_by_kind ON records (group_id)",
            "an index 'records_by_kind' that is", true
        ),
        (
            "DROP TRIGGER records_deleted; CREATE TRIGGER records_deleted AFTER DELETE ON records BEGIN SELECT 1; END",
            "a trigger 'records_deleted' that is", true
        ),
        (
            "DROP TRIGGER records_deleted; CREATE TRIGGER records_deleted AFTER DELETE ON records BEGIN\n     "
                + "UPDATE record_counts SET records = records - 1 WHERE group_id = OLD.group_id;\nEND",
            "a trigger 'records_deleted' that is", true
        ),
        ("ALTER TABLE records ADD COLUMN more BLOB", "a table 'records' that is", false),
        ("ALTER TABLE secrets RENAME TO hidden", "'hidden' that is", false),
        (
            "ALTER TABLE secrets RENAME TO hidden; CREATE VIEW secrets AS SELECT * FROM hidden",
            "that is", false
        ),
        ("CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT)", "that is", false),
    ]

    @Test("is refused before anything is read, and mended where no row is at stake", arguments: foreign)
    func refused(sql: String, words: String, isMendable: Bool) throws {
        try run(sql)
        let error = storeError { _ = try home.opened() }
        guard case .foreignSchema(let found, let canBeMended) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(found.contains(words), "\(found)")
        // What SQLite itself keeps for counting is seen only when it cannot be dropped.
        #expect(canBeMended == isMendable || sql.contains("AUTOINCREMENT"))
        // A process that opened the file before that writes nothing either.
        #expect(storeError { try home.change { _ = try $0.save(Account.named("bob")) } } == error)
        let before = try home.folder.read("vault/keyring.db")
        if isMendable {
            #expect(try VaultDatabase.mendSchema(home.directory) != nil)
            #expect(try objects(in: home.directory.database) == Set(VaultSchema.current))
            #expect(try home.opened().accounts(in: home.keys()).items.count == 1)
            #expect(try VaultDatabase.mendSchema(home.directory) == nil)
            #expect(try home.problems().isEmpty)
        } else {
            #expect(storeError { _ = try VaultDatabase.mendSchema(home.directory) } != nil)
            #expect(try home.folder.read("vault/keyring.db") == before)
        }
    }

    @Test("what a trigger did is found after it was taken away")
    func doneByTrigger() throws {
        try home.change { _ = try $0.save(Account.named("bob")) }
        try run(
            "CREATE TRIGGER undo AFTER INSERT ON record_counts BEGIN SELECT 1; END; DELETE FROM records WHERE id = 1")
        #expect(try VaultDatabase.mendSchema(home.directory) != nil)
        #expect(try !home.problems().isEmpty)
    }

    @Test("temporary objects of another connection are none of the file's")
    func temporary() throws {
        let other = try RawDatabase(path: home.directory.database)
        try other.run("CREATE TEMP TABLE t (a); CREATE TEMP VIEW v AS SELECT 1")
        _ = try home.opened()
        try home.change { _ = try $0.save(Account.named("bob")) }
        other.close()
    }

    @Test("a newer schema may hold more, and is only read; its tables are tables")
    func newer() throws {
        try run("CREATE TABLE later (a); ALTER TABLE records ADD COLUMN later BLOB; PRAGMA user_version = 2")
        #expect(try home.opened().isReadOnly)
        #expect(try home.opened().accounts(in: home.keys()).items.count == 1)
        #expect(try VaultDatabase.mendSchema(home.directory) == nil)
        try run("ALTER TABLE secrets RENAME TO hidden; CREATE VIEW secrets AS SELECT * FROM hidden")
        guard case .foreignSchema(_, isMendable: false) = storeError({ _ = try home.opened() }) else {
            return #expect(Bool(false), "a view stood in for a table")
        }
    }
}
