import Foundation
import KeyfobFiles
import KeyfobModel
import KeyfobSecretService
import KeyfobSodium
import KeyfobStore
import KeyfobStoreTestSupport
import KeyfobTestSupport
import Testing

@testable import KeyfobDesktop
@testable import KeyfobRecords
@testable import KeyfobVault

/// A vault in a database beside a session with a Secret Service to move it to.
struct MigrationHome {
    let session: SecretServiceSession
    let home: StoreHome

    init() throws {
        session = try SecretServiceSession()
        home = try StoreHome()
    }

    var directory: VaultDirectory { home.directory }
    var access: SecretServiceAccess { MigrationHome.access(session.environment) }

    static func access(_ environment: [String: String]) -> SecretServiceAccess {
        SecretServiceAccess(environment: environment, mayPrompt: false, deadline: .seconds(60))
    }

    /// The storage that is in use, as another process would open it.
    func storage() throws -> any VaultStorage { try MigrationHome.storage(directory, access) }

    static func storage(_ directory: VaultDirectory, _ access: SecretServiceAccess) throws -> any VaultStorage {
        guard let place = try StoragePlaceFile.read(directory) else { return try VaultDatabase.open(directory) }
        return try SecretServiceStorage.open(place, in: directory, access)
    }

    /// The vault, unlocked as its storage has it: what opens it is key file 1.
    func unlocked() throws -> UnlockedVault { try MigrationHome.unlocked(try storage()) }

    static func unlocked(_ storage: any VaultStorage) throws -> UnlockedVault {
        try LockedVault(headerBytes: storage.storedHeader().bytes).unlock(with: .keyFile(keyFile(1)))
    }

    /// Changes a group, wherever it lies.
    func change<Result>(
        _ group: AccessGroup = .default, at time: Timestamp = noon, _ body: (GroupWriter) throws -> Result
    ) throws -> Result {
        let storage = try storage()
        let vault = try Self.unlocked(storage)
        return try storage.change(
            vault.group(group).keys, sequence: vault.sequence, milliseconds: time.seconds * 1_000, body
        ).result
    }

    /// Makes a group, wherever the vault lies.
    func createGroup(_ name: AccessGroup) throws {
        let storage = try storage()
        var vault = try Self.unlocked(storage)
        try storage.createGroup(name, &vault)
    }

    /// Moves the records to the service.
    @discardableResult
    func delegate(overwritesNewer: Bool = false, limit: Int? = nil) throws -> MigrationTally {
        try Self.delegate(directory, access, overwritesNewer: overwritesNewer, limit: limit)
    }

    @discardableResult
    static func delegate(
        _ directory: VaultDirectory, _ access: SecretServiceAccess, overwritesNewer: Bool = false, limit: Int? = nil
    ) throws -> MigrationTally {
        let source = try VaultDatabase.open(directory)
        var vault = try unlocked(source)
        let target = try SecretServiceStorage.destination(for: vault, in: directory, access)
        let migration = ServiceMigration(from: source, to: target, overwritesNewer: overwritesNewer, limit: limit)
        return try migration.run(&vault) { _, _ in }
    }

    /// What moving them to the service would do.
    func plan() throws -> MigrationTally {
        let source = try VaultDatabase.open(directory)
        var vault = try Self.unlocked(source)
        let target = try SecretServiceStorage.destination(for: vault, in: directory, access)
        return try ServiceMigration(from: source, to: target).plan(&vault)
    }

    /// Moves the records into the database.
    @discardableResult
    func embed(seen: [GroupID: UInt64] = [:]) throws -> DatabaseMigration.Outcome {
        try Self.embed(directory, access, seen: seen)
    }

    @discardableResult
    static func embed(
        _ directory: VaultDirectory, _ access: SecretServiceAccess, seen: [GroupID: UInt64] = [:]
    ) throws -> DatabaseMigration.Outcome {
        let place = try #require(try StoragePlaceFile.read(directory))
        let source = try SecretServiceStorage.open(place, in: directory, access)
        var vault = try unlocked(source)
        return try DatabaseMigration(from: source, seen: seen).run(&vault) { _, _ in }
    }

    /// The service with the vault's items, whether they count or not.
    func items() throws -> SecretServiceStorage {
        try SecretServiceStorage.destination(for: unlocked(), in: directory, access)
    }

    /// Everything that the storage in use holds.
    func content() throws -> VaultImage { try VaultImage(of: storage()) }

    /// The names in the vault's folder that say where the records lie, or what a migration has left.
    func files() throws -> Set<String> {
        Set(try POSIXFile.names(in: directory.path)).subtracting([
            "records.lock", "vault.lock", "migration.lock", "refresh.lock",
        ])
    }
}

/// Everything that a storage holds of a vault, to be compared.
struct VaultImage: Equatable {
    let header: [UInt8]
    let device: UInt64
    private(set) var groups: [String: [String: Record]] = [:]

    struct Record: Equatable {
        let kind: RecordHeader.Kind
        let flags: UInt16
        let stamp: UInt64
        let device: UInt64
        let index: RecordIndex
        let body: [UInt8]
        let secret: [UInt8]?
    }

    init(of storage: any VaultStorage) throws {
        header = try storage.storedHeader().bytes
        device = try storage.device()
        let vault = try MigrationHome.unlocked(storage)
        for group in vault.groups {
            var records: [String: Record] = [:]
            for (record, body, secret) in try Self.opened(storage, group.keys) {
                #expect(records["\(record.record)"] == nil)
                records["\(record.record)"] = Record(
                    kind: record.kind, flags: record.flags, stamp: record.stamp.value, device: record.device,
                    index: record.index, body: body, secret: secret)
            }
            groups[group.name.name] = records
        }
    }

    private static func opened(
        _ storage: any VaultStorage, _ keys: GroupKeys
    ) throws -> [(RecordHeader, [UInt8], [UInt8]?)] {
        try storage.snapshot(keys) { reader in
            var found: [(RecordHeader, [UInt8], [UInt8]?)] = []
            try reader.forEachRow { _, result in
                let record = try result.get()
                let secret = record.secretCommitment == nil ? nil : contents(of: try reader.secret(record))
                found.append((record.header, try record.open(keys).encoded(), secret))
            }
            return found
        }
    }

    var count: Int { groups.values.reduce(0) { $0 + $1.count } }
    var records: [Record] { groups.values.flatMap(\.values) }
}

extension MigrationHome {
    /// Puts something of every kind into three groups, one of which stays empty.
    func fill() throws {
        try createGroup(AccessGroup("work"))
        try createGroup(AccessGroup("empty"))
        let long = String(repeating: "A token of a hundred thousand bytes. ", count: 2_800)
        for group in [AccessGroup.default, try AccessGroup("work")] {
            try change(group) { writer in
                var ada = try Account.named("ada")
                ada.label = "Bōss \u{1F4BC}"
                _ = try writer.save(ada, from: .owner)
                _ = try writer.save(try Account.named("bob"), from: .file)
                _ = try writer.save(try Account.named("eve"), from: .owner)
                _ = try writer.save(try .refresh("ada"), secret: secret("refresh \u{0} of ada"))
                var family = try Credential.refresh("bob", family: "1")
                family.additionalFields = AdditionalFields([.init(name: "x", json: "[1.50, null]")])
                _ = try writer.save(family, secret: secret("refresh of bob"))
                _ = try writer.save(try .refresh("eve"), secret: secret("refresh of eve"))
                _ = try writer.save(try .access("ada"), secret: secret(long))
                _ = try writer.save(
                    try .access("ada", scopes: ["files.read"], client: "files"), secret: secret("{URL}"))
                let id = Credential(kind: .idToken, account: ada.id, clientID: "mailer", realm: "Contoso")
                _ = try writer.save(id, secret: secret("id of ada"))
                _ = try writer.save(AppMetadata(clientID: "mailer", environment: "login.windows.net", family: .none))
                _ = try writer.saveForeign(section: "Strange", key: "a", json: secret("{\"b\": [1.0, null]}"))
                try writer.setSetting("colour", to: "green")
                try writer.setSetting("gone", to: "soon")
                try writer.setSetting("local", to: "here", isThisDeviceOnly: true)
                _ = try writer.save(
                    clientSecret: secret("of the mailer"), clientID: "mailer", environment: "login.windows.net")
            }
            try change(group) { writer in
                // A tombstone, ended grants, and what an account leaves.
                try writer.setSetting("gone", to: nil)
                // The undo journal holds what went, token and all.
                writer.beginJournal()
                _ = try writer.remove(try Account.named("eve").id)
                _ = try writer.endJournal(JournalEntry(id: .random(), command: "account remove", time: noon))
                try writer.signOut("mailer", of: try Account.named("bob").id, leavesMark: true) { _, _ in }
            }
            try change(group) { writer in
                // What a newer Keyfob may have written.
                for row in try writer.reader.rowIDs() {
                    let old = try writer.reader.record(row: row)
                    var header = old.header
                    header.flags |= old.header.kind == .account ? 0b1000_0000_0000_0010 : 0b100
                    var body = try old.open(writer.keys)
                    body.append(60_000, Array("unknown \(row)".utf8))
                    var sealed = try writer.keys.seal(header, attributes: body)
                    if old.secretCommitment != nil {
                        sealed = try writer.keys.seal(header, attributes: body, secret: try writer.reader.secret(old))
                    }
                    try writer.replace(old, with: sealed)
                }
            }
        }
    }

    /// Puts a few records into one group.
    func fillSparsely() throws {
        try change { writer in
            for name in ["ada", "bob"] {
                _ = try writer.save(try Account.named(name), from: .owner)
                _ = try writer.save(try .refresh(name), secret: secret("refresh of \(name)"))
            }
        }
    }
}
