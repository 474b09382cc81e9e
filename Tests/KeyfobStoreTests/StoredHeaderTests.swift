import Foundation
import KeyfobFiles
import KeyfobModel
import KeyfobRecords
import KeyfobSodium
import KeyfobStoreTestSupport
import KeyfobTestSupport
import KeyfobVault
import Testing

@testable import KeyfobStore

@Suite("The header in the database and its copy")
struct StoredHeaderTests {
    private let home: StoreHome
    private let header: [UInt8]

    init() throws {
        home = try StoreHome()
        header = try home.database.storedHeader().bytes
    }

    @Test(
        "the copy is used where the one in the database is damaged or gone",
        arguments: [
            "UPDATE header SET bytes = zeroblob(700)", "UPDATE header SET bytes = substr(bytes, 1, 100)",
            "UPDATE header SET bytes = x''", "DELETE FROM header", "DROP TABLE header",
        ])
    func damage(sql: String) throws {
        try home.tamper(sql)
        #expect(try home.opened().storedHeader().origin == .second)
        try home.tamper(sql.replacing("header", with: "second_header"))
        let stored = try home.opened().storedHeader()
        #expect(stored.origin == .file && stored.isFromCopy && stored.bytes == header)
        var vault = try home.unlocked()
        try home.database.repairHeader(&vault, beyond: 0)
        #expect(try home.opened().storedHeader().origin == .first)
        try home.tamper("UPDATE header SET bytes = x''")
        #expect(try home.opened().storedHeader().origin == .second)
    }

    @Test(
        "no group is lost where the copy lags behind and the header is damaged",
        arguments: ["UPDATE header SET bytes = zeroblob(700)", "DELETE FROM header", "DROP TABLE header"])
    func laggingCopy(sql: String) throws {
        var vault = try home.unlocked()
        try home.database.createGroup(AccessGroup("work"), &vault)
        try home.folder.write("vault/header.copy", header)
        #expect(try home.database.headerCopy() == .behind)
        try home.tamper(sql)
        var opened = try home.unlocked()
        #expect(opened.groups.map(\.name.name) == ["default", "work"])
        // Records are written as before, and the next change of the header puts it back.
        try home.change { _ = try $0.save(Account.named("ada")) }
        try home.opened().createGroup(AccessGroup("more"), &opened)
        let stored = try home.opened().storedHeader()
        #expect(!stored.isFromCopy)
        #expect(try home.folder.read("vault/header.copy") == stored.bytes && home.database.headerCopy() == .current)
        #expect(try home.unlocked().groups.map(\.name.name) == ["default", "work", "more"])
    }

    @Test("a copy that lacks a group takes nothing away before a repair says so")
    func behind() throws {
        var vault = try home.unlocked()
        try home.database.createGroup(AccessGroup("work"), &vault)
        let newest = vault.sequence
        try home.folder.write("vault/header.copy", header)
        try home.tamper("UPDATE header SET bytes = x''; UPDATE second_header SET bytes = x''")
        var earlier = try home.unlocked()
        #expect(earlier.groups.count == 1 && earlier.sequence < newest)
        let damaged = StoreError.damaged(what: "the header in keyring.db")
        #expect(storeError { try home.database.createGroup(AccessGroup("more"), &earlier) } == damaged)
        #expect(storeError { try home.change { _ = try $0.save(Account.named("ada")) } } == damaged)
        try home.database.repairHeader(&earlier, beyond: 0)
        #expect(earlier.sequence == newest + 1)
        try home.change { _ = try $0.save(Account.named("ada")) }
    }

    @Test("no header can be taken so far ahead that there is none after it")
    func farAhead() throws {
        try home.tamper("UPDATE header SET sequence = 9223372036854775807, bytes = x''")
        try home.tamper("UPDATE second_header SET bytes = x''")
        var vault = try home.unlocked()
        let sequence = vault.sequence
        try home.database.repairHeader(&vault, beyond: .max)
        #expect(vault.sequence == sequence + 1)
        try home.change { _ = try $0.save(Account.named("ada")) }
    }

    @Test("without either, the vault is damaged")
    func neither() throws {
        try home.tamper("DELETE FROM header; DELETE FROM second_header")
        try home.folder.write("vault/header.copy", Array(header.dropLast()))
        let expected = StoreError.damaged(what: "the header of the vault (and its copies)")
        #expect(storeError { _ = try home.database.storedHeader() } == expected)
        try FileManager.default.removeItem(atPath: home.directory.headerCopy)
        #expect(storeError { _ = try home.database.storedHeader() } == expected)
    }

    @Test("a damaged copy harms nobody, and is written again")
    func damagedCopy() throws {
        try home.folder.write("vault/header.copy", [1, 2, 3])
        let vault = try home.unlocked()
        #expect(try home.database.headerCopy() == .damaged)
        try home.database.repairHeaderCopy(vault)
        #expect(try home.folder.read("vault/header.copy") == header && home.database.headerCopy() == .current)
        try FileManager.default.removeItem(atPath: home.directory.headerCopy)
        #expect(try home.database.headerCopy() == .missing)
    }

    @Test("every change of the header changes the copy")
    func changes() throws {
        var vault = try home.unlocked()
        _ = try home.database.changeSlots(&vault) { try $0.addSlot(.keyFile(keyFile(2)), now: noon) }
        let newer = try home.database.storedHeader().bytes
        #expect(newer != header)
        #expect(try home.folder.read("vault/header.copy") == newer)
    }

    @Test("a copy that cannot be written does not make a change fail that was made")
    func unwritableCopy() throws {
        try FileManager.default.removeItem(atPath: home.directory.headerCopy)
        try FileManager.default.createDirectory(
            atPath: home.directory.headerCopy + "/inside", withIntermediateDirectories: true)
        var vault = try home.unlocked()
        try home.database.createGroup(AccessGroup("work"), &vault)
        let names = try home.unlocked().groups.map(\.name.name)
        #expect(names == ["default", "work"])
        try FileManager.default.removeItem(atPath: home.directory.headerCopy)
        try home.database.repairHeaderCopy(vault)
        #expect(try home.folder.read("vault/header.copy") == home.database.storedHeader().bytes)
    }

    @Test("changes of two processes are both kept")
    func concurrentChanges() throws {
        var mine = try home.unlocked()
        var theirs = try home.unlocked()
        try home.database.createGroup(AccessGroup("mine"), &mine)
        try home.opened().createGroup(AccessGroup("theirs"), &theirs)
        let names = try home.unlocked().groups.map(\.name.name)
        #expect(names == ["default", "mine", "theirs"])
        #expect(try home.folder.read("vault/header.copy") == home.database.storedHeader().bytes)
    }

    @Test("the next change puts a header back that only its copy still had")
    func puttingBack() throws {
        try home.tamper("DELETE FROM header")
        var vault = try home.unlocked()
        try home.database.changeSlots(&vault) { $0.advance() }
        let stored = try home.opened().storedHeader()
        #expect(!stored.isFromCopy)
        #expect(try home.folder.read("vault/header.copy") == stored.bytes)
        try home.change { _ = try $0.save(Account.named("ada")) }
    }

    @Test("a newer version in the database is not replaced by the copy")
    func newerVersion() throws {
        var newer = header
        newer[8] = 4
        let content = Array(newer.dropLast(112))
        let bytes = content + BLAKE2b.hash(content, count: 16) + Array(newer.suffix(96))
        let digits = hexadecimal(bytes)
        try home.tamper("UPDATE header SET bytes = x'\(digits)'")
        let stored = try home.opened().storedHeader()
        #expect(!stored.isFromCopy && stored.bytes == bytes)
        let error = failure(of: VaultError.self) { _ = try LockedVault(headerBytes: stored.bytes) }
        #expect(error == .unsupportedVersion(found: 4, supported: 3))
    }
}
