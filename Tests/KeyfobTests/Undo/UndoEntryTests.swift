@testable import Keyfob
import KeyfobFiles
import KeyfobModel
import KeyfobRecords
import KeyfobTestSupport
import KeyfobVault
import Testing

/// What an undo takes back, and of which command.
@Suite("What an undo takes back")
struct UndoEntryTests {
    private let place: AuthorityHome
    private let owner: Keyring

    init() throws {
        place = try AuthorityHome()
        owner = place.owner
    }

    private func run(_ command: String, after seconds: Int64 = 60, _ body: (Keyring) throws -> Void) throws {
        let keyring = try place.home.opened(at: noon.advanced(by: seconds))
        keyring.undo.begin(command)
        try body(keyring)
    }

    private func newest(_ command: String) throws -> UndoEntry {
        try #require(try owner.undo.list().first { $0.command == command })
    }

    /// What the journal of a group keeps tokens of.
    private func keptTokens(in group: AccessGroup) throws -> [AccountID] {
        try owner.withState { state in
            try owner.database.journal(in: state.group(group).keys).items.compactMap { item in
                item.record.secretCommitment == nil ? nil : item.value.content.credential?.account
            }
        }
    }

    private func refreshToken(of account: Account, in group: AccessGroup = .default) throws -> String {
        try owner.withState { state in
            let keys = try state.group(group).keys
            let found = try owner.database.credentials(.refreshToken, of: account.id, in: keys).items
            let token = try #require(found.first { $0.record.secretCommitment != nil })
            return text(of: try owner.database.secret(of: token.record, in: keys))
        }
    }

    @Test(
        "who has one group's key cannot give the owner's entry another name or time, nor add to it what it does elsewhere"
    )
    func forged() throws {
        let (ada, tool) = (try Account.contoso("ada"), try Account.contoso("tool"))
        try run("import") { keyring in
            try keyring.store(.access(ada), "the owner's", for: ada, in: [.default])
            try keyring.store(.access(tool), "the tool's", for: tool, in: [place.tools])
        }
        let own = try newest("import")
        #expect(own.groups == [.default, place.tools])
        let forged = JournalEntry(
            id: own.journalEntry.id, command: "account label", time: own.time.advanced(by: 60))
        let adversary = try place.home.opened(keyFile: 2, at: forged.time)
        try adversary.withState { state in
            let group = try state.group(place.tools)
            try adversary.change(&state, [group], note: ChangeNote(forged)) {
                try $0[0].setSetting("x", to: "y")
            }
        }
        let opened = try place.home.opened()
        let entries = try opened.undo.list()
        #expect(entries.prefix(2).map(\.command) == ["account label", "import"], "\(entries)")
        #expect(Set(entries.filter { !$0.isLasting }.map(\.id)).count == 3)
        #expect(entries[0].groups == [place.tools] && entries[1].items == own.items)
        _ = try opened.undo.undo(entries.first?.id)
        #expect(try opened.tokenText(TokenRequest(account: ada.id.description), in: [.default]) == "the owner's")
        #expect(try opened.tokenText(TokenRequest(account: tool.id.description), in: [place.tools]) == "the tool's")
        _ = try opened.undo.undo(own.id)
        #expect(try opened.accounts.list().isEmpty)
    }

    @Test(
        "an account stays that holds what did not come with it, and so does that",
        arguments: ["sign-in", "replaced", "silent", "kept"])
    func staying(way: String) throws {
        let ada = try Account.contoso("ada")
        try run("add") { keyring in
            try keyring.store(.access(ada), "a1", for: ada, in: [.default])
            if way == "replaced" { try keyring.store(.refresh(ada), "rt0", for: ada, in: [.default]) }
        }
        switch way {
        case "sign-in", "replaced":
            try run("login") { try $0.store(.refresh(ada), "rt", for: ada, in: [.default]) }
        case "silent":
            // As a sync writes it.
            try owner.withState { state in
                let group = try state.group(.default)
                try owner.change(&state, group) { _ = try $0.save(.refresh(ada), secret: secret("rt"), from: .owner) }
            }
        default:
            try run("add") { try $0.store(.access(ada, client: "other"), "a2", for: ada, in: [.default]) }
            try run("client tokens") { keyring in
                try keyring.withState { state in
                    let group = try state.group(.default)
                    try keyring.change(&state, group, as: "x") {
                        _ = try $0.removeTokens(of: ada.id) { $0.clientID == "other" }
                    }
                }
            }
        }
        let entry = try #require(try place.home.opened().undo.list().last { $0.command == "add" })
        #expect(entry.items.first { $0.kind == .account }?.outcome == .changedSince, "\(entry)")
        let undone = try place.home.opened().undo.undo(entry.id)
        #expect(undone.items.first { $0.kind == .account }?.outcome == .changedSince, "\(undone)")
        let opened = try place.home.opened()
        #expect(try opened.accounts.list().map(\.account.id) == [ada.id])
        if way == "kept" {
            #expect(try keptTokens(in: .default) == [ada.id, ada.id])
        } else {
            #expect(try refreshToken(of: ada) == "rt")
        }
        // Who wants it all the same is told what goes.
        let forced = try #require(try opened.undo.list().last { $0.command == "add" })
        let gone = try opened.undo.undo(forced.id, overriding: true)
        #expect(gone.items.contains { $0.kind == .account && $0.isOverriding && $0.outcome == .goes }, "\(gone)")
        #expect(try opened.accounts.list().isEmpty)
    }

    @Test("an account that a command added alone goes with the tokens that were got for it silently")
    func alone() throws {
        let ada = try Account.contoso("ada")
        try run("login") { try $0.store(.refresh(ada), "rt", for: ada, in: [.default]) }
        try owner.withState { state in
            let group = try state.group(.default)
            try owner.change(&state, group) { _ = try $0.save(.access(ada), secret: secret("at"), from: .owner) }
        }
        #expect(try owner.undo.undo().changesSomething)
        #expect(try place.home.opened().accounts.list().isEmpty && owner.health.verify().problems == [])
    }

    @Test("without an id the newest entry alone is undone: where it cannot be, no older one is")
    func newestAlone() throws {
        let (ada, bob) = (try Account.contoso("ada"), try Account.contoso("bob"))
        try run("add") { try $0.store(.access(bob), "b", for: bob, in: [.default]) }
        try run("add") { try $0.store(.access(ada), "a", for: ada, in: [.default]) }
        try run("account label") { try $0.accounts.setLabel("old", of: ada.id, in: .default) }
        try owner.withState { state in
            let group = try state.group(.default)
            try owner.change(&state, group) { try $0.update(ada.id) { $0.label = "newer" } }
        }
        let undone = try place.home.opened().undo.undo()
        #expect(undone.command == "account label" && !undone.changesSomething)
        #expect(undone.items.map(\.outcome) == [.newerIsThere])
        #expect(try place.home.opened().accounts.list().count == 2)
    }

    @Test("a group that an account has left keeps none of the tokens that it had there before")
    func left() throws {
        let ada = try Account.contoso("ada")
        for token in ["first", "second"] { try owner.store(.access(ada), token, for: ada, in: [place.tools]) }
        #expect(try keptTokens(in: place.tools) == [ada.id])
        _ = try owner.accounts.move(ada.id, from: place.tools, to: .default)
        #expect(try keptTokens(in: place.tools).isEmpty)
        let guest = try place.home.opened(keyFile: 2)
        #expect(try guest.undo.list().allSatisfy { $0.items.allSatisfy { $0.kind != .accessToken } })
        #expect(try owner.tokenText(TokenRequest(account: ada.id.description), in: [.default]) == "second")
    }

    @Test("what is removed for good is in the journal of no group within reach", arguments: ["remove", "logout"])
    func forever(way: String) async throws {
        let (ada, bob) = (try Account.contoso("ada"), try Account.contoso("bob"))
        for group in [.default, place.tools] {
            for account in [ada, bob] {
                for token in ["first", "second"] { try owner.store(.access(account), token, for: account, in: [group]) }
            }
        }
        if way == "remove" {
            _ = try owner.accounts.remove(ada.id, from: .default, undo: .erase)
        } else {
            _ = try await owner.accounts.signOut(ada.id, from: .default, undo: .erase, network: nil)
        }
        for group in [.default, place.tools] { #expect(try keptTokens(in: group) == [bob.id]) }
    }

    @Test(
        "a newer refresh token of the same sign-in stays: the one before it would end both", arguments: [false, true])
    func replaced(isForced: Bool) throws {
        let ada = try Account.contoso("ada")
        for token in ["rt1", "rt2"] {
            try run("import \(token)") { try $0.store(.refresh(ada), token, for: ada, in: [.default]) }
        }
        let undone = try place.home.opened().undo.undo(nil, overriding: isForced)
        #expect(undone.command == "import rt2" && undone.items.map(\.outcome) == [.replacedSince], "\(undone)")
        #expect(try refreshToken(of: ada) == "rt2")
    }

    @Test("a provider that does not replace refresh tokens takes the one before again")
    func notReplaced() throws {
        let ada = try Account.contoso("ada")
        var token = Credential.refresh(ada)
        token.grant?.rotates = false
        for text in ["rt1", "rt2"] { try run("import") { try $0.store(token, text, for: ada, in: [.default]) } }
        #expect(try owner.undo.undo().bringsBack)
        #expect(try refreshToken(of: ada) == "rt1")
    }

    @Test(
        "a group that was made stays where anything has come into it, was kept of it, or somebody has got a key",
        arguments: ["account", "journal", "key", "setting", "name"])
    func groupMade(way: String) throws {
        let (work, ada) = (try AccessGroup("work"), try Account.contoso("ada"))
        try run("group create") { try $0.groups.create(work) }
        let entry = try #require(try place.home.opened().undo.list().first)
        #expect(entry.items.map(\.outcome) == [.goes])
        switch way {
        case "key": _ = try owner.slots.grant(work, to: .keyFile(keyFile(3)))
        case "setting": try owner.bindings.set(.tool("gh"), to: .nobody, in: work)
        case "name": try owner.groups.rename(work, to: AccessGroup("new"))
        default:
            try owner.store(.access(ada), "t", for: ada, in: [work])
            if way == "journal" { _ = try owner.accounts.remove(ada.id, from: work) }
        }
        // As one who has looked before.
        let id = entry.items[0].groupID
        #expect(try !owner.groups.remove(id, madeBy: entry.journalEntry, overriding: false))
        let undone = try place.home.opened().undo.undo(entry.id)
        #expect(undone.items.map(\.outcome) == [.changedSince] && !undone.changesSomething)
        #expect(try place.home.opened().groups.list().count == 3)
        #expect(try place.home.opened().undo.undo(entry.id, overriding: true).items[0].isOverriding)
        #expect(try place.home.opened().groups.list().count == 2)
    }

    @Test("what an undo has taken away keeps no group that was made")
    func groupOfUndone() throws {
        let (work, ada) = (try AccessGroup("work"), try Account.contoso("ada"))
        try run("group create") { try $0.groups.create(work) }
        try run("add", after: 90) { try $0.store(.access(ada), "t", for: ada, in: [work]) }
        for command in ["add", "group create"] {
            let later = try place.home.opened(at: noon.advanced(by: 120))
            #expect(try later.undo.undo().command == command)
        }
        #expect(try place.home.opened().groups.list().count == 2)
    }

    @Test("an undo and a removal wait for a refresh that is under way", arguments: ["remove", "undo"])
    func locked(way: String) throws {
        let ada = try Account.contoso("ada")
        try run("add") { try $0.store(.refresh(ada), "rt", for: ada, in: [.default]) }
        let number = GrantKey(.refresh(ada)).lockNumber(vault: owner.vaultID)
        func attempt() -> KeyringError.Code? {
            failure(of: KeyringError.self) {
                if way == "undo" {
                    _ = try owner.undo.undo()
                } else {
                    _ = try owner.accounts.remove(ada.id, from: .default)
                }
            }?.code
        }
        if let lock = try GrantLock.attempt(owner.database.directory.refreshLock, grant: number) {
            #expect(attempt() == .busy)
            _ = consume lock
        } else {
            Issue.record("nobody has the lock")
        }
        #expect(try refreshToken(of: ada) == "rt")
        #expect(attempt() == nil)
        #expect(try place.home.opened().accounts.list().isEmpty)
    }

    @Test("what is undone and done again is the newest that can be undone, and each has what the other took")
    func again() throws {
        let (ada, bob) = (try Account.contoso("ada"), try Account.contoso("bob"))
        try run("add") { try $0.store(.access(bob), "b", for: bob, in: [.default]) }
        try run("add") { try $0.store(.access(ada), "a", for: ada, in: [.default]) }
        try run("account label") { try $0.accounts.setLabel("x", of: ada.id, in: .default) }
        func labels() throws -> [String?] { try place.home.opened().accounts.list().map(\.account.label) }
        func undo(_ id: String? = nil) throws -> UndoEntry {
            try place.home.opened(at: noon.advanced(by: 120)).undo.undo(id)
        }
        var undone = try undo()
        for _ in 0..<2 {
            #expect(try labels() == [nil, nil])
            undone = try undo(undone.undoneBy)
            #expect(try labels() == [nil, "x"] && undone.command == "undo of account label")
            // What was done again is a later change of what the first command added.
            let first = try #require(try place.home.opened().undo.list().first { $0.command == "add" })
            #expect(first.items.first { $0.kind == .account }?.outcome == .changedSince, "\(first)")
            undone = try undo()
            #expect(undone.command == "redo of account label", "\(undone)")
        }
        // The same of what was only added.
        undone = try undo()
        #expect(try undone.command == "add" && labels() == [nil])
        _ = try undo(undone.undoneBy)
        #expect(try labels() == [nil, nil])
        #expect(try undo().command == "redo of add")
        #expect(try labels() == [nil])
        #expect(try undo().command == "add")
        #expect(try labels().isEmpty && owner.health.verify().problems == [])
    }

    @Test("a journal that is full is looked after however many records come at once, and says what goes")
    func full() throws {
        let ada = try Account.contoso("ada")
        func replace(_ clients: [String], _ token: String) throws {
            try owner.withState { state in
                let group = try state.group(.default)
                try owner.change(&state, group, as: "add") { writer in
                    for client in clients {
                        _ = try writer.save(.access(ada, client: client), secret: secret(token), from: .owner)
                    }
                }
            }
        }
        let (token, large) = (String(repeating: "x", count: 15 << 10), (0..<7).map { "c\($0)" })
        for text in ["x", "y"] { try replace(large, String(repeating: text, count: 1 << 20)) }
        try replace(["a", "b"], token)
        // An odd number, which two at once never bring to a multiple of 16.
        var displaced = false
        for round in 0..<60 {
            try replace(["a", "b"], token + "\(round)")
            displaced = displaced || owner.takeWarnings().contains { $0.code == .undoLimit }
        }
        let size = try owner.withState { state in
            try owner.database.journal(in: state.group(.default).keys).items
                .reduce(0) { $0 + ($1.value.former?.secretCount ?? 0) }
        }
        #expect(size < GroupWriter.journalLimit + 16 * (32 << 10) && displaced, "\(size)")
    }

    @Test("what is too much to be kept is told", .timeLimit(.minutes(1)))
    func tooMuch() throws {
        let ada = try Account.contoso("ada")
        let token = String(repeating: "x", count: 1 << 20)
        let owner = try place.home.opened(at: noon.advanced(by: 60))
        func replace(_ token: String) throws {
            try owner.withState { state in
                let group = try state.group(.default)
                try owner.change(&state, group, as: "add") { writer in
                    for number in 0..<9 {
                        let credential = Credential.access(ada, client: "c\(number)")
                        _ = try writer.save(credential, secret: secret(token), from: .owner)
                    }
                }
            }
        }
        try replace(token)
        try replace("short")
        #expect(owner.takeWarnings().contains { $0.code == .undoLimit && $0.message.contains("8 MiB") })
        let undone = try place.home.opened().undo.undo()
        #expect(undone.items.map(\.outcome) == [.tooMuch] && !undone.changesSomething)
    }

    @Test("no bundle carries a name that stands in a journal for what was done, nor is one taken from it")
    func reserved() throws {
        let (keys, name) = (BundleKeys(), "undo made 00112233445566778899aabbccddeeff")
        try place.write(name, "")
        #expect(try !keys.opened(owner.bundle(for: keys.seal)).contains("undo made"))
        let record = ItemRecord(
            group: .default, content: .setting(name: name, value: ""),
            version: ItemVersion(stamp: Stamp(value: 1), device: 1), isOwners: true)
        var theirs = record
        theirs.isOwners = false
        let crafted = try place.home.folder.bundle(
            try keys.crafted([.init(record: theirs)], vault: bytes(owner.vaultID)))
        _ = try owner.bundles.import(crafted, with: keys.opener, taking: .all)
        // Not even one that comes in otherwise gets the owner's mark.
        try owner.withState { state in
            let group = try state.group(.default)
            #expect(try owner.database.setting(name, in: group.keys) == nil)
            try owner.change(&state, group) { try $0.put(record, secret: .none, replacing: []) }
            #expect(try owner.database.setting(name, in: group.keys)?.writer == .group)
        }
    }
}
