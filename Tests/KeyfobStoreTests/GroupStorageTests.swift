import Foundation
import KeyfobFiles
import KeyfobModel
import KeyfobRecords
import KeyfobSQLite
import KeyfobSodium
import KeyfobStoreTestSupport
import KeyfobTestSupport
import KeyfobVault
import Testing

@testable import KeyfobStore

@Suite("Groups in the database")
struct GroupStorageTests {
    private let home: StoreHome
    private let work: AccessGroup

    /// Ada in `default`, Bob in `work`.
    init() throws {
        home = try StoreHome()
        work = try AccessGroup("work")
        var vault = try home.unlocked()
        try home.database.createGroup(work, &vault)
        try home.change { writer in
            _ = try writer.save(Account.named("ada"))
            _ = try writer.save(.access("ada"), secret: secret("token of ada"))
            _ = try writer.save(.refresh("ada"), secret: secret("refresh of ada"))
        }
        try home.change(work) { writer in
            _ = try writer.save(Account.named("bob"))
            _ = try writer.save(.access("bob"), secret: secret("token of bob"))
        }
    }

    @Test("whoever reads the file with one group's keys opens no record of another")
    func partition() throws {
        let (own, other) = (try home.keys(), try home.keys(work))
        let rows = try [own, other].flatMap { keys in
            try home.database.read(keys) { reader in
                var rows: [StoredRecord] = []
                try reader.forEachRow { rows.append(try $1.get()) }
                return rows
            }
        }
        let foreign = rows.filter { $0.header.group == other.group }
        #expect(rows.count == 5 && foreign.count == 2)
        for record in foreign {
            // As it stands, and with every lie that could be told about its group.
            var claimed = record.header
            claimed.group = own.group
            for header in [record.header, claimed] {
                #expect(failure(of: VaultError.self) { _ = try own.openAttributes(header, record.attributes) } != nil)
                for secret in try sealedSecrets() {
                    #expect(failure(of: VaultError.self) { _ = try own.openSecret(header, secret) } != nil)
                }
            }
        }
        #expect(failure(of: VaultError.self) { _ = try own.openManifest(manifest(of: other)) } == .corrupted(.manifest))
    }

    private func sealedSecrets() throws -> [CommittingAEAD.Box] {
        try home.database.maintain { database in
            try database.rows("SELECT bytes FROM secrets") { CommittingAEAD.Box(stored: $0.bytes(0)) }
                .compactMap(\.self)
        }
    }

    private func manifest(of keys: GroupKeys) throws -> CommittingAEAD.Box {
        try home.database.maintain { database in
            let rows = try database.rows(
                "SELECT sealed FROM manifests WHERE group_id = ?", [.bytes(keys.group.bytes)]
            ) { CommittingAEAD.Box(stored: $0.bytes(0)) }
            return try #require(rows.first ?? nil)
        }
    }

    @Test("nothing that people read lies in the file")
    func sealedText() throws {
        let file = String(decoding: try home.folder.read("vault/keyring.db"), as: UTF8.self)
        for text in ["ada", "contoso", "mailer", "mail.read", "token of", "work"] { #expect(!file.contains(text)) }
    }

    @Test("one account in two groups cannot be recognised")
    func unlinkable() throws {
        try home.change(work) { _ = try $0.save(Account.named("ada")) }
        let values = try home.database.maintain {
            try $0.rows("SELECT account_index FROM records WHERE kind = 1") { $0.bytes(0) }
        }
        #expect(Set(values).count == 3)
    }

    @Test("an account moves with everything that is its own")
    func moving() throws {
        let vault = try home.unlocked()
        let (from, to, sequence) = (try vault.group(.default).keys, try vault.group(work).keys, vault.sequence)
        let ada = try Account.named("ada").id
        let (count, _) = try home.database.change([from, to], sequence: sequence, milliseconds: 0) { writers in
            try writers[1].move(ada, from: writers[0])
        }
        #expect(count == 3)
        #expect(try home.secrets(.accessToken, in: work) == ["token of bob", "token of ada"])
        #expect(try home.secrets(.refreshToken, in: work) == ["refresh of ada"])
        #expect(try home.database.accounts(in: from).items.isEmpty)
        #expect(try home.database.account(ada, in: to)?.id == ada)
        #expect(try home.problems() == [] && home.problems(work) == [])
        let again = storeError {
            _ = try home.database.change([from, to], sequence: sequence, milliseconds: 0) { writers in
                try writers[1].move(ada, from: writers[0])
            }
        }
        #expect(again == .alreadyThere(path: ada.description))
    }

    @Test("a group's records are sealed again under its new key")
    func rotation() throws {
        var vault = try home.unlocked()
        let old = try vault.group(.default).keys
        let before = try sealedSecrets()
        var progress: [Int] = []
        #expect(
            try home.database.rotateGroup(.default, &vault) { done, total in progress.append(done * 10 + total) } == 3)
        #expect(progress == [13, 23, 33])
        #expect(try home.secrets(.accessToken) == ["token of ada"])
        #expect(try home.secrets(.refreshToken) == ["refresh of ada"])
        #expect(try home.problems() == [] && home.problems(work) == [])
        let after = try sealedSecrets()
        #expect(after.count == 3 && after.filter(before.contains).count == 1)
        let keys = try home.keys()
        #expect(keys.epoch == 2)
        let ada = try Account.named("ada")
        #expect(try home.database.accounts(named: ada.username, in: keys).map(\.id) == [ada.id])
        #expect(storeError { _ = try home.database.state(of: old) } == .staleKeys)
    }

    @Test(
        "no key is replaced over an incomplete or damaged set",
        arguments: [
            "DELETE FROM records WHERE id = 2", "UPDATE records SET attributes = zeroblob(200) WHERE id = 2",
            "UPDATE secrets SET bytes = zeroblob(200) WHERE id = 2", "DELETE FROM secrets WHERE id = 2",
        ])
    func refusedRotation(damage: String) throws {
        try home.tamper(damage)
        var vault = try home.unlocked()
        let sequence = vault.sequence
        #expect(storeError { _ = try home.database.rotateGroup(.default, &vault) } != nil)
        let after = vault.sequence
        #expect(after == sequence)
        #expect(try home.keys().epoch == 1)
        #expect(try home.secrets(.refreshToken) == ["refresh of ada"])
    }

    @Test(
        "a vault gets new keys for all groups or for none",
        arguments: [nil, "UPDATE secrets SET bytes = zeroblob(200) WHERE id = (SELECT max(id) FROM secrets)"])
    func rekeying(damage: String?) throws {
        if let damage { try home.tamper(damage) }
        let vault = try home.unlocked()
        var rekeyed = vault.copy()
        let keys = try rekeyed.rekey(now: Timestamp(seconds: 1_700_000_000))
        _ = try rekeyed.addSlot(.keyFile(keyFile(1)), now: noon)
        let (before, sequence) = (try home.database.storedHeader().bytes, vault.sequence)
        var progress: [Int] = []
        let refusal = storeError {
            let count = try home.database.rekey(rekeyed, from: sequence, keys: keys) { progress.append($0 * 10 + $1) }
            #expect(count == 5)
        }
        #expect(progress.prefix(4) == [15, 25, 35, 45])
        let epochs = try home.unlocked().groups.map(\.keys.epoch)
        guard damage == nil else {
            #expect(refusal != nil && epochs == [1, 1])
            #expect(try home.database.storedHeader().bytes == before && home.problems() == [])
            #expect(try home.secrets(.refreshToken) == ["refresh of ada"])
            return
        }
        #expect(refusal == nil && epochs == [2, 2])
        #expect(try home.problems() == [] && home.problems(work) == [])
        #expect(try home.secrets(.accessToken, in: work) == ["token of bob"])
        var late = vault.copy()
        let lateKeys = try late.rekey(now: Timestamp(seconds: 1_700_000_000))
        let stale = storeError { _ = try home.database.rekey(late, from: sequence, keys: lateKeys) { _, _ in } }
        #expect(stale == .staleKeys)
    }

    @Test("a removed group leaves nothing behind, not even in free pages")
    func removal() throws {
        let bob = try #require(try sealedSecrets().last).ciphertext
        #expect(try contains(bob))
        var vault = try home.unlocked()
        #expect(try home.database.removeGroup(work, &vault) == 2)
        #expect(try !contains(bob))
        let counts = try home.database.maintain { database in
            try ["records", "secrets", "manifests", "record_counts"].map {
                try database.integer("SELECT count(*) FROM \($0)")
            }
        }
        #expect(counts == [3, 2, 1, 1])
        #expect(try home.problems() == [])
    }

    private func contains(_ bytes: [UInt8]) throws -> Bool {
        Data(try home.folder.read("vault/keyring.db")).holds(Data(bytes))
    }

    @Test("names are one group's")
    func names() throws {
        var vault = try home.unlocked()
        #expect(storeError { try home.database.createGroup(work, &vault) } == .groupExists)
        #expect(storeError { try home.database.renameGroup(.default, to: work, &vault) } == .groupExists)
        try home.database.renameGroup(work, to: work, &vault)
        try home.database.renameGroup(work, to: AccessGroup("Work"), &vault)
        let names = try home.unlocked().groups.map(\.name.name)
        #expect(names == ["default", "Work"])
    }
}
