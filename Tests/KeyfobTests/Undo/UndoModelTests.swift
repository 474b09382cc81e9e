@testable import Keyfob
import KeyfobModel
import KeyfobRecords
import KeyfobTestSupport
import KeyfobVault
import Testing

/// Commands and undos at random, on a vault with two groups and a provider that revokes.
@Suite("Any commands, and undoing any of them")
struct UndoModelTests {
    private let home: SilentHome
    private let work: AccessGroup
    private let people: [Account]
    private static let clients = ["app", "other"]

    init() throws {
        home = try .atPlainProvider()
        work = try AccessGroup("work")
        people = try ["ada", "bob"].map { try SilentHome.plainAccount($0) }
        try home.keyring.groups.create(work)
        try home.addPlainProvider(in: [work])
        home.provider.answerOthers { request in request.url.hasSuffix("/revoke") ? .json("") : nil }
    }

    private func content() throws -> String { try KeyringContent(home.opened()).withoutFormer }

    /// Where a token is: whose, and of which client.
    private struct Place: Hashable {
        let account: AccountID
        let client: String
    }

    /// What was stored, and what must never be seen again.
    private struct Known {
        var texts: [Place: Set<String>] = [:]
        var dead: Set<String> = []
        var count = 0

        mutating func token(_ place: Place) -> String {
            count += 1
            texts[place, default: []].insert("token-\(count)-")
            return "token-\(count)-"
        }
    }

    /// One command, as a process of its own; nil where it is refused.
    private func step(
        _ known: inout Known, _ generator: inout SeededGenerator
    ) async throws -> (name: String, isSignOut: Bool)? {
        home.clock.advance(by: 7)
        let keyring = try home.opened()
        let (account, other) = (people[Int.random(in: 0..<2, using: &generator)], [AccessGroup.default, work])
        let group = other[Int.random(in: 0..<2, using: &generator)]
        let client = Self.clients[Int.random(in: 0..<2, using: &generator)]
        let kind = Int.random(in: 0..<12, using: &generator)
        keyring.undo.begin("command \(kind)")
        let place = Place(account: account.id, client: client)
        do {
            switch kind {
            case 0, 1:
                let rotates = [nil, true, false][Int.random(in: 0..<3, using: &generator)]
                let credential = Credential(
                    kind: .refreshToken, account: account.id, clientID: client, cachedAt: home.clock.now,
                    grant: Grant(rotates: rotates))
                try keyring.store(credential, known.token(place), for: account, in: [group])
            case 2:
                // A sign-in begins an epoch of its own.
                try keyring.withState { state in
                    let group = try state.group(group)
                    try keyring.change(&state, group, as: "login") { writer in
                        _ = try writer.save(account, from: .signIn)
                        var credential = Credential.refresh(account, client: client)
                        credential.familyID = Bool.random(using: &generator) ? "1" : nil
                        if let epoch = try writer.removeGrants(besides: credential) {
                            credential.grant?.epoch = epoch &+ 1
                        }
                        _ = try writer.save(credential, secret: secret(known.token(place)), from: .signIn)
                    }
                }
            case 3:
                let scopes: [ScopeSet] = [["mail.read"], ["mail.read", "mail.send"], ["mail.send"]]
                let credential = Credential.access(
                    account, scopes: scopes[Int.random(in: 0..<3, using: &generator)], client: client, realm: "")
                try keyring.store(credential, known.token(place), for: account, in: [group])
            case 4:
                let label = [nil, "x", "y"][Int.random(in: 0..<3, using: &generator)]
                try keyring.accounts.setLabel(label, of: account.id, in: group)
            case 5: try keyring.accounts.setDefault(Bool.random(using: &generator) ? account.id : nil, in: group)
            case 6: try keyring.bindings.set(.tool("gh"), to: .account(account.id), in: group)
            case 7:
                try keyring.bindings.set(.tool("gh"), to: .nobody, in: group)
                try keyring.bindings.set(.tool("gh"), to: .account(account.id), in: group)
            case 8:
                // Of a binding that both groups have, an undo of the move leaves one.
                guard try keyring.bindings.list().count < 2 else { return nil }
                _ = try keyring.accounts.move(account.id, from: group, to: group == work ? .default : work)
            case 9: _ = try keyring.accounts.remove(account.id, from: group, unbinds: Bool.random(using: &generator))
            default:
                let tellsProvider = kind == 10
                let report = try await keyring.accounts.signOut(
                    account.id, clientID: client, reach: Bool.random(using: &generator) ? .client : .forget,
                    from: group, network: tellsProvider ? home.provider.network : nil)
                for end in report.tokens where end.fate == .revoked {
                    known.dead.formUnion(known.texts[Place(account: account.id, client: end.clientID ?? "")] ?? [])
                }
                // What another group holds of it by itself is that one's.
                let content = try self.content()
                known.dead = known.dead.filter { !content.contains($0) }
                return ("sign-out", true)
            }
        } catch let error as KeyringError {
            #expect([.noSuchAccount, .alreadyExists, .noSuchClient].contains(error.code), "\(error)")
            return nil
        }
        return ("command \(kind)", false)
    }

    /// What journals and records of all groups hold, as text.
    private func everything() throws -> (journal: String, records: String) {
        let keyring = try home.opened()
        let kept = try keyring.withState { state in
            try state.vault.groups.flatMap { group in
                try keyring.database.journal(in: group.keys).items.compactMap { item -> String? in
                    guard item.record.secretCommitment != nil else { return nil }
                    return text(of: try keyring.database.secret(of: item.record, in: group.keys))
                }
            }
        }
        return (kept.joined(separator: " "), try content())
    }

    private func expectNoDead(_ known: Known, _ what: String) throws {
        let (journal, records) = try everything()
        for token in known.dead {
            #expect(!journal.contains(token), "\(what): \(token) is kept for an undo")
            #expect(!records.contains(token), "\(what): \(token) is back")
        }
    }

    @Test(
        "what is undone at once is as before or told, redone as after; no token of what was revoked is kept or comes back",
        arguments: 1...TestLength.rounds(6, full: 200))
    func random(seed: Int) async throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var known = Known()
        var undone = 0
        for number in 0..<24 {
            let before = try self.content()
            guard let (name, _) = try await step(&known, &generator) else { continue }
            let what = "seed \(seed), \(number): \(name)"
            try expectNoDead(known, what)
            let after = try self.content()
            home.clock.advance(by: 1)
            guard Bool.random(using: &generator), after != before else {
                // Any entry, with what came later or against it.
                let entries = try home.opened().undo.list().filter { !$0.command.hasPrefix("group") }
                if let entry = entries.randomElement(using: &generator), Bool.random(using: &generator) {
                    _ = try home.opened().undo.undo(entry.fullID, overriding: Bool.random(using: &generator))
                    try expectNoDead(known, "\(what), and undo of \(entry)")
                }
                continue
            }
            let wanted = try #require(try home.opened().undo.list().first, "\(what)")
            guard !wanted.isUndo else { continue }
            let done = try home.opened().undo.undo(wanted.fullID)
            let isWhole = done.items.allSatisfy { [.returns, .goes, .isThere].contains($0.outcome) }
            let content = try self.content()
            let isRevoked = name == "sign-out"
            #expect(!isWhole || isRevoked || content == before, "\(what): \(done)\n\(content)\nwas\n\(before)")
            try expectNoDead(known, "\(what), undone")
            guard isWhole, !isRevoked, let again = done.undoneBy else { continue }
            undone += 1
            home.clock.advance(by: 1)
            let redone = try home.opened().undo.undo(again)
            let second = try self.content()
            let isRedone = redone.items.allSatisfy { [.returns, .goes, .isThere].contains($0.outcome) }
            #expect(!isRedone || second == after, "\(what), redone: \(redone)\n\(second)\nwas\n\(after)")
        }
        #expect(TestLength.isFull || undone > 0 && !known.texts.isEmpty)
        #expect(try home.opened().health.verify().problems == [])
    }
}
