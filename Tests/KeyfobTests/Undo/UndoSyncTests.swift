import KeyfobModel
import KeyfobTestSupport
import Testing

@testable import Keyfob
@testable import KeyfobRecords

/// What a sync leaves in the journals of the machines that hear of a change.
@Suite("Undoing on machines that synchronise", .waitsForPrograms)
struct UndoSyncTests {
    private func store(_ machine: SyncMachine, _ account: Account, _ tokens: [String], in group: AccessGroup) throws {
        for token in tokens {
            machine.clock.advance(by: 1)
            try machine.keyring.withState { state in
                let group = try state.group(group)
                try machine.keyring.change(&state, group, as: "login") { writer in
                    _ = try writer.save(account, from: .signIn)
                    _ = try writer.save(.refresh(account), secret: secret(token), from: .signIn)
                }
            }
        }
    }

    @Test(
        "what another machine moves, removes or signs out is in no journal here",
        arguments: ["move", "remove", "sign-out"])
    func ended(way: String) throws {
        let (team, crew, ada) = (try AccessGroup("team"), try AccessGroup("crew"), try Account.google("ada"))
        let home = try SyncHome("one", "two")
        let (one, two) = (try home["one"], try home["two"])
        for group in [team, crew] { try one.keyring.groups.create(group) }
        try store(one, ada, ["of one"], in: team)
        try home.settle()
        try store(two, ada, ["first", "second"], in: team)
        try home.settle()
        #expect(try two.keyring.keptTokens().contains("first"))
        home.clock.advance(by: 1)
        switch way {
        case "move": _ = try one.keyring.accounts.move(ada.id, from: team, to: crew)
        case "remove": _ = try one.keyring.accounts.remove(ada.id, from: team)
        default:
            try one.change(in: team) { try $0.signOut("mailer", of: ada.id, leavesMark: true) { _, _ in } }
        }
        try home.settle()
        #expect(try two.keyring.keptTokens().isEmpty, "\(way)")
        if way == "move" { #expect(try two.accounts(in: crew).map(\.id) == [ada.id]) }
        for entry in try two.keyring.undo.list() { _ = try two.keyring.undo.undo(entry.fullID, overriding: true) }
        #expect(try !KeyringContent(two.keyring).description.contains("first"))
    }

    @Test("the undo of a group that others may use takes it from nobody, whatever is forced")
    func group() throws {
        let (work, ada) = (try AccessGroup("work"), try Account.google("ada"))
        let home = try SyncHome("one", "two")
        let (one, two) = (try home["one"], try home["two"])
        try one.keyring.groups.create(work)
        // Nobody has heard of it yet.
        let early = try one.keyring.undo.list().first { $0.command == "group create" }
        #expect(early?.items.map(\.outcome) == [.goes])
        try home.settle()
        try two.signIn(ada, token: "of two", in: work)
        try home.settle(["two"])
        let entry = try #require(try one.keyring.undo.list().first { $0.command == "group create" })
        #expect(entry.items.map(\.outcome) == [.inSync])
        for isForced in [false, true] {
            let undone = try one.keyring.undo.undo(entry.fullID, overriding: isForced)
            #expect(undone.items.map(\.outcome) == [.inSync] && !undone.changesSomething)
        }
        try home.settle()
        for machine in home.machines { #expect(try machine.accounts(in: work).map(\.id) == [ada.id]) }
    }

    @Test("what another machine has changed of what a command added here stays")
    func changedElsewhere() throws {
        let ada = try Account.google("ada")
        let home = try SyncHome("one", "two")
        let (one, two) = (try home["one"], try home["two"])
        try store(one, ada, ["of one"], in: .default)
        try home.settle()
        home.clock.advance(by: 1)
        try two.keyring.accounts.setLabel("mine", of: ada.id, in: .default)
        try home.settle()
        let undone = try one.keyring.undo.undo()
        #expect(undone.items.first { $0.kind == .account }?.outcome == .changedSince, "\(undone)")
        try home.settle()
        for machine in home.machines { #expect(try machine.accounts().map(\.label) == ["mine"]) }
    }
}
