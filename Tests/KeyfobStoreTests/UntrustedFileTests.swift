import Foundation
import KeyfobFiles
import KeyfobModel
import KeyfobRecords
import KeyfobSQLiteTestSupport
import KeyfobStoreTestSupport
import KeyfobTestSupport
import KeyfobVault
import Testing

@testable import KeyfobStore

@Suite("Files that cannot be trusted")
struct UntrustedFileTests {
    private let home: StoreHome

    init() throws {
        home = try StoreHome()
    }

    /// Why a folder or file is refused; nil when it is not.
    private func reason(_ directory: VaultDirectory? = nil) -> String? {
        guard case .unsafePath(_, let reason) = storeError({ _ = try VaultDatabase.open(directory ?? home.directory) })
        else { return nil }
        return reason
    }

    @Test(
        "a folder or database that is open to others is refused",
        arguments: [
            ("vault", 0o755), ("vault", 0o710), ("vault/keyring.db", 0o644), ("vault/keyring.db", 0o660),
        ])
    func modes(name: String, mode: Int) throws {
        try home.folder.setMode(name, mode)
        #expect(reason()?.contains("mode") == true)
    }

    @Test("a symbolic link to the folder is refused")
    func linkedFolder() throws {
        let link = home.folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: home.directory.path)
        #expect(reason(VaultDirectory(path: link))?.contains("symbolic link") == true)
    }

    @Test("a symbolic link to the database is refused")
    func linkedFile() throws {
        let moved = home.directory.path + "/moved.db"
        try FileManager.default.moveItem(atPath: home.directory.database, toPath: moved)
        try FileManager.default.createSymbolicLink(atPath: home.directory.database, withDestinationPath: moved)
        #expect(reason()?.contains("symbolic link") == true)
    }

    @Test("a database with a second name is refused")
    func hardLink() throws {
        try FileManager.default.linkItem(atPath: home.directory.database, toPath: home.directory.path + "/second.db")
        #expect(reason()?.contains("hard link") == true)
    }

    @Test("a folder in the database's place, and a file in the folder's, are refused")
    func otherKinds() throws {
        #expect(reason(VaultDirectory(path: home.directory.database))?.contains("not a folder") == true)
        try FileManager.default.removeItem(atPath: home.directory.database)
        try FileManager.default.createDirectory(atPath: home.directory.database, withIntermediateDirectories: false)
        #expect(reason()?.contains("not a regular file") == true)
    }

    @Test("a file of the vault is not another user's")
    func otherUser() throws {
        for path in [home.directory.path, home.directory.database] {
            let status = try #require(try POSIXFile.status(path))
            try status.requireOwnAndPrivate(path, of: geteuid())
            guard
                case .unsafePath(_, "it belongs to another user") = storeError({
                    try status.requireOwnAndPrivate(path, of: geteuid() + 1)
                })
            else { return #expect(Bool(false), "it is taken") }
        }
    }

    @Test("another user's folder is refused", .enabled(if: geteuid() == 0, "only root can give files away"))
    func owner() throws {
        try FileManager.default.setAttributes([.ownerAccountID: 12_345], ofItemAtPath: home.directory.path)
        #expect(reason()?.contains("another user") == true)
    }

    @Test("a missing folder or database is no vault")
    func missing() throws {
        let nowhere = VaultDirectory(path: home.folder.path + "/nowhere")
        #expect(storeError { _ = try VaultDatabase.open(nowhere) } == .noVault(path: nowhere.path))
        try FileManager.default.removeItem(atPath: home.directory.database)
        #expect(storeError { _ = try VaultDatabase.open(home.directory) } == .noVault(path: home.directory.path))
    }

    @Test("a vault is not made in a folder that is open to others")
    func creating() throws {
        let vault = try UnlockedVault.create(slot: .keyFile(keyFile(1)), now: noon)
        try FileManager.default.createDirectory(
            atPath: home.folder.path + "/open", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755])
        let directory = VaultDirectory(path: home.folder.path + "/open")
        guard case .unsafePath = storeError({ _ = try VaultDatabase.create(in: directory, for: vault, device: 1) })
        else { return #expect(Bool(false), "it was made") }
        #expect(try POSIXFile.status(directory.database) == nil)
    }

    @Test("an empty file is damaged")
    func empty() throws {
        try home.folder.write("vault/keyring.db", [])
        #expect(storeError { _ = try home.opened() } == .damaged(what: "keyring.db (it is empty or cut off)"))
    }

    @Test("bytes that are no database are damaged")
    func noise() throws {
        var generator = SeededGenerator(seed: 1)
        try home.folder.write(
            "vault/keyring.db", (0..<20_000).map { _ in UInt8.random(in: 0...255, using: &generator) })
        #expect(storeError { _ = try home.opened() } == .damaged(what: "keyring.db"))
    }

    @Test("another program's database is told from a damaged one, and is not touched")
    func foreign() throws {
        let path = home.folder.path + "/foreign/keyring.db"
        try FileManager.default.createDirectory(
            atPath: home.folder.path + "/foreign", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        try RawDatabase(path: path).run("CREATE TABLE cookies (id INTEGER PRIMARY KEY)")
        try home.folder.setMode("foreign/keyring.db", 0o600)
        let before = try home.folder.read("foreign/keyring.db")
        let directory = VaultDirectory(path: home.folder.path + "/foreign")
        #expect(storeError { _ = try VaultDatabase.open(directory) } == .notAVault(path: path))
        #expect(try home.folder.read("foreign/keyring.db") == before)
    }

    @Test("a truncated database is damaged, wherever it ends", arguments: [1, 99, 100, 4_096, 8_192, 8_193, 40_000])
    func truncated(count: Int) throws {
        try home.change { _ = try $0.save(Account.named("ada")) }
        let file = try home.folder.read("vault/keyring.db")
        try home.folder.write("vault/keyring.db", Array(file.prefix(count)))
        let error = storeError {
            let database = try home.opened()
            let header = try database.storedHeader().bytes
            let vault = try LockedVault(headerBytes: header).unlock(with: .keyFile(keyFile(1)))
            _ = try database.accounts(in: vault.group(.default).keys)
        }
        guard case .damaged = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }
}
