import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

/// Plays somebody who may write in the vault's folder, and has kept an older copy of it.
@Suite("A vault that somebody has taken back")
struct RollbackAuthorityTests {
    private let home: KeyringHome
    private let work: AccessGroup
    private let ada: Account

    /// Ada is in `default` and in `work`, which key file 2 opens alone.
    init() throws {
        home = try KeyringHome()
        work = try home.sharedGroup("work")
        ada = try .contoso("ada")
        for group in [AccessGroup.default, work] { try store(0, in: group) }
    }

    /// Stores a token of Ada's, as another process.
    private func store(_ number: Int, in group: AccessGroup = .default) throws {
        try home.opened().store(.access(ada, expires: 4_000 + Int64(number)), "token \(number)", for: ada, in: [group])
    }

    private func copy() throws -> [UInt8] { try home.folder.read("vault/keyring.db") }

    private func put(_ file: [UInt8]) throws { try home.folder.write("vault/keyring.db", file) }

    /// What the owner is told, by a keyring that was opened now.
    private func findings(keyFile number: UInt8 = 1) throws -> [StateFinding] {
        let keyring = try home.opened(keyFile: number)
        let findings = try keyring.health.stateFindings()
        #expect(Set(keyring.takeWarnings().map(\.message)) == Set(findings.map(\.text)))
        #expect(try keyring.health.verify().findings == findings)
        return findings
    }

    private func mark() -> String { "state/\(home.keyring.vaultID).mark" }

    @Test("stays told, whatever is written since, until the owner accepts it")
    func staysTold() throws {
        let earlier = try copy()
        for number in 1...3 { try store(number) }
        try put(earlier)
        for number in 4...9 { try store(number) }
        let told = try findings()
        #expect(told.map(\.kind) == [.rolledBack] && told.map(\.group) == ["default"])
        #expect(try findings() == told)
        #expect(try home.opened().health.acceptRollback() == told)
        #expect(try findings() == [])
    }

    @Test("is noticed in its header alone, and in one group alone")
    func parts() throws {
        var earlier = try copy()
        _ = try home.keyring.slots.add(.keyFile(keyFile(3)))
        try put(earlier)
        // What was done to the header is noted in a group besides.
        #expect(try findings().map(\.group) == [nil, "default"])
        try home.opened().health.acceptRollback()
        earlier = try copy()
        try store(1, in: work)
        try put(earlier)
        #expect(try findings().map(\.group) == ["work"])
        #expect(try findings(keyFile: 2).map(\.group) == ["work"])
    }

    @Test("is told from one that was written apart from the same beginning", arguments: [true, false])
    func fork(ofHeader: Bool) throws {
        let beginning = try copy()
        func write(_ keyring: Keyring, _ name: String) throws {
            if ofHeader { return try keyring.groups.rename(work, to: AccessGroup(name)) }
            try keyring.store(.access(ada), name, for: ada, in: [work])
        }
        try write(home.opened(), "mine")
        try put(beginning)
        let elsewhere = KeyringLocation(vault: home.location.vault, state: home.folder.path + "/elsewhere")
        try write(LockedKeyring(at: elsewhere).unlock(with: .keyFile(keyFile(1))), "theirs")
        let told = try findings()
        // That a group was renamed can be undone, which stands in it too.
        #expect(
            told.allSatisfy { $0.kind == .forked }
                && Set(told.map(\.group)) == (ofHeader ? [nil, "theirs"] : ["work"]),
            "\(told)")
        #expect(told.allSatisfy { $0.found == $0.seen })
        try home.opened().health.acceptRollback()
        #expect(try findings() == [])
    }

    @Test("is noticed by a process that only writes")
    func writingOnly() throws {
        let earlier = try copy()
        for number in 1...3 { try store(number) }
        try put(earlier)
        try store(4)
        let text = String(decoding: try home.folder.read(mark()), as: UTF8.self)
        #expect(text.contains("finding rollback "))
    }

    @Test("is told with notes that are damaged, and with none that can be written")
    func notes() throws {
        let earlier = try copy()
        try store(1)
        try put(earlier)
        var text = String(decoding: try home.folder.read(mark()), as: UTF8.self)
        text = text.replacing("header ", with: "header x")
        try home.folder.write(mark(), Array(text.utf8))
        #expect(try Set(findings().map(\.kind)) == [.marksDamaged, .rolledBack])
        try home.opened().health.acceptRollback()
        #expect(try findings() == [])
        try FileManager.default.removeItem(atPath: home.location.state)
        #expect(try findings() == [])
        try FileManager.default.removeItem(atPath: home.location.state)
        try home.folder.write("state", [])
        let keyring = try home.opened()
        #expect(try keyring.tokenText(TokenRequest(), in: [.default]) == "token 0")
        #expect(keyring.takeWarnings().map(\.code).contains(.notNoted))
    }

    @Test("is no finding where the owner brings back an older backup")
    func restored() throws {
        let backup = try home.keyring.bundles.backUp().path
        for number in 1...3 { try store(number) }
        _ = try home.opened().bundles.restore(BundleFile(path: backup), with: .identities(secret(home.recoveryKey)))
        #expect(try findings() == [])
    }

    @Test("is no finding where several write at once", .timeLimit(.minutes(2)))
    func together() async throws {
        let home = home
        let ada = ada
        try await withThrowingTaskGroup { tasks in
            for writer in 0..<4 {
                tasks.addTask {
                    let keyring = try home.opened()
                    for number in 1...8 {
                        let group = try AccessGroup(number.isMultiple(of: 2) ? "work" : "default")
                        try keyring.store(
                            .access(ada, expires: Int64(4_000 + 10 * number + writer)), "token", for: ada, in: [group])
                        if number == 4 { _ = try keyring.slots.add(.keyFile(keyFile(UInt8(10 + writer)))) }
                        _ = try keyring.health.stateFindings()
                    }
                }
            }
            try await tasks.waitForAll()
        }
        #expect(try findings() == [])
    }
}
