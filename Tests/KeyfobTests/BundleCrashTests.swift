import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

/// A process that kills itself after a while, or when it is done.
private func killingItself(afterMilliseconds delay: Int, _ work: () throws -> Void) {
    let thread = Thread {
        usleep(UInt32(delay) * 1_000)
        kill(getpid(), SIGKILL)
    }
    thread.start()
    try? work()
    kill(getpid(), SIGKILL)
}

@Suite("Bundles and processes that are killed", .serialized)
struct BundleCrashTests {
    private let keys = BundleKeys()
    private static let accounts = 300

    /// A folder with an export of 300 accounts that a passphrase opens, and the backup that is like it.
    private func source() throws -> (home: KeyringHome, backup: String) {
        let home = try KeyringHome()
        let cache = (0..<Self.accounts).map { number in
            """
            "a\(number)": {"home_account_id": "u\(number).contoso", "environment": "login.microsoftonline.com", "realm": "contoso",
            "local_account_id": "u\(number)", "username": "user\(number)@contoso.example", "authority_type": "MSSTS"}
            """
        }
        _ = try home.keyring.caches.importMSAL(secret("{\"Account\": {\(cache.joined(separator: ","))}}"))
        try home.folder.write("bundle.age", try home.keyring.bundle(for: .recipients([keys.recipient])))
        try home.folder.write("identity", contents(of: keys.identity))
        return (home, try home.keyring.bundles.backUp(for: [keys.recipient]).path)
    }

    @Test("an import leaves the old vault or the new one", arguments: [5, 30, 60, 120, 250, 120_000])
    func importing(delay: Int) async throws {
        let (source, target) = (try source(), try KeyringHome())
        let ada = try Account.contoso("ada")
        try target.keyring.store(.refresh(ada), "token", for: ada)
        let (folder, vault) = (source.home.folder.path, target.location.vault)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [folder = folder as String, vault = vault as String, delay = delay as Int] in
            let keyring = try LockedKeyring(at: KeyringLocation(vault: vault, state: vault + "/../state"))
                .unlock(with: .keyFile(keyFile(1)))
            let identity = try Data(contentsOf: URL(filePath: folder + "/identity"))
            killingItself(afterMilliseconds: delay) {
                _ = try keyring.bundles.import(
                    try BundleFile(path: folder + "/bundle.age"), with: .identities(secret([UInt8](identity))))
            }
        }
        let keyring = try target.opened()
        #expect(try keyring.health.verify().problems == [])
        let count = try keyring.accounts.list().count
        #expect(count == 1 || count == Self.accounts + 1)
        if delay == 120_000 { #expect(count == Self.accounts + 1) }
    }

    @Test("a restore leaves no vault or a whole one", arguments: [5, 30, 60, 120, 250, 120_000])
    func restoring(delay: Int) async throws {
        let source = try source()
        let (folder, backup) = (source.home.folder.path, source.backup)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [folder = folder as String, backup = backup as String, delay = delay as Int] in
            let identity = try Data(contentsOf: URL(filePath: folder + "/identity"))
            killingItself(afterMilliseconds: delay) {
                _ = try Keyring.restore(
                    try BundleFile(path: backup), with: .identities(secret([UInt8](identity))), takingStrangers: true,
                    at: KeyringLocation(vault: folder + "/second", state: folder + "/state"), slot: .keyFile(keyFile(2))
                )
            }
        }
        let location = KeyringLocation(vault: folder + "/second", state: folder + "/state")
        func restored() throws -> Keyring { try LockedKeyring(at: location).unlock(with: .keyFile(keyFile(2))) }
        if !FileManager.default.fileExists(atPath: folder + "/second/keyring.db") {
            #expect(delay != 120_000)
            _ = try Keyring.restore(
                try BundleFile(path: backup), with: keys.opener, takingStrangers: true, at: location,
                slot: .keyFile(keyFile(2)))
        }
        #expect(try restored().health.verify().problems == [])
        #expect(try restored().accounts.list().count == Self.accounts)
    }
}
