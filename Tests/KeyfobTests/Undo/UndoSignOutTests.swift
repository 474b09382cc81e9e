import Foundation
@testable import Keyfob
import KeyfobModel
import KeyfobRecords
import KeyfobSQLiteTestSupport
import KeyfobTestSupport
import KeyfobVault
import Testing

extension Keyring {
    /// The tokens that the journals of all groups within reach keep.
    func keptTokens() throws -> [String] {
        try withState { state in
            try state.vault.groups.flatMap { group in
                try database.journal(in: group.keys).items.compactMap { item in
                    guard item.record.secretCommitment != nil else { return nil }
                    return text(of: try database.secret(of: item.record, in: group.keys))
                }
            }.sorted()
        }
    }
}

/// After a sign-out that the provider was told of, no journal has a token of that sign-in.
@Suite("What a sign-out leaves for an undo", .eachStorage)
struct UndoSignOutTests {
    private let home: SilentHome
    private let work: AccessGroup
    private let ada: Account

    init() throws {
        home = try .atPlainProvider()
        work = try AccessGroup("work")
        ada = try SilentHome.plainAccount()
        try home.keyring.groups.create(work)
        home.provider.answerOthers { request in request.url.hasSuffix("/revoke") ? .json("") : nil }
    }

    private func signIn(
        _ token: String, client: String = "app", family: String? = nil, in group: AccessGroup = .default
    ) throws {
        home.clock.advance(by: 60)
        let keyring = try home.opened()
        try keyring.withState { state in
            let group = try state.group(group)
            try keyring.change(&state, group, as: "login") { writer in
                _ = try writer.save(ada, from: .signIn)
                var credential = Credential.refresh(ada, client: client)
                credential.familyID = family
                _ = try writer.save(credential, secret: secret(token), from: .signIn)
            }
        }
    }

    private func undoEverything() throws {
        for isForced in [false, true] {
            for entry in try home.opened().undo.list() {
                home.clock.advance(by: 1)
                _ = try? home.opened().undo.undo(entry.fullID, overriding: isForced)
            }
        }
    }

    /// How a token came into a journal.
    enum Way: String, CaseIterable {
        case replaced, undone, inOtherGroup, removedInOtherGroup, earlierSignOut, family, access
    }

    @Test(
        "no undo brings back a token of what was revoked, whichever journal had it", arguments: Way.allCases,
        [SignOutReach.client, .everywhere, .forget])
    func revoked(way: Way, reach: SignOutReach) async throws {
        try signIn("one")
        switch way {
        case .replaced: try signIn("two")
        case .undone:
            try signIn("two")
            _ = try home.opened().undo.undo()
        case .inOtherGroup:
            for token in ["three", "four"] { try signIn(token, in: work) }
            _ = try home.opened().accounts.remove(ada.id, from: work, undo: .none)
        case .removedInOtherGroup:
            try signIn("three", in: work)
            _ = try home.opened().accounts.remove(ada.id, from: work)
        case .earlierSignOut:
            home.clock.advance(by: 60)
            let keyring = try home.opened()
            _ = try await keyring.accounts.signOut(
                ada.id, from: .default, undo: .keep(keyring.undo.command("logout")), network: nil)
            try signIn("two")
        case .family:
            try signIn("two", family: "1")
            try signIn("three", family: "1")
        case .access:
            for token in ["a", "b"] { try home.access(token, ada) }
        }
        #expect(try !home.opened().keptTokens().isEmpty)
        home.clock.advance(by: 60)
        let keyring = try home.opened()
        let report = try await keyring.accounts.signOut(
            ada.id, clientID: "app", reach: reach, from: .default, undo: .keep(keyring.undo.command("logout")),
            network: home.provider.network)
        guard report.revoked > 0 else {
            // A family's token serves others: a sign-out of one client does not end it.
            #expect(way == .family && reach == .client)
            return
        }
        #expect(try home.opened().keptTokens().isEmpty)
        try undoEverything()
        let after = try KeyringContent(home.opened()).description
        for token in ["one", "two", "three", "four", "a", "b"] {
            #expect(!after.contains(" \(token)\n") && !after.hasSuffix(" \(token)"), "\(after)")
        }
        #expect(try home.opened().keptTokens().isEmpty && home.opened().health.verify().problems == [])
    }

    @Test("what is kept of another account, and of another client, stays")
    func others() async throws {
        let bob = try SilentHome.plainAccount("bob")
        for token in ["bob 1", "bob 2"] { try home.grant(token, bob) }
        for token in ["one", "two"] { try signIn(token) }
        for token in ["other 1", "other 2"] { try signIn(token, client: "other") }
        let report = try await home.opened().accounts.signOut(
            ada.id, clientID: "app", from: .default, network: home.provider.network)
        #expect(report.revoked == 1)
        #expect(try home.opened().keptTokens() == ["bob 1", "other 1"])
    }

    @Test("a sign-in that was signed out, but not revoked, is not what an older undo sets back unasked")
    func notRevoked() async throws {
        for token in ["one", "two"] { try signIn(token) }
        let login = try #require(try home.opened().undo.list().first { $0.command == "login" })
        home.clock.advance(by: 60)
        _ = try await home.opened().accounts.signOut(ada.id, from: .default, network: nil)
        let undone = try home.opened().undo.undo(login.id)
        #expect(undone.items.first { $0.kind == .refreshToken }?.outcome == .changedSince, "\(undone)")
        #expect(try !KeyringContent(home.opened()).description.contains("one"))
    }

    @Test("rows of a journal that somebody puts back bring nothing", .embeddedAlone)
    func putBack() async throws {
        for token in ["one", "two"] { try signIn(token) }
        let database = try home.home.database()
        let old = home.home.folder.path + "/old.db"
        try FileManager.default.copyItem(atPath: home.home.location.vault + "/keyring.db", toPath: old)
        home.clock.advance(by: 60)
        _ = try await home.opened().accounts.signOut(ada.id, from: .default, network: home.provider.network)
        try database.run("ATTACH DATABASE '\(old)' AS old")
        for sql in [
            "INSERT INTO records SELECT * FROM old.records WHERE kind = 10 AND id NOT IN (SELECT id FROM records)",
            "INSERT INTO secrets SELECT * FROM old.secrets WHERE id IN (SELECT id FROM old.records WHERE kind = 10) "
                + "AND id NOT IN (SELECT id FROM secrets)",
        ] { try database.runUnnoticed(sql) }
        #expect(try database.numbers("SELECT count(*) FROM records WHERE kind = 10") != [0])
        let keyring = try home.opened()
        #expect(failure(of: KeyringError.self) { _ = try keyring.undo.list() } != nil)
        for entry in [String?.none] { _ = try? keyring.undo.undo(entry, overriding: true) }
        let tokens = try? home.opened().accounts.credentials(of: ada.id, in: .default)
        #expect(tokens?.allSatisfy { $0.grant?.state != .active } ?? true)
    }
}
