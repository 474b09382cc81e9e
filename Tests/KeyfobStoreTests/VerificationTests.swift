import Foundation
import KeyfobFiles
import KeyfobModel
import KeyfobRecords
import KeyfobSQLite
import KeyfobStoreTestSupport
import KeyfobTestSupport
import KeyfobVault
import Testing

@testable import KeyfobStore

@Suite("Finding what was tampered with")
struct VerificationTests {
    private let home: StoreHome

    /// Two accounts with a token each.
    init() throws {
        home = try StoreHome()
        try home.change { writer in
            for name in ["ada", "bob"] {
                _ = try writer.save(Account.named(name))
                _ = try writer.save(.access(name), secret: secret("token of \(name)"))
            }
        }
    }

    @Test("a sound vault gives no cause for complaint")
    func sound() throws {
        let found = try home.opened().verify(home.keys(), name: "default")
        #expect(found == Verification(opened: 4))
        #expect(try home.opened().integrityProblems() == [])
        #expect(try home.opened().strayRowCount(groups: [home.keys().group]) == 0)
    }

    @Test("a deleted row is found, also where the count was made to fit", arguments: [false, true])
    func deleted(isCountAdjusted: Bool) throws {
        try home.tamper(
            "DELETE FROM records WHERE id = 4;" + (isCountAdjusted ? "UPDATE record_counts SET records = 3" : ""))
        let problems = try home.problems()
        #expect(problems.contains("group default: the manifest tells of 4 records, there are 3"))
        let keys = try home.keys()
        #expect(storeError { try home.database.requireComplete(keys) } == .incomplete(group: keys.group))
    }

    @Test("the count tells of a row that was deleted through SQL, without opening anything")
    func count() throws {
        let before = try home.database.state(of: home.keys())
        #expect(before.counted == 4 && before.expected == 4)
        try home.database.write { try $0.execute("DELETE FROM records WHERE id = 4") }
        let state = try home.database.state(of: home.keys())
        #expect(state.counted == 3 && state.expected == 4)
    }

    @Test("an account that was deleted is missed by whoever lists the accounts")
    func deletedAccount() throws {
        try home.tamper("DELETE FROM records WHERE id = 1")
        let group = try home.keys().group
        #expect(storeError { _ = try home.database.accounts(in: home.keys()) } == .incomplete(group: group))
    }

    @Test("an older version of a row that was put back is found")
    func replayed() throws {
        try home.folder.write("old", [])
        try home.tamper(
            """
            ATTACH '\(home.folder.path)/old' AS old;
            CREATE TABLE old.old_records AS SELECT * FROM records;
            CREATE TABLE old.old_secrets AS SELECT * FROM secrets
            """)
        try home.change { _ = try $0.save(.access("ada", expires: 7_200), secret: secret("newer")) }
        try home.tamper(
            """
            ATTACH '\(home.folder.path)/old' AS old;
            UPDATE records SET (stamp, attributes, secret_commitment) =
                (SELECT stamp, attributes, secret_commitment FROM old_records WHERE old_records.id = records.id);
            UPDATE secrets SET bytes = (SELECT bytes FROM old_secrets WHERE old_secrets.id = secrets.id)
            """)
        let found = try home.opened().verify(home.keys(), name: "default")
        #expect(found.opened == 4 && found.damagedRows == [])
        #expect(
            found.problems == [
                "group default: a record is not the one that the manifest tells of (replayed or altered)"
            ])
    }

    @Test("a row that was removed and put back is found, and harms no later change")
    func resurrected() throws {
        try home.folder.write("old", [])
        try home.tamper(
            """
            ATTACH '\(home.folder.path)/old' AS old;
            CREATE TABLE old.old_records AS SELECT * FROM records;
            CREATE TABLE old.old_secrets AS SELECT * FROM secrets
            """)
        let (ada, bob) = (try Account.named("ada").id, try Account.named("bob").id)
        #expect(try home.change { [try $0.remove(ada), try $0.remove(bob)] } == [2, 2])
        try home.tamper(
            """
            ATTACH '\(home.folder.path)/old' AS old;
            INSERT INTO records SELECT * FROM old_records WHERE id <= 2;
            INSERT INTO secrets SELECT * FROM old_secrets WHERE id <= 2
            """)
        #expect(try home.problems().contains("group default: the manifest tells of 3 records, there are 5"))
        // No lookup finds it.
        let keys = try home.keys()
        #expect(try home.opened().account(ada, in: keys) == nil)
        #expect(storeError { _ = try home.opened().accounts(in: keys) } == .incomplete(group: keys.group))
        #expect(try home.change { try $0.remove(ada) } == 0)
        #expect(try home.change { try $0.save(.access("ada", expires: 9_999), secret: secret("x")) } == .added)
    }

    @Test("secrets that were exchanged are found, and neither is handed out")
    func swapped() throws {
        try home.tamper(
            """
            CREATE TEMP TABLE other AS SELECT * FROM secrets;
            UPDATE secrets SET bytes = (SELECT bytes FROM other WHERE other.id <> secrets.id)
            """)
        let found = try home.opened().verify(home.keys(), name: "default")
        #expect(found.damagedRows == [2, 4])
        let error = storeError { _ = try home.secrets(.accessToken) }
        guard case .damaged = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }

    @Test("secrets exchanged with their commitments are found as well")
    func swappedWithCommitments() throws {
        try home.tamper(
            """
            CREATE TEMP TABLE other AS SELECT records.id, secret_commitment, bytes FROM records JOIN secrets USING (id);
            UPDATE secrets SET bytes = (SELECT bytes FROM other WHERE other.id <> secrets.id);
            UPDATE records SET secret_commitment = (SELECT secret_commitment FROM other WHERE other.id <> records.id)
                WHERE id IN (SELECT id FROM other)
            """)
        let found = try home.opened().verify(home.keys(), name: "default")
        #expect(found.damagedRows == [2, 4])
        let group = try home.keys().group
        #expect(storeError { _ = try home.secrets(.accessToken) } == .incomplete(group: group))
    }

    @Test(
        "an altered clear column is found",
        arguments: [
            "kind = 3", "kind = 99", "flags = 1", "flags = -1", "epoch = 2", "stamp = stamp + 1", "device = 8",
            "record = randomblob(16)", "record = x'00'", "account_index = randomblob(16)", "credential_index = NULL",
            "username_index = randomblob(16)", "label_index = randomblob(16)", "secret_commitment = NULL",
            "secret_commitment = randomblob(48)", "attributes = zeroblob(10)", "group_id = randomblob(16)",
        ])
    func columns(change: String) throws {
        try home.tamper("UPDATE records SET \(change) WHERE id = 2")
        #expect(try !home.problems().isEmpty)
        if change.hasPrefix("group_id") {
            #expect(try home.opened().strayRowCount(groups: [home.keys().group]) == 1)
        }
    }

    @Test(
        "a manifest that does not open is found",
        arguments: [
            "UPDATE manifests SET sealed = zeroblob(length(sealed))", "UPDATE manifests SET sealed = x''",
            "DELETE FROM manifests",
        ])
    func manifests(sql: String) throws {
        try home.tamper(sql)
        #expect(try home.problems() == ["group default: the manifest does not open"])
    }

    @Test(
        "damaged rows are put aside, and the rest goes on",
        arguments: [
            "attributes = zeroblob(length(attributes))", "attributes = zeroblob(10)", "kind = 99",
            "secret_commitment = NULL",
        ])
    func repair(damage: String) throws {
        try home.tamper("UPDATE records SET \(damage) WHERE id = 2")
        let vault = try home.unlocked()
        let (keys, sequence) = (try vault.group(.default).keys, vault.sequence)
        let repaired = try home.database.repaired(keys, sequence: sequence)
        let files = repaired.files
        if damage == "secret_commitment = NULL" {
            // The row opens; only what it says of its secret is gone, and with it the secret.
            #expect(files.isEmpty)
            #expect(repaired.losses.map(\.change) == [.replaced])
        } else {
            #expect(files == [home.directory.quarantine + "/1-row-2.json"])
            #expect(try home.folder.read("vault/quarantine/1-row-2.json").count > 500)
            #expect(try home.secrets(.accessToken) == ["token of bob"])
            let loss = try #require(repaired.losses.first)
            #expect(repaired.losses.count == 1 && loss.change == .unopened && loss.kind == .accessToken)
            #expect(loss.file == "1-row-2.json" && loss.noted == Timestamp(seconds: 1))
            // Of a row whose columns can be read it is known whose it is, and when it was written.
            let isRead = damage.hasPrefix("attributes = zeroblob(length")
            let ada = try Account.named("ada").id
            #expect(loss.account == (isRead ? ada : nil) && (loss.written != nil) == isRead)
        }
        #expect(try home.database.losses(in: keys).losses == repaired.losses)
        #expect(try home.problems() == [])
        #expect(try home.database.accounts(in: keys).items.count == 2)
    }

    @Test("a repair with keys that are no longer current touches nothing")
    func staleRepair() throws {
        let vault = try home.unlocked()
        let (keys, sequence) = (try vault.group(.default).keys, vault.sequence)
        var theirs = try home.unlocked()
        _ = try home.opened().rotateGroup(.default, &theirs)
        let error = storeError {
            _ = try home.database.repaired(keys, sequence: sequence)
        }
        #expect(error == .staleKeys)
        #expect(try home.secrets(.accessToken) == ["token of ada", "token of bob"])
    }

    @Test("a repair makes the manifest fit what is left of a group")
    func repairedManifest() throws {
        try home.tamper("DELETE FROM records WHERE id = 1; DELETE FROM record_counts")
        let vault = try home.unlocked()
        let (keys, sequence) = (try vault.group(.default).keys, vault.sequence)
        let repaired = try home.database.repaired(keys, sequence: sequence)
        #expect(repaired.files == [])
        let ada = try Account.named("ada").id
        #expect(repaired.losses.map(\.change) == [.missing] && repaired.losses[0].account == ada)
        #expect(try home.problems() == [])
        #expect(try home.database.accounts(in: keys).items.map(\.value) == [Account.named("bob")])
    }

    @Test("losses of every kind are counted, and what was put there is told")
    func counted() throws {
        try home.tamper(
            "DELETE FROM records WHERE id = 2; UPDATE records SET record = zeroblob(16) WHERE id = 4;")
        let losses = try home.database.verify(home.keys(), name: "default").losses.map(\.loss)
        let (ada, bob) = (try Account.named("ada").id, try Account.named("bob").id)
        #expect(losses.contains { $0.change == .unopened && $0.account == bob })
        #expect(losses.contains { $0.change == .missing && $0.kind == .accessToken && $0.account == ada })
    }

    @Test("a row that is gone is named by the lookup tree")
    func goneRow() throws {
        try home.tamper("DELETE FROM records WHERE id = 2; DELETE FROM secrets WHERE id = 2;")
        let losses = try home.opened().verify(home.keys(), name: "default").losses.map(\.loss)
        let ada = try Account.named("ada").id
        #expect(losses == [RecordLoss(.missing, .accessToken, account: ada)])
    }

    @Test(
        "a lookup tree that is not that of the records is found, and made again",
        arguments: [
            "DELETE FROM nodes", "UPDATE nodes SET bytes = x''", "UPDATE nodes SET bytes = zeroblob(length(bytes))",
            "UPDATE nodes SET id = id + 1", "UPDATE manifests SET tree = tree + 1",
            "PRAGMA foreign_keys = OFF; UPDATE records SET id = id + 10; UPDATE secrets SET id = id + 10",
        ])
    func tree(sql: String) throws {
        try home.tamper(sql)
        #expect(try home.problems() == ["group default: the lookup tree is not that of the records"])
        let vault = try home.unlocked()
        let keys = try vault.group(.default).keys
        #expect(
            storeError { _ = try home.opened().account(Account.named("ada").id, in: keys) }
                == .incomplete(group: keys.group))
        #expect(try home.database.repaired(keys, sequence: vault.sequence).files == [])
        #expect(try home.problems() == [])
        #expect(try home.opened().account(Account.named("ada").id, in: keys) == Account.named("ada"))
    }

    @Test("a record that was put back after it was deleted is told, and so is an earlier version of one")
    func putBack() throws {
        let (keys, file) = (try home.keys(), home.directory.database)
        let before = try Data(contentsOf: URL(filePath: file))
        try home.change { _ = try $0.save(.access("ada", expires: 9_000), secret: secret("newer")) }
        let copy = home.folder.path + "/before.db"
        try before.write(to: URL(filePath: copy))
        func takeBack(_ table: String) throws {
            try home.tamper(
                "ATTACH '\(copy)' AS before; DELETE FROM \(table) WHERE id = 2;"
                    + "INSERT INTO \(table) SELECT * FROM before.\(table) WHERE id = 2")
        }
        try takeBack("records")
        try takeBack("secrets")
        #expect(try home.opened().verify(keys, name: "default").losses.map(\.loss) == [RecordLoss(.replaced, nil)])
    }

    @Test("two repairs of one second leave a file for each row")
    func quarantineNames() throws {
        let vault = try home.unlocked()
        let (keys, sequence) = (try vault.group(.default).keys, vault.sequence)
        var files: [String] = []
        for _ in 0..<2 {
            try home.tamper("UPDATE records SET attributes = zeroblob(length(attributes)) WHERE id = 4")
            files += try home.database.repaired(keys, sequence: sequence).files
            // The number of a row that is gone is used again.
            try home.tamper("UPDATE records SET id = 4 WHERE id = (SELECT max(id) FROM records)")
        }
        #expect(Set(files).count == 2 && files.allSatisfy { FileManager.default.fileExists(atPath: $0) })
    }
}

extension VaultDatabase {
    /// A repair a second after 1970, of which nothing is known beside.
    fileprivate func repaired(_ keys: GroupKeys, sequence: UInt64) throws -> GroupRepair {
        try repair(keys, sequence: sequence, seen: 0, name: "default", now: Timestamp(seconds: 1)) { [$0] }
    }
}
