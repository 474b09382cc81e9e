import Foundation
@testable import Keyfob
import KeyfobFiles
import KeyfobLookup
import KeyfobRecords
import KeyfobSQLiteTestSupport
import KeyfobTestSupport
import KeyfobVault
import Synchronization
import Testing

extension Rekeying {
    /// Why it is not done; nil when it is.
    consuming func refusal(
        _ handOver: (borrowing SecretBytes) throws(KeyringError) -> Void = { _ in }
    ) -> KeyringError? {
        do {
            _ = try commit(handingOver: handOver)
            return nil
        } catch {
            return error
        }
    }
}

/// Everybody who has kept something of the old state tries it on the new one.
@Suite("What somebody kept before the vault got new keys")
struct RekeyAuthorityTests {
    private let place: AuthorityHome
    private let work: Account

    init() throws {
        place = try AuthorityHome()
        work = try place.add("ada", "the owner's", by: place.owner)
        try place.owner.bindings.set(.tool("gh"), to: .account(work.id), in: .default)
        let eve = try place.add("eve", "theirs", by: place.adversary)
        try place.adversary.bindings.set(.tool("az"), to: .account(eve.id), in: place.tools)
    }

    private func rekey(
        _ keyring: Keyring, _ recovery: inout [UInt8]
    ) throws -> Rekeyed {
        var rekeying = try keyring.slots.beginRekey()
        try rekeying.keep(keyFile: keyFile(1))
        return try rekeying.commit(handingOver: { key in recovery = key.withBytes { [UInt8]($0) } })
    }

    private func rekey(_ keyring: Keyring) throws -> Rekeyed {
        var recovery: [UInt8] = []
        return try rekey(keyring, &recovery)
    }

    private func header() throws -> [UInt8] { try place.owner.database.storedHeader().bytes }

    @Test("neither the vault's key nor a group's, nor the recovery key, nor a group's slot opens anything of it")
    func everything() throws {
        let old = try LockedVault(headerBytes: try header()).unlock(with: .keyFile(keyFile(1)))
        let sequence = place.owner.state.withLock { $0.vault.sequence }
        var recovery: [UInt8] = []
        let rekeyed = try rekey(place.owner, &recovery)
        #expect(rekeyed.grants.map(\.kind) == ["key-file"] && rekeyed.removed.isEmpty)
        #expect(rekeyed.slots.map(\.isRecoveryKey) == [false, true])
        let bytes = try header()
        let withOldKey = failure(of: VaultError.self) {
            _ = try LockedVault(headerBytes: bytes).unlock(with: old.unlockingKey())
        }
        let isTold = if case .keysReplaced = withOldKey { true } else { false }
        #expect(isTold, "\(String(describing: withOldKey))")
        for group in old.groups {
            #expect(throws: StoreError.staleKeys) { try place.owner.database.state(of: group.keys) }
            let new = try place.owner.withState { state in try state.group(group.name).keys }
            try place.owner.database.read(new) { reader in
                try reader.forEachRow { _, row in
                    #expect(failure(of: StoreError.self) { _ = try row.get().open(group.keys) } != nil)
                    var header = try row.get().header
                    header.epoch = group.keys.epoch
                    let attributes = try row.get().attributes
                    #expect(throws: VaultError.corrupted(.record)) { try group.keys.openAttributes(header, attributes) }
                }
            }
        }
        #expect(place.refusal { _ = try place.home.opened(keyFile: 2) }?.code == .wrongKey)
        for (text, isOpening) in [(place.home.recoveryKey, false), (recovery, true)] {
            let refusal = place.refusal {
                _ = try LockedKeyring(at: place.home.location).unlock(with: .identity(secret(text)))
            }
            #expect((refusal == nil) == isOpening)
        }
        let opened = try place.home.opened()
        #expect(opened.state.withLock { $0.vault.sequence } > sequence)
        #expect(try opened.health.verify().problems.isEmpty && opened.takeWarnings().isEmpty)
        #expect(try opened.tokenText(TokenRequest(account: work.id.description)) == "the owner's")
        #expect(try POSIXFile.read(place.home.location.vault + "/header.copy", limit: 1 << 20) == (try header()))
    }

    @Test("the owner's decisions are the owner's still, and those of a group's key are not made so")
    func decisions() throws {
        _ = try rekey(place.owner)
        for keyring in [place.owner, try place.home.opened()] {
            let writers = try keyring.bindings.list().map { "\($0.subject.text) \($0.writer)" }
            #expect(Set(writers) == ["gh owner", "az group"])
        }
    }

    @Test("it is said which slots are lost, and nothing is written unless it is committed")
    func beginning() throws {
        let recipient = try #require(try place.owner.slots.list().first { $0.isRecoveryKey }).id
        let before = try header()
        let passphrase = try place.owner.slots.add(.passphrase(secret("horse"), memory: 64 << 20))
        let theirs = try place.owner.slots.add(.recipient(BundleKeys().recipient))
        var rekeying = try place.owner.slots.beginRekey()
        let (replaced, grants, first) = (rekeying.replaced.map(\.id), rekeying.grants.count, rekeying.lost)
        #expect(replaced == [recipient] && grants == 1)
        #expect(first.map(\.kind) == ["key-file", "passphrase"] && !first.contains { $0.id == theirs })
        let foreign = failure(of: KeyringError.self) { try rekeying.keep(keyFile: keyFile(2)) }
        #expect(foreign?.code == .wrongKey)
        try rekeying.keep(passphrase: secret("another"))
        let lost = rekeying.lost.map(\.kind)
        #expect(lost == ["key-file"])
        #expect(try header() != before && place.owner.slots.list().contains { $0.id == passphrase })
        let stopped = rekeying.refusal { (_) throws(KeyringError) in throw KeyringError(.cancelled, "no") }
        #expect(stopped?.code == .cancelled)
        #expect(try place.home.opened().health.verify().problems.isEmpty)
        #expect(try place.owner.slots.list().contains { $0.id == passphrase })
    }

    @Test("a vault that has changed since it began is left as it is")
    func changedMeanwhile() throws {
        var rekeying = try place.owner.slots.beginRekey()
        try rekeying.keep(keyFile: keyFile(1))
        try place.home.opened().groups.create(AccessGroup("more"))
        let header = try header()
        let error = rekeying.refusal()
        #expect(error?.code == .busy)
        #expect(try self.header() == header && place.owner.health.verify().problems.isEmpty)
        _ = try rekey(place.owner)
        #expect(try place.home.opened().groups.list().count == 3)
    }

    @Test("what the old keys still open is named: backups, copies of the database and of the header, quarantine")
    func oldFiles() throws {
        let backup = try place.owner.bundles.backUp().path
        let vault = place.home.location.vault
        for name in ["keyring.db.old", "header.copy~", "notes"] { try place.home.folder.write("vault/" + name, [1]) }
        let rekeyed = try rekey(place.owner)
        #expect(rekeyed.oldFiles == [vault + "/header.copy~", vault + "/keyring.db.old", backup])
        #expect(rekeyed.backup != nil && rekeyed.backup != backup)
    }

    @Test("only the vault's key gives new keys, and never over records that do not open")
    func refused() throws {
        #expect(place.refusal { _ = try place.adversary.slots.beginRekey() }?.code == .needsVaultKey)
        let database = try place.home.database()
        let row = try #require(try database.numbers("SELECT id FROM secrets ORDER BY id").last)
        try database.run("UPDATE secrets SET bytes = zeroblob(700) WHERE id = \(row)")
        let before = try place.home.state()
        #expect(place.refusal { _ = try rekey(place.owner) }?.code == .damaged)
        #expect(try place.home.state() == before)
        #expect(try place.owner.tokenText(TokenRequest(account: work.id.description)) == "the owner's")
    }
}

@Suite("A vault that gets new keys in a process that is killed", .serialized)
struct RekeyCrashTests {
    @Test("has the old keys or the new ones", arguments: [5, 20, 50, 100, 200, 120_000])
    func killed(delay: Int) async throws {
        let home = try KeyringHome()
        let ada = try Account.contoso("ada")
        for client in 0..<300 { try home.keyring.store(.refresh(ada, client: "client\(client)"), "t", for: ada) }
        let path = home.folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, delay = delay as Int] in
            let location = KeyringLocation(vault: path + "/vault", state: path + "/state")
            let keyring = try LockedKeyring(at: location).unlock(with: .keyFile(keyFile(1)))
            var rekeying = try keyring.slots.beginRekey()
            try rekeying.keep(keyFile: keyFile(1))
            let thread = Thread {
                usleep(UInt32(delay) * 1_000)
                kill(getpid(), SIGKILL)
            }
            _ = try? rekeying.commit(handingOver: { key in
                try? Data(key.withBytes { [UInt8]($0) }).write(to: URL(filePath: path + "/recovery"))
                thread.start()
            })
            kill(getpid(), SIGKILL)
        }
        let keyring = try home.opened()
        #expect(try keyring.health.verify().problems == [])
        #expect(try keyring.accounts.credentials(of: ada.id, in: .default).count == 300)
        let new = [UInt8](try Data(contentsOf: URL(filePath: path + "/recovery")))
        let opening = [home.recoveryKey, new].filter { text in
            failure(of: KeyringError.self) {
                _ = try LockedKeyring(at: home.location).unlock(with: .identity(secret(text)))
            } == nil
        }
        #expect(opening.count == 1)
        if delay == 120_000 { #expect(opening == [new]) }
        // And once more, to the end.
        var rekeying = try keyring.slots.beginRekey()
        try rekeying.keep(keyFile: keyFile(1))
        #expect(try rekeying.commit(handingOver: { _ in }).records == 301)
    }
}
