import KeyfobModel
import KeyfobSQLiteTestSupport
import KeyfobTestSupport
import KeyfobVault
import Testing

@testable import Keyfob

@Suite("A slot's key that the Secret Service has before the header has the slot")
struct SlotToMakeTests {
    private struct Refused: Error {}

    private let home: SecretServiceHome

    /// A vault that the service opens, with one item.
    init() throws {
        home = try SecretServiceHome()
        try home.create()
    }

    /// The number of items once a key was kept for a slot and what followed has failed.
    private func itemsAfterFailure(of slot: SlotID, in place: String? = nil) throws -> Int {
        let vault = try LockedKeyring(at: home.location).header.vault
        let new = SlotToMake(keptBy: home.options)
        let error = failure(of: Refused.self) {
            try new.keeping(as: slot, of: vault, folder: home.location.vault, in: place) { throw Refused() }
        }
        #expect(error != nil)
        return try home.kept().paths().count
    }

    @Test("is removed where the header has not got the slot")
    func absent() throws {
        #expect(try itemsAfterFailure(of: .random()) == 1)
    }

    @Test("is removed where no vault was made")
    func noVault() throws {
        #expect(try itemsAfterFailure(of: .random(), in: home.folder.path + "/nothing") == 1)
    }

    @Test("stays where the header has the slot, although writing it failed")
    func present() throws {
        let slot = try #require(try LockedKeyring(at: home.location).header.secretServiceSlots.first)
        #expect(try itemsAfterFailure(of: slot) == 2)
        #expect(try home.opened().opensWholeVault)
    }

    @Test("stays where nobody can tell")
    func unreadable() throws {
        try RawDatabase(path: home.location.vault + "/keyring.db").run("DELETE FROM header")
        #expect(try itemsAfterFailure(of: .random()) == 2)
    }
}
