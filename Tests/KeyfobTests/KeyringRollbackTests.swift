import Foundation
import Keyfob
import KeyfobSQLite
import KeyfobSQLiteTestSupport
import KeyfobSodium
import KeyfobTestSupport
import Testing

@Suite("An earlier state of a keyring")
struct KeyringRollbackTests {
    private let home: KeyringHome
    private let work: AccessGroup
    private let ada: Account

    /// Ada is in `default` and in `work`, which key file 2 opens alone.
    init() throws {
        home = try KeyringHome()
        work = try home.sharedGroup("work")
        ada = try .contoso("ada")
        for group in [AccessGroup.default, work] {
            try home.keyring.store(.access(ada), "token", for: ada, in: [group])
        }
    }

    /// What the owner is told who opens the keyring and looks at its groups.
    private func warnings(keyFile number: UInt8 = 1) throws -> [Warning] {
        let keyring = try home.opened(keyFile: number)
        _ = try keyring.groups.list()
        return keyring.takeWarnings()
    }

    /// Gives the header another sequence, as somebody without a key can: the checksum fits, the MAC does not.
    private func setSequence(_ sequence: UInt64) throws {
        var bytes = try home.database().bytes("SELECT bytes FROM header")
        for index in 0..<8 { bytes[28 + index] = UInt8(truncatingIfNeeded: sequence >> (8 * UInt64(index))) }
        let end = bytes.count - 112
        bytes.replaceSubrange(end..<end + 16, with: BLAKE2b.hash(Array(bytes[..<end]), count: 16))
        try home.database().run("UPDATE header SET bytes = ?", [.bytes(bytes)])
    }

    @Test(
        "a header that is not the owner's opens nothing, and leaves its mark as it is",
        arguments: [0, 1 << 40] as [UInt64])
    func unauthenticHeader(sequence: UInt64) throws {
        let file = try home.folder.read("vault/keyring.db")
        try setSequence(sequence)
        for number: UInt8 in [1, 2] {
            #expect(failure(of: KeyringError.self) { _ = try home.opened(keyFile: number) }?.code == .damaged)
        }
        try home.folder.write("vault/keyring.db", file)
        #expect(try warnings() == [] && warnings(keyFile: 2) == [])
    }

    @Test("who accepts an earlier state of one group leaves the marks of the others")
    func acceptingOneGroup() throws {
        let earlier = try home.folder.read("vault/keyring.db")
        for group in [AccessGroup.default, work] {
            try home.keyring.store(.access(ada, expires: 7_200), "newer", for: ada, in: [group])
        }
        try home.keyring.groups.create(AccessGroup("more"))
        try home.folder.write("vault/keyring.db", earlier)
        #expect(try warnings(keyFile: 2).count == 1)
        try home.opened(keyFile: 2).health.acceptRollback()
        #expect(try warnings(keyFile: 2) == [])
        let left = try warnings()
        #expect(
            left.count == 2 && left.allSatisfy { $0.code == .rolledBack && $0.advice == .acceptRollback(first: false) })
        #expect(left.contains { $0.message.contains("header") } && left.contains { $0.message.contains("'default'") })
        try home.opened().health.acceptRollback()
        #expect(try warnings() == [])
    }

    @Test("what a refresh writes down before it asks is noted while the provider thinks")
    func refresh() async throws {
        let silent = try SilentHome.atPlainProvider()
        try silent.grant("rt", silent.ada)
        let mark = "state/\(silent.keyring.vaultID).mark"
        let seen = try silent.home.folder.read(mark)
        silent.provider.answer { _ in
            let end = ContinuousClock.now.advanced(by: .seconds(10))
            while try silent.home.folder.read(mark) == seen {
                guard ContinuousClock.now < end else { return .status(500) }
                try await Task.sleep(for: .milliseconds(5))
            }
            return .tokens("at", refresh: "rt2", scope: "mail.read")
        }
        #expect(try await silent.token(silent.ada).text == "at")
        #expect(try silent.opened().takeWarnings() == [])
    }

    @Test("a repair puts a record aside that has lost its group, and then all is well")
    func strayRecord() throws {
        try home.database().run("UPDATE records SET group_id = zeroblob(16) WHERE id = 1")
        #expect(try home.opened().health.verify().problems.isEmpty == false)
        #expect(try home.opened().health.repair().files.count == 1)
        #expect(try home.opened().health.verify().problems == [])
    }

    @Test("a manifest that was made again goes on from the last one that was seen")
    func repairedManifest() throws {
        for count in 1...5 {
            try home.keyring.store(.access(ada, expires: 4_000 + Int64(count)), "token \(count)", for: ada)
        }
        try home.database().run("UPDATE manifests SET sealed = zeroblob(length(sealed))")
        #expect(try home.opened().health.repair().files == [])
        #expect(try warnings() == [])
        #expect(try home.opened().health.verify().problems == [])
        #expect(try home.opened().tokenText(TokenRequest(), in: [.default]) == "token 5")
    }
}
