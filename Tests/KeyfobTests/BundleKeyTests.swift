import Keyfob
import KeyfobModel
import KeyfobRecords
import KeyfobSync
import KeyfobTestSupport
import Testing

@Suite("The names of items in the store and in a merge")
struct BundleKeyTests {
    /// Kinds that leave a tombstone, each in a spelling that has to be folded.
    @Test("are the same for every kind of tombstone")
    func sameKeys() throws {
        let home = try KeyringHome()
        let keys = BundleKeys()
        let id = try #require(AccountID(homeAccountID: "UID.Contoso", environment: "login.WINDOWS.net"))
        let ada = Account(id: id, username: "ada")
        var refresh = Credential.refresh(ada, client: "Mailer")
        refresh.familyID = "1"
        refresh.additionalFields = AdditionalFields([
            .init(name: "user_assertion_hash", json: "\"h\u{e9}\""), .init(name: "x", json: "1"),
        ])
        try home.keyring.store(refresh, "refresh", for: ada)
        let idToken = Credential(kind: .idToken, account: id, clientID: "Mailer", realm: "CONTOSO")
        try home.keyring.store(idToken, "id", for: ada)
        try home.keyring.accounts.setDefault(id, in: .default)
        let before = try records(try home.keyring.bundle(for: keys.seal), keys)
        _ = try home.keyring.accounts.removeForGood(id, from: .default, unbinds: true)
        let after = try records(try home.keyring.bundle(for: keys.seal), keys)
        #expect(Set(before.keys) == Set(after.keys))
        #expect(before.count == 4)
        #expect(after.values.count { $0.record.isTombstone } == 3)
        #expect(after.values.allSatisfy { $0.secret == nil })
    }
}
