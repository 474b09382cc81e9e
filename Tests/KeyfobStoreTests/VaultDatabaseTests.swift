import Glibc
import KeyfobFiles
import KeyfobModel
import KeyfobRecords
import KeyfobSQLite
import KeyfobSQLiteTestSupport
import KeyfobStoreTestSupport
import KeyfobTestSupport
import KeyfobVault
import Testing

@testable import KeyfobStore

@Suite("The database of a vault")
struct VaultDatabaseTests {
    private let home: StoreHome

    init() throws {
        home = try StoreHome()
    }

    @Test("what was made can be opened, and the device is remembered")
    func opening() throws {
        let again = try home.opened()
        #expect(try again.device() == 7 && !again.isReadOnly)
        let stored = try again.storedHeader()
        #expect(!stored.isFromCopy)
        #expect(try home.folder.read("vault/header.copy") == stored.bytes)
    }

    @Test(
        "SQLite is set as the format wants it, for whoever makes the database and whoever opens it",
        arguments: [
            ("journal_mode", "delete"), ("synchronous", "3"), ("secure_delete", "1"), ("temp_store", "2"),
            ("mmap_size", "0"),
            ("cell_size_check", "1"), ("trusted_schema", "0"), ("foreign_keys", "1"),
            ("page_size", "8192"), ("application_id", "1262899010"), ("user_version", "1"), ("encoding", "UTF-8"),
        ])
    func pragmas(name: String, value: String) throws {
        for database in [home.database, try home.opened()] {
            let found = try database.maintain { try $0.rows("PRAGMA \(name)") { $0.text(0) } }
            #expect(found == [value])
        }
    }

    @Test("the journal is gone after every change, and no WAL is ever made")
    func journal() throws {
        try home.change { _ = try $0.save(Account.named("ada")) }
        for suffix in ["-journal", "-wal", "-shm"] {
            #expect(try POSIXFile.status(home.directory.database + suffix) == nil)
        }
    }

    @Test("a file that somebody switched to WAL is switched back")
    func writeAheadLog() throws {
        try RawDatabase(path: home.directory.database).run("PRAGMA journal_mode = WAL")
        let mode = try home.opened().maintain { try $0.rows("PRAGMA journal_mode") { $0.text(0) } }
        #expect(mode == ["delete"])
    }

    @Test("files are for their owner alone")
    func modes() throws {
        try home.change { _ = try $0.save(Account.named("ada")) }
        for path in [home.directory.path, home.directory.database, home.directory.headerCopy] {
            let status = try #require(try POSIXFile.status(path))
            #expect(storeError { try status.requireOwnAndPrivate(path) } == nil)
        }
    }

    @Test("a vault that is there already is not replaced")
    func existing() throws {
        let vault = try UnlockedVault.create(slot: .keyFile(keyFile(2)), now: noon)
        let error = storeError { _ = try VaultDatabase.create(in: home.directory, for: vault, device: 1) }
        #expect(error == .alreadyThere(path: home.directory.database))
        let opensWholeVault = try home.unlocked().opensWholeVault
        #expect(opensWholeVault)
    }

    // That one which cannot be made leaves nothing of itself, Tests/Faults tries at every call.
    @Test("a vault whose copy of the header is there is not made")
    func unmade() throws {
        let directory = VaultDirectory(path: home.folder.path + "/other")
        try POSIXFile.createDirectories(directory.path)
        let vault = try UnlockedVault.create(slot: .keyFile(keyFile(2)), now: noon)
        try home.folder.write("other/header.copy", Array("kept".utf8))
        let error = storeError { _ = try VaultDatabase.create(in: directory, for: vault, device: 1) }
        #expect(error == .alreadyThere(path: directory.headerCopy))
        #expect(try home.folder.read("other/header.copy") == Array("kept".utf8))
        #expect(try POSIXFile.status(directory.database) == nil)
    }

    @Test("a newer schema is read and never written")
    func newerSchema() throws {
        try home.tamper("PRAGMA user_version = 2")
        let database = try home.opened()
        #expect(database.isReadOnly)
        let vault = try home.unlocked()
        let keys = try vault.group(.default).keys
        #expect(try database.accounts(in: keys).items.isEmpty)
        let sequence = vault.sequence
        let error = storeError {
            _ = try database.change(keys, sequence: sequence, milliseconds: 0) { _ = try $0.save(Account.named("ada")) }
        }
        #expect(error == .newerSchema(found: 2, supported: 1))
    }

    @Test("a second connection sees what the first wrote, and both that the file has changed")
    func sharing() throws {
        let other = try home.opened()
        let before = try other.version()
        let own = try home.database.version()
        try home.change { _ = try $0.save(Account.named("ada")) }
        #expect(try other.version() != before)
        #expect(try home.database.version() != own)
        #expect(try other.accounts(in: home.keys()).items.map(\.value) == [Account.named("ada")])
    }

    @Test("keys that another connection replaced are stale, and nothing is written with them")
    func staleKeys() throws {
        let vault = try home.unlocked()
        let (old, sequence) = (try vault.group(.default).keys, vault.sequence)
        try home.change { _ = try $0.save(Account.named("ada")) }
        var theirs = try home.unlocked()
        #expect(try home.opened().rotateGroup(.default, &theirs) == 1)
        let writing = storeError {
            _ = try home.database.change(old, sequence: sequence, milliseconds: 0) {
                _ = try $0.save(Account.named("bob"))
            }
        }
        #expect(writing == .staleKeys)
        #expect(storeError { _ = try home.database.state(of: old) } == .staleKeys)
        #expect(storeError { _ = try home.database.accounts(in: old) } == .staleKeys)
        let id = try Account.named("ada").id
        #expect(storeError { _ = try home.database.account(id, in: old) } == .staleKeys)
        #expect(storeError { try home.database.requireComplete(old) } == .staleKeys)
        var mine = try home.unlocked()
        try home.database.refresh(&mine)
        let fresh = try mine.group(.default).keys
        #expect(try home.database.account(id, in: fresh) == Account.named("ada"))
    }

    @Test("a secret that was replaced since its record was read is stale, not damaged")
    func replacedSecret() throws {
        let keys = try home.keys()
        try home.change { _ = try $0.save(.access(), secret: secret("first")) }
        let record = try #require(home.database.credentials(.accessToken, in: keys).items.first).record
        try home.change { _ = try $0.save(.access(expires: 7_200), secret: secret("second")) }
        #expect(storeError { _ = try home.database.secret(of: record, in: keys) } == .staleKeys)
        try home.change { _ = try $0.remove(Account.named("ada").id) }
        #expect(storeError { _ = try home.database.secret(of: record, in: keys) } == .staleKeys)
    }

    @Test("a failed change leaves everything as it was")
    func undo() throws {
        struct Interrupted: Error {}
        let before = try home.database.state(of: home.keys())
        let error = failure(of: Interrupted.self) {
            try home.change { writer in
                _ = try writer.save(Account.named("ada"))
                throw Interrupted()
            }
        }
        #expect(error != nil)
        let after = try home.database.state(of: home.keys())
        #expect(after.sequence == before.sequence && after.counted == 0 && after.expected == 0)
        #expect(try home.problems() == [])
    }

    @Test("a failed change of the header leaves the vault as it was")
    func undoneHeader() throws {
        var vault = try home.unlocked()
        let sequence = vault.sequence
        let error = storeError { try home.database.createGroup(.default, &vault) }
        let (after, names) = (vault.sequence, vault.groups.map(\.name))
        #expect(error == .groupExists && after == sequence && names == [.default])
    }

    @Test("a restored older database is noticed by its sequences")
    func rollback() throws {
        let keys = try home.keys()
        let mark = HighWaterMark(state: home.folder.path, vault: keys.vault)
        let before = try home.folder.read("vault/keyring.db")
        try home.change { _ = try $0.save(Account.named("ada")) }
        var marks = Marks()
        let milestone = try #require(try home.opened().state(of: keys).milestone)
        #expect(mark.note([milestone], in: &marks, now: noon) == nil)
        try home.folder.write("vault/keyring.db", before)
        let restored = try home.opened().state(of: keys)
        #expect(try restored.sequence < mark.marks(now: noon).sequence(of: keys.group))
        #expect(restored.expected == restored.counted)
    }
}
