@testable import Keyfob
import KeyfobModel
import KeyfobRecords
import KeyfobTestSupport
import KeyfobVault
import Synchronization
import Testing

/// What one run of a command is, and which is the newest.
@Suite("Undoing a run of a command")
struct UndoRunTests {
    private let place: AuthorityHome
    private let ada: Account

    init() throws {
        place = try AuthorityHome()
        ada = try Account.contoso("ada")
    }

    private func run(_ command: String, after seconds: Int64, _ body: (Keyring) throws -> Void) throws {
        let keyring = try place.home.opened(at: noon.advanced(by: seconds))
        keyring.undo.begin(command)
        try body(keyring)
    }

    private func content() throws -> String { try KeyringContent(place.home.opened()).withoutFormer }

    /// What a run does, change by change.
    enum Way: String, CaseIterable {
        case labels, labelsAndBack, bindings, unboundAndBound, boundAndUnbound, defaults, tokens, removedAndAdded
        case addedAndRemoved, addedAndChanged

        func run(_ keyring: Keyring, _ ada: Account) throws {
            switch self {
            case .labels:
                for label in ["x", "y", "z"] { try keyring.accounts.setLabel(label, of: ada.id, in: .default) }
            case .labelsAndBack:
                for label in ["x", nil] { try keyring.accounts.setLabel(label, of: ada.id, in: .default) }
                try keyring.accounts.setDefault(nil, in: .default)
            case .bindings:
                try keyring.bindings.set(.tool("gh"), to: .nobody, in: .default)
                try keyring.bindings.set(.tool("gh"), to: .account(ada.id), in: .default)
            case .unboundAndBound:
                _ = try keyring.bindings.remove(.tool("az"), in: [.default])
                try keyring.bindings.set(.tool("az"), to: .account(ada.id), in: .default)
            case .boundAndUnbound:
                try keyring.bindings.set(.tool("az"), to: .account(ada.id), in: .default)
                _ = try keyring.bindings.remove(.tool("az"), in: [.default])
            case .defaults:
                try keyring.accounts.setDefault(nil, in: .default)
                try keyring.accounts.setDefault(ada.id, in: .default)
                try keyring.accounts.setDefault(nil, in: .default)
            case .tokens: for text in ["b", "c", "d"] { try keyring.store(.access(ada), text, for: ada) }
            case .removedAndAdded:
                _ = try keyring.accounts.remove(ada.id, from: .default, undo: .keep(keyring.running()))
                try keyring.store(.access(ada), "anew", for: ada)
            case .addedAndRemoved:
                let bob = try Account.contoso("bob")
                try keyring.store(.access(bob), "b", for: bob)
                _ = try keyring.accounts.remove(bob.id, from: .default, undo: .keep(keyring.running()))
                try keyring.accounts.setLabel("x", of: ada.id, in: .default)
            case .addedAndChanged:
                let bob = try Account.contoso("bob")
                for text in ["b", "c"] { try keyring.store(.access(bob), text, for: bob) }
                try keyring.accounts.setLabel("x", of: bob.id, in: .default)
            }
        }
    }

    @Test(
        "brings what was before its first change, however often it changed it, and the undo what was after its last",
        arguments: Way.allCases)
    func several(way: Way) throws {
        try run("before", after: 10) { keyring in
            try keyring.store(.access(ada), "a", for: ada)
            try keyring.accounts.setLabel("old", of: ada.id, in: .default)
            try keyring.accounts.setDefault(ada.id, in: .default)
            try keyring.bindings.set(.tool("az"), to: .nobody, in: .default)
        }
        let before = try content()
        try run("several", after: 60) { try way.run($0, ada) }
        let after = try content()
        var undone = try place.home.opened(at: noon.advanced(by: 70)).undo.undo()
        #expect(undone.command == "several")
        #expect(try content() == before, "\(undone)")
        for (number, expected) in [after, before].enumerated() {
            guard let next = undone.undoneBy else { break }
            undone = try place.home.opened(at: noon.advanced(by: 80 + Int64(number))).undo.undo(next)
            #expect(try content() == expected, "\(undone)")
        }
        #expect(try place.owner.health.verify().problems == [])
    }

    @Test("the newest is what was written last, whenever its command began")
    func newest() throws {
        let slow = try place.home.opened(at: noon.advanced(by: 60))
        slow.undo.begin("login")
        let clock = MovingClock()
        clock.advance(by: 30)
        let late = try place.home.opened(clock: clock.clock)
        late.undo.begin("login")
        try run("add", after: 60) { try $0.store(.access(ada), "a", for: ada) }
        clock.advance(by: 60)
        try late.bindings.set(.tool("gh"), to: .nobody, in: .default)
        let listed = try place.home.opened(at: noon.advanced(by: 200)).undo.list().filter { !$0.isLasting }
        #expect(
            listed.map(\.command) == ["login", "add", "group create"] && listed[0].time < listed[1].time, "\(listed)")
        #expect(try place.home.opened(at: noon.advanced(by: 200)).undo.undo().command == "login")
    }

    @Test(
        "what a person has changed stays, though nothing is kept of that any more",
        arguments: ["label", "token", "default"])
    func changedAndForgotten(what: String) throws {
        let bob = try Account.contoso("bob")
        try run("add", after: 10) { keyring in
            try keyring.store(.access(ada), "a", for: ada)
            try keyring.accounts.setDefault(ada.id, in: .default)
        }
        try run("change", after: 20) { keyring in
            switch what {
            case "label": try keyring.accounts.setLabel("mine", of: ada.id, in: .default)
            case "token": try keyring.store(.access(ada), "mine", for: ada)
            default: try keyring.accounts.setDefault(bob.id, in: .default)
            }
        }
        // With the making of the group.
        #expect(try place.owner.undo.clear() == 2)
        let undone = try place.home.opened().undo.undo()
        #expect(undone.command == "add" && undone.items.contains { $0.outcome == .changedSince }, "\(undone)")
        let left = try content()
        #expect(left.contains(what == "default" ? bob.id.canonical : "mine"), "\(left)")
        #expect(left.contains("account(") == (what != "default"), "\(left)")
    }

    @Test("an undo that replaces and removes more than is kept names no undo of it", .timeLimit(.minutes(1)))
    func large() throws {
        let token = String(repeating: "x", count: 1 << 20)
        try run("add", after: 10) { keyring in
            try keyring.withState { state in
                let group = try state.group(.default)
                try keyring.change(&state, group, as: "add") { writer in
                    _ = try writer.save(ada, from: .owner)
                    for number in 0..<9 {
                        let credential = Credential.access(ada, client: "c\(number)")
                        _ = try writer.save(credential, secret: secret(token), from: .owner)
                    }
                }
            }
        }
        let keyring = try place.home.opened(at: noon.advanced(by: 60))
        let undone = try keyring.undo.undo()
        #expect(undone.changesSomething && undone.undoneBy == nil)
        #expect(keyring.takeWarnings().contains { $0.code == .undoLimit })
        #expect(try place.home.opened().accounts.list().isEmpty)
    }

    @Test("a label comes back to an account that is there again without one, and is told")
    func label() throws {
        try run("add", after: 10) { keyring in
            try keyring.store(.access(ada), "a", for: ada)
            try keyring.accounts.setLabel("mine", of: ada.id, in: .default)
        }
        try run("remove", after: 20) { keyring in
            _ = try keyring.accounts.remove(ada.id, from: .default, undo: .keep(keyring.running()))
        }
        let removed = try #require(try place.home.opened().undo.list().first { $0.command == "remove" })
        try run("again", after: 30) { keyring in
            let other = Account(id: ada.id, username: "lovelace@contoso.example")
            try keyring.store(.access(other), "newer", for: other)
        }
        let undone = try place.home.opened().undo.undo(removed.id)
        #expect(undone.changesSomething && undone.items.contains { $0.kind == .label && $0.outcome == .returns })
        #expect(try place.home.opened().accounts.list().map(\.account.label) == ["mine"])
    }

    @Test("forgetting what only added something is no mistake, and it can be taken away still")
    func forgetAddition() throws {
        try run("add", after: 10) { try $0.store(.access(ada), "a", for: ada) }
        let entry = try #require(try place.home.opened().undo.list().first)
        #expect(try place.owner.undo.clear(entry.id) == 0)
        _ = try place.home.opened().undo.undo(entry.id)
        #expect(try place.home.opened().accounts.list().isEmpty)
    }

    @Test("looking costs as much as there are entries, and not that much for each", .timeLimit(.minutes(2)))
    func cost() throws {
        func fill(_ numbers: Range<Int>) throws {
            try place.owner.withState { state in
                let group = try state.group(.default)
                try place.owner.change(&state, group) { writer in
                    for number in numbers {
                        let account = try Account.contoso("user\(number)")
                        _ = try writer.save(account, from: .owner)
                        writer.beginJournal()
                        try writer.update(account.id) { $0.label = "label \(number)" }
                        let entry = JournalEntry(id: .random(), command: "label", time: noon)
                        _ = try writer.endJournal(entry, keepingEverything: true)
                    }
                }
            }
        }
        func seconds() throws -> Double {
            var best = Double.infinity
            for _ in 0..<2 {
                let keyring = try place.home.opened()
                let time = try ContinuousClock().measure {
                    _ = try keyring.undo.list()
                    let error = KeyringError(.signInNeeded, "x", candidates: [ada.id.canonical])
                    for _ in 0..<5 { _ = keyring.undo.advising(error) }
                }
                best = min(best, Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18)
            }
            return best
        }
        try fill(0..<100)
        let some = try seconds()
        try fill(100..<800)
        #expect(try place.home.opened().undo.list().filter { !$0.isLasting }.count == 801)
        let many = try seconds()
        #expect(many < some * 8 * 2.5, "\(some) s for 100, \(many) s for 800")
    }
}

extension Keyring {
    /// The run of a command that this process was started for.
    fileprivate func running() -> UndoableCommand { running.withLock(\.self) ?? undo.command("x") }
}
