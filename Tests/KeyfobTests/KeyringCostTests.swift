import KeyfobModel
import KeyfobRecords
import KeyfobSQLite
import KeyfobTestSupport
import KeyfobVault
import Testing

@testable import Keyfob
@testable import KeyfobStore

@Suite("What looking up a token costs")
struct KeyringCostTests {
    private let home: KeyringHome
    private let request = TokenRequest(scopes: ["mail.read"])

    init() throws {
        home = try KeyringHome()
        let (ada, bob) = (try Account.contoso("ada"), try Account.contoso("bob"))
        try home.keyring.store(.access(ada), "token", for: ada)
        try home.keyring.store(.refresh(ada), "refresh", for: ada)
        try home.keyring.store(.access(bob), "other", for: bob)
        try home.keyring.accounts.setDefault(ada.id, in: .default)
        try home.keyring.bindings.set(.directory("/srv/project"), to: .account(bob.id), in: .default)
        try home.keyring.clients.add(
            ClientRegistration(id: "mailer", authentication: .post), secret: secret("client's"), at: "google")
    }

    /// How many rows a process reads for a token of whichever account is the right one.
    private func rows() throws -> Int {
        let keyring = try home.opened()
        let database = try #require(keyring.database as? VaultDatabase)
        let before = try database.reader.rowCount
        #expect(try keyring.tokenText(request) == "token")
        return try database.reader.rowCount - before
    }

    @Test("without --account, it does not depend on how many items were ever deleted")
    func deletions() throws {
        let before = try rows()
        #expect(before > 5)
        let keyring = home.keyring
        let count = 10_000
        try keyring.withState { state in
            try keyring.change(&state, try state.group(.default)) { writer in
                for number in 0..<count {
                    let gone = ItemRecord(
                        group: .default, content: .tombstone(.setting("setting \(number)")),
                        version: ItemVersion(stamp: Stamp(value: UInt64(number)), device: 1))
                    try writer.put(gone, secret: .none, replacing: [])
                }
            }
        }
        let group = try keyring.withState { try $0.group(.default).keys }
        #expect(try keyring.database.counts(in: group)[.tombstone] == count)
        #expect(try rows() == before)
    }
}
