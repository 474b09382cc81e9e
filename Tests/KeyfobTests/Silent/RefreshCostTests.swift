@testable import Keyfob
import KeyfobSQLite
@testable import KeyfobStore
import KeyfobTestSupport
import Testing

@Suite("What a refresh costs")
struct RefreshCostTests {
    /// How many rows a process reads on its way to a new token of Ada, who is one of so many.
    private func rows(among count: Int) async throws -> Int {
        let home = try SilentHome.atPlainProvider()
        try home.home.keyring.addMany((1...count).map { try SilentHome.plainAccount("person\($0)") })
        try home.grant("rt1", home.ada, rotates: true)
        home.provider.answer(.tokens("at", refresh: "rt2", scope: "mail.read"))
        let keyring = try home.opened()
        let database = try #require(keyring.database as? VaultDatabase)
        let before = try database.reader.rowCount
        #expect(try await home.token(home.ada, from: keyring).text == "at")
        #expect(keyring.takeWarnings().isEmpty)
        return try database.reader.rowCount - before
    }

    @Test("as many rows are read among 300 accounts as among 10")
    func flat() async throws {
        let few = try await rows(among: 10)
        #expect(try await rows(among: 300) == few)
    }
}
