@testable import Keyfob
import KeyfobModel
import KeyfobRecords
import KeyfobSodium
import KeyfobTestSupport
import KeyfobVault
import Testing

/// Undoing a run that puts a token in the place of another one.
@Suite("Undoing what was replaced")
struct UndoReplacedTests {
    private let place: AuthorityHome
    private let owner: Keyring
    private let ada: Account

    init() throws {
        place = try AuthorityHome()
        owner = place.owner
        ada = try Account.contoso("ada")
    }

    private func run(_ command: String, after seconds: Int64 = 60, _ body: (Keyring) throws -> Void) throws {
        let keyring = try place.home.opened(at: noon.advanced(by: seconds))
        keyring.undo.begin(command)
        try body(keyring)
    }

    private func change(_ command: String, _ body: @escaping (GroupWriter) throws -> Void) throws {
        try run(command) { keyring in
            try keyring.withState { state in
                let group = try state.group(.default)
                try keyring.change(&state, group, as: command) { try body($0) }
            }
        }
    }

    private func opened(after seconds: Int64 = 120) throws -> Keyring {
        try place.home.opened(at: noon.advanced(by: seconds))
    }

    private func content() throws -> String { try KeyringContent(place.home.opened()).withoutFormer }

    private func entry(_ command: String) throws -> UndoEntry {
        try #require(try opened().undo.list().first { $0.command == command }, "\(command)")
    }

    @Test(
        "a refresh token that was replaced stays away, though its sign-in ended and came back in between",
        arguments: ["logout", "remove", "remove for good"], [false, true])
    func replacedBefore(way: String, isForced: Bool) async throws {
        for token in ["rt1", "rt2"] {
            try run("import \(token)") { try $0.store(.refresh(ada), token, for: ada, in: [.default]) }
        }
        let imported = try entry("import rt2")
        #expect(imported.items.map(\.outcome) == [.replacedSince])
        let between = try place.home.opened(at: noon.advanced(by: 70))
        between.undo.begin("between")
        if way == "logout" {
            _ = try await between.accounts.signOut(ada.id, from: .default, network: nil)
        } else {
            _ = try between.accounts.remove(ada.id, from: .default)
        }
        if way == "remove for good" {
            try run("add") { try $0.store(.access(ada), "at", for: ada, in: [.default]) }
        } else {
            let taken = try #require(try opened().undo.list().first { $0.command != "import rt2" && $0.bringsBack })
            #expect(try opened().undo.undo(taken.fullID).bringsBack)
            #expect(try content().contains("rt2"))
        }
        let undone = try opened(after: 130).undo.undo(imported.fullID, overriding: isForced)
        #expect(undone.items.allSatisfy { $0.outcome != .returns }, "\(undone)")
        if isForced || way != "remove for good" {
            #expect(undone.items.map(\.outcome) == [.replacedSince], "\(undone)")
        }
        let left = try content()
        #expect(!left.contains("rt1") && left.contains("rt2") == (way != "remove for good"), "\(left)")
    }

    @Test("a later sign-in that was undone comes back by the undo of that")
    func signInAgain() throws {
        try change("login 1") { writer in
            _ = try writer.save(ada, from: .signIn)
            _ = try writer.save(.refresh(ada), secret: secret("rt1"), from: .signIn)
        }
        let before = try content()
        try change("login 2") { _ = try $0.save(.refresh(ada), secret: secret("rt2"), from: .signIn) }
        let after = try content()
        var undone = try opened().undo.undo(entry("login 2").fullID)
        #expect(try content() == before, "\(undone)")
        for (number, expected) in [after, before, after].enumerated() {
            undone = try opened(after: 130 + Int64(number)).undo.undo(undone.undoneBy)
            #expect(try content() == expected, "\(undone)")
        }
    }

    @Test(
        "what was replaced comes back, and goes again, where the new token has another key",
        arguments: ["in place", "several", "made room", "joins a family", "leaves a family", "own"], [false, true])
    func anotherKey(way: String, isForced: Bool) throws {
        let first = Credential.access(ada, scopes: ["repo"])
        let second = Credential.access(ada, scopes: ["repo", "user"])
        var (family, alone) = (Credential.refresh(ada), Credential.refresh(ada))
        family.familyID = "1"
        if way == "leaves a family" { (family, alone) = (alone, family) }
        try change("before") { writer in
            _ = try writer.save(ada, from: .owner)
            if way.hasSuffix("family") {
                _ = try writer.save(alone, secret: secret("old"), from: .signIn)
            } else {
                if way != "own" { _ = try writer.save(first, secret: secret("old"), from: .owner) }
                if way == "several" {
                    _ = try writer.save(.access(ada, scopes: ["user"]), secret: secret("other"), from: .owner)
                }
            }
        }
        let before = try content()
        switch way {
        case "made room":
            let record = ItemRecord(
                group: .default, content: .credential(second), version: ItemVersion(stamp: Stamp(value: 1), device: 1))
            try change("after") { writer in
                #expect(try writer.makeRoom(for: second, except: []))
                try writer.put(record, secret: .new(secret("new")), replacing: [])
            }
        case "joins a family", "leaves a family":
            try change("after") { writer in
                if let epoch = try writer.removeGrants(besides: family) { family.grant?.epoch = epoch &+ 1 }
                _ = try writer.save(family, secret: secret("new"), from: .signIn)
            }
        default:
            try run("after") { keyring in
                if way == "own" { try keyring.store(first, "old", for: ada, in: [.default]) }
                try keyring.store(second, "new", for: ada, in: [.default])
            }
        }
        let after = try content()
        #expect(after.contains("new") && !after.contains(" old"), "\(after)")
        var undone = try opened().undo.undo(entry("after").fullID, overriding: isForced)
        #expect(try content() == before, "\(undone)")
        #expect(undone.items.allSatisfy { !$0.isOverriding }, "\(undone)")
        for (number, expected) in [after, before].enumerated() {
            undone = try opened(after: 130 + Int64(number)).undo.undo(undone.undoneBy)
            #expect(try content() == expected, "\(undone)")
        }
        // What the run before added is again what it added.
        if way != "own" {
            #expect(try opened(after: 140).undo.undo(entry("before").fullID).items.contains { $0.outcome == .goes })
        }
        #expect(try place.owner.health.verify().problems == [])
    }

    @Test("a token that a later run has replaced by one with other scopes stays")
    func laterKey() throws {
        try run("first") { try $0.store(.access(ada, scopes: ["repo"]), "k1", for: ada, in: [.default]) }
        try run("second") { try $0.store(.access(ada, scopes: ["repo", "user"]), "k2", for: ada, in: [.default]) }
        try run("third") { try $0.store(.access(ada, scopes: ["repo", "mail"]), "k3", for: ada, in: [.default]) }
        let undone = try opened().undo.undo(entry("second").fullID)
        #expect(!undone.changesSomething && undone.items.contains { $0.outcome == .newerIsThere }, "\(undone)")
        #expect(try content().contains("k3"))
        for _ in 0..<2 { _ = try opened().undo.undo() }
        #expect(try content().contains("k1"))
    }

    @Test("what a run took away, added again and took away again comes back", arguments: [true, false])
    func twice(isOneChange: Bool) throws {
        try run("before") { try $0.store(.access(ada), "a", for: ada, in: [.default]) }
        let before = try content()
        func act(_ body: @escaping (GroupWriter) throws -> Void, _ keyring: Keyring) throws {
            try keyring.withState { state in
                let group = try state.group(.default)
                try keyring.change(&state, group, as: "after") { try body($0) }
            }
        }
        let removes: (GroupWriter) throws -> Void = { [ada] in _ = try $0.removeTokens(of: ada.id) { _ in true } }
        let adds: (GroupWriter) throws -> Void = { [ada] in
            _ = try $0.save(.access(ada), secret: secret("own"), from: .owner)
        }
        try run("after") { keyring in
            if isOneChange {
                try act({ for body in [removes, adds] { try body($0) } }, keyring)
            } else {
                for body in [removes, adds, removes, adds] { try act(body, keyring) }
            }
            try act(removes, keyring)
        }
        #expect(try !content().contains("own") && !owner.keptTokens().contains("own"))
        let undone = try opened().undo.undo()
        #expect(try content() == before, "\(undone)")
        #expect(try owner.withState { try owner.database.journal(in: $0.group(.default).keys).items.isEmpty == false })
    }

    @Test("what a run only added and took away again is kept of nothing")
    func addedAndTaken() throws {
        try run("before") { try $0.store(.access(ada), "a", for: ada, in: [.default]) }
        let count = try owner.undo.list().count
        try run("after") { keyring in
            try keyring.store(.access(ada, client: "other"), "own", for: ada, in: [.default])
            try keyring.withState { state in
                let group = try state.group(.default)
                try keyring.change(&state, group, as: "after") {
                    _ = try $0.removeTokens(of: ada.id) { $0.clientID == "other" }
                }
            }
        }
        #expect(try opened().undo.list().count == count && owner.keptTokens().isEmpty)
    }

    @Test(
        "what a person signs in to by another program stays, and a refresh by Keyfob changes nothing of that",
        arguments: ["entries", "cache", "Keyfob"])
    func signedInElsewhere(way: String) throws {
        try change("login") { writer in
            _ = try writer.save(ada, from: .signIn)
            _ = try writer.save(.refresh(ada), secret: secret("rt1"), from: .signIn)
        }
        let cache = """
            {"RefreshToken": {"\(ada.id.homeAccountID)-\(ada.id.environment)-refreshtoken-mailer--": {"secret": "rt2",
            "credential_type": "RefreshToken", "home_account_id": "\(ada.id.homeAccountID)", "client_id": "mailer",
            "environment": "\(ada.id.environment)", "last_modification_time": "\(noon.seconds + 100)"}}}
            """
        let program = try opened()
        switch way {
        case "entries": try program.caches.changeEntries(secret("{\"put\": \(cache)}"))
        case "cache": _ = try program.caches.importMSAL(secret(cache), isWrittenNow: true)
        default:
            try program.withState { state in
                let group = try state.group(.default)
                try program.change(&state, group) {
                    try $0.replaceGrant(GrantKey(.refresh(ada)), secret: secret("rt2")) { _ in }
                }
            }
        }
        #expect(try content().contains("rt2"))
        let undone = try opened().undo.undo()
        let isKept = way != "Keyfob"
        #expect(undone.changesSomething == !isKept, "\(undone)")
        #expect(try content().contains("rt2") == isKept)
    }

    @Test("a group that a run made is not said to be empty where a later command has changed what came with it")
    func changedInMadeGroup() throws {
        let work = try AccessGroup("work")
        try run("import") { keyring in
            try keyring.groups.create(work)
            try keyring.store(.access(ada), "a", for: ada, in: [work])
        }
        try run("account label", after: 90) { try $0.accounts.setLabel("x", of: ada.id, in: work) }
        // Forgotten, so that the records alone tell it.
        _ = try opened().undo.clear(entry("account label").fullID)
        for _ in 0..<2 {
            let undone = try opened().undo.undo(entry("import").fullID)
            #expect(!undone.items.contains { $0.outcome == .staysEmpty }, "\(undone)")
            #expect(undone.items.contains { $0.kind == .group && $0.outcome == .changedSince }, "\(undone)")
        }
    }
}
