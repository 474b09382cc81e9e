import Foundation
import KeyfobModel
import KeyfobTestSupport
import Testing

@testable import KeyfobFiles

@Suite("A vault that is put aside")
struct PuttingAsideTests {
    private let folder: ScratchFolder
    private let directory: VaultDirectory
    private let time = Timestamp(seconds: 1_700_000_000)
    private let files = ["keyring.db-journal", "keyring.db", "header.copy", "usage.db", "storage"]

    init() throws {
        folder = try ScratchFolder()
        directory = VaultDirectory(path: folder.path + "/vault")
        try POSIXFile.createDirectories(directory.quarantine)
        try fill("first")
    }

    private func fill(_ words: String) throws {
        for name in files + ["vault.lock", "places"] { try folder.write("vault/" + name, Array((name + words).utf8)) }
    }

    private func names(_ path: String) throws -> Set<String> { Set(try POSIXFile.names(in: path)) }

    @Test("goes into a folder with the time, whole; locks, backups and what is not the vault's stay")
    func whole() throws {
        try POSIXFile.createDirectories(directory.backups)
        let aside = try directory.putVaultAside(now: time)
        #expect(aside == directory.path + "/put-aside-20231114T221320Z")
        #expect(try names(aside) == Set(files + ["quarantine"]))
        #expect(try names(directory.path) == ["vault.lock", "places", "backups", "put-aside-20231114T221320Z"])
        #expect(try !directory.hasRemains)
        for name in files {
            #expect(try folder.read(String(aside.dropFirst(folder.path.count + 1)) + "/" + name).count > 0)
        }
    }

    @Test("takes the place of no other that was put aside in the same second")
    func twice() throws {
        let first = try directory.putVaultAside(now: time)
        try fill("second")
        let second = try directory.putVaultAside(now: time)
        #expect(second == first + "-2")
        #expect(try names(second) == Set(files) && names(first) == Set(files + ["quarantine"]))
    }

    @Test("goes on where it was stopped, and takes the place of nothing that is there already")
    func stopped() throws {
        let half = directory.path + "/.putting-aside"
        try POSIXFile.createDirectories(half)
        try POSIXFile.move(directory.database + "-journal", to: half + "/keyring.db-journal")
        try folder.write("vault/.putting-aside/keyring.db", [1])
        let aside = try directory.putVaultAside(now: time)
        #expect(try names(aside) == Set(files + ["quarantine", "keyring.db-2"]))
        #expect(try !names(directory.path).contains(".putting-aside"))
    }

    @Test("follows no link that somebody has put in its way")
    func link() throws {
        try POSIXFile.createDirectories(folder.path + "/elsewhere")
        try FileManager.default.createSymbolicLink(
            atPath: directory.path + "/.putting-aside", withDestinationPath: folder.path + "/elsewhere")
        #expect(throws: StoreError.self) { try directory.putVaultAside(now: time) }
        #expect(try names(folder.path + "/elsewhere").isEmpty && directory.hasRemains)
    }
}
