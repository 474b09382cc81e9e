import KeyfobFiles
import KeyfobModel
import KeyfobRecords
import KeyfobSQLite
import KeyfobStore
import KeyfobStoreTestSupport
import KeyfobTestSupport
import KeyfobVault
import Testing

@Suite("A database that is only read")
struct VaultDatabaseReaderTests {
    private let home: StoreHome
    private let reader: VaultDatabaseReader

    init() throws {
        home = try StoreHome()
        reader = try VaultDatabaseReader(home.directory)
    }

    @Test("header, device, counts and records are those that were written")
    func reading() throws {
        let before = try reader.version()
        try home.change { writer in
            _ = try writer.save(Account.named("ada"))
            _ = try writer.save(.access("ada"), secret: secret("token of ada"))
        }
        #expect(try reader.version() != before)
        #expect(try reader.storedHeader().bytes == home.database.storedHeader().bytes)
        #expect(try reader.device() == 7 && reader.schemaVersion == 1)
        let keys = try home.keys()
        #expect(try reader.accounts(in: keys).items.map(\.value.username) == ["ada@contoso.example"])
        let token = try #require(try reader.credentials(.accessToken, in: keys).items.first)
        #expect(try text(of: reader.secret(of: token.record, in: keys)) == "token of ada")
        #expect(try reader.counts(in: keys).values.reduce(0, +) == 2)
        #expect(try reader.state(of: keys).counted == 2)
        try reader.requireComplete(keys)
    }

    @Test("a record that is missing is noticed")
    func missing() throws {
        try home.change { _ = try $0.save(Account.named("ada")) }
        try home.tamper("DELETE FROM records")
        let keys = try home.keys()
        #expect(storeError { try reader.requireComplete(keys) } == .incomplete(group: keys.group))
    }

    @Test("a header that is gone gives the copy, and another device than any")
    func lostHeader() throws {
        let bytes = try home.database.storedHeader().bytes
        try home.tamper("DELETE FROM header; DELETE FROM second_header")
        let stored = try reader.storedHeader()
        #expect(stored.isFromCopy && stored.bytes == bytes)
        #expect(try reader.device() != reader.device())
    }
}
