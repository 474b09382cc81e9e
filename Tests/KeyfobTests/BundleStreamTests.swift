import Foundation
@testable import Keyfob
import KeyfobModel
import KeyfobSync
import KeyfobTestSupport
import Testing

@Suite("Bundles of more than is merged at a time")
struct BundleStreamTests {
    private let keys = BundleKeys()

    /// An MSAL cache of accounts with a refresh token each.
    private func cache(_ numbers: Range<Int>, token: String) -> String {
        let accounts = numbers.map { number in
            """
            "a\(number)":{"home_account_id":"u\(number).t","environment":"login.microsoftonline.com","realm":"t",\
            "local_account_id":"u\(number)","username":"u\(number)@contoso.example","authority_type":"MSSTS"}
            """
        }
        let tokens = numbers.map { number in
            """
            "r\(number)":{"credential_type":"RefreshToken","home_account_id":"u\(number).t","client_id":"tool",\
            "environment":"login.microsoftonline.com","secret":"\(token)\(number)"}
            """
        }
        return #"{"Account":{\#(accounts.joined(separator: ","))},"RefreshToken":{\#(tokens.joined(separator: ","))}}"#
    }

    private func home(_ numbers: Range<Int>, token: String) throws -> KeyringHome {
        let home = try KeyringHome()
        _ = try home.keyring.caches.importMSAL(secret(cache(numbers, token: token)))
        return home
    }

    @Test("a merge and a replacement of thousands, half of which are there, and a restore", .embeddedAlone)
    func thousands() throws {
        let source = try home(0..<1_100, token: "theirs")
        let target = try home(550..<1_650, token: "mine")
        let bundle = try source.keyring.bundle(for: keys.seal)
        let theirs = try records(bundle, keys)
        #expect(theirs.count == 2_200)
        let file = try target.folder.bundle(bundle)
        let plan = try target.keyring.bundles.import(file, with: keys.opener)
        #expect(plan.counts["added"] == 1_100)
        #expect(plan.counts.values.reduce(0, +) == 2_200 && plan.lines.count == 2_200 && plan.moreLines == 0)
        #expect(try target.keyring.accounts.list().count == 1_650)
        #expect(try target.keyring.health.verify().problems == [])
        #expect(try target.keyring.bundles.import(file, with: keys.opener).isEmpty)

        let replaced = try target.keyring.bundles.import(file, with: keys.opener, mode: .replace)
        #expect(replaced.counts["removed"] == 1_100)
        #expect(try records(target.keyring.bundle(for: keys.seal), keys) == theirs)
        let backup = try BundleFile(path: try #require(replaced.backup))
        let location = KeyringLocation(vault: target.folder.path + "/second", state: target.location.state)
        let restored = try Keyring.restore(
            backup, with: BundleKeys(target).opener, at: location, slot: .keyFile(keyFile(3)))
        #expect(try restored.keyring.accounts.list().count == 1_650)
        #expect(try restored.keyring.bundles.restoredGrantCount() == 1_650)
        #expect(try restored.keyring.health.verify().problems == [])
    }

    @Test("items that are in two groups, or have one label, are told however far apart they are merged", .embeddedAlone)
    func farApart() throws {
        let (home, other) = (try home(0..<1_100, token: "x"), try home(1_100..<2_300, token: "y"))
        let work = try AccessGroup("work")
        try home.keyring.groups.create(work)
        let cache = secret(cache(5..<7, token: "z"))
        _ = try home.keyring.caches.importMSAL(cache, in: [work])
        let id = try #require(AccountID(homeAccountID: "u3.t", environment: "login.microsoftonline.com"))
        try home.keyring.accounts.setLabel("same", of: id, in: .default)
        let theirs = try #require(AccountID(homeAccountID: "u2000.t", environment: "login.microsoftonline.com"))
        try other.keyring.accounts.setLabel("same", of: theirs, in: .default)
        let file = try home.folder.bundle(try other.keyring.bundle(for: keys.seal))
        let plan = try home.keyring.bundles.import(file, with: keys.opener)
        #expect(plan.conflicts.filter { $0.name == "accountInSeveralGroups" }.count == 2)
        #expect(plan.conflicts.filter { $0.name == "sameLabel" }.count == 1)
    }

    @Test("a file that is overwritten between the two passes leaves all as it was")
    func overwritten() throws {
        let (source, target) = (try KeyringHome(), try KeyringHome())
        try source.fill()
        try target.fill()
        let path = target.folder.path + "/bundle.age"
        let file = try target.folder.bundle(try source.keyring.bundle(for: keys.seal))
        let verified = try file.verify(keys.opener, for: [.export])
        let state = try target.state()
        let ada = try Account.contoso("ada")
        try source.keyring.store(.refresh(ada), "another", for: ada)
        // Just as right, under the same name and in the same file.
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        try handle.write(contentsOf: Data(try source.keyring.bundle(for: keys.seal)))
        try handle.close()
        let error = failure(of: KeyringError.self) {
            _ = try target.keyring.bundles.take(
                IncomingBundle(verified.bundle.manifest), .merge, nil, reading: { try file.read(verified, $0) })
        }
        #expect(error?.code == .damaged)
        #expect(try target.state() == state)
    }

    @Test(
        "what fails after the last record leaves all as it was, and no backup behind",
        arguments: Keyring.ImportMode.allCases)
    func failsLate(mode: Keyring.ImportMode) throws {
        let (source, target) = (try KeyringHome(), try KeyringHome())
        try source.fill()
        let file = try target.folder.bundle(try source.keyring.bundle(for: keys.seal))
        let verified = try file.verify(keys.opener, for: [.export])
        let state = try target.state()
        let error = failure(of: KeyringError.self) {
            _ = try target.keyring.bundles.take(IncomingBundle(verified.bundle.manifest), mode, nil) { body in
                try file.read(verified, body)
                throw BundleError.changedSinceVerified
            }
        }
        #expect(error != nil)
        #expect(try target.state() == state)
        #expect(try target.keyring.bundles.backups() == [])
    }

    @Test("a pipe that is longer than memory is meant for, and one that is not a bundle")
    func longPipe() throws {
        let source = try KeyringHome()
        let bytes = [UInt8](repeating: 0x61, count: 6 << 20)
        func file(_ start: [UInt8]) throws -> Result<[UInt8], KeyringError> {
            let pipe = Pipe()
            let writer = Thread {
                try? pipe.fileHandleForWriting.write(contentsOf: Data(start + bytes))
                try? pipe.fileHandleForWriting.close()
            }
            writer.start()
            defer { try? pipe.fileHandleForReading.close() }
            // Of a folder that is not there, the nearest above it.
            let place = source.folder.path + "/missing/vault"
            do throws(KeyringError) {
                let file = try BundleFile(
                    descriptor: pipe.fileHandleForReading.fileDescriptor, name: "standard input", spoolingIn: place)
                return .success(try file.start())
            } catch {
                return .failure(error)
            }
        }
        signal(SIGPIPE, SIG_IGN)
        let before = try FileManager.default.contentsOfDirectory(atPath: source.folder.path)
        let start = Array("age-encryption.org/v1\n".utf8)
        #expect(try file(start).get().starts(with: start))
        #expect(try FileManager.default.contentsOfDirectory(atPath: source.folder.path) == before)
        let refused = failure(of: KeyringError.self) { _ = try file(Array("{".utf8)).get() }
        #expect(refused?.code == .limitExceeded)
    }

    @Test("where no backup can be made a key is replaced without one, if that is said", .embeddedAlone)
    func withoutBackup() throws {
        let home = try KeyringHome()
        try home.fill()
        try home.folder.write("vault/backups", Array("in the way".utf8))
        let work = try AccessGroup("work")
        let slot = try home.keyring.slots.grant(work, to: .keyFile(keyFile(9)))
        let state = try home.state()
        let errors = [
            failure(of: KeyringError.self) { _ = try home.keyring.groups.rotate(.default) },
            failure(of: KeyringError.self) { _ = try home.keyring.slots.revoke(slot, of: work) },
        ]
        for error in errors { #expect(error?.advice == .goOnWithoutBackup, "\(String(describing: error))") }
        #expect(try home.state() == state)
        #expect(try home.keyring.groups.rotate(.default, backsUp: false) > 0)
        #expect(try home.keyring.slots.revoke(slot, of: work, backsUp: false).records > 0)
        #expect(try home.keyring.health.verify().problems == [])
    }
}
