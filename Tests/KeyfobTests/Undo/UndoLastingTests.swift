@testable import Keyfob
import KeyfobFiles
import KeyfobModel
import KeyfobRecords
import KeyfobSQLiteTestSupport
import KeyfobTestSupport
import Testing

/// What an undo does where the last change is one that it cannot take back.
@Suite("Undo and what lasts")
struct UndoLastingTests {
    private let home: KeyringHome
    private let clock = MovingClock()
    private let keyring: Keyring

    init() throws {
        home = try KeyringHome()
        keyring = try home.opened(clock: clock.clock)
    }

    private func add(_ name: String, in group: AccessGroup = .default) throws -> Account {
        clock.advance(by: 1)
        let account = try Account.contoso(name)
        try keyring.store(.access(account), "of \(name)", for: account, in: [group])
        return account
    }

    private func note(_ kind: LastingChange.Kind, isOutside: Bool) {
        clock.advance(by: 1)
        if isOutside {
            keyring.undo.noteOutside(kind, "it", as: "some command")
        } else {
            keyring.undo.note(kind, "it", as: "some command")
        }
    }

    private func refusal(_ keyring: Keyring, _ id: String? = nil, overriding: Bool = false) -> KeyringError? {
        failure(of: KeyringError.self) { _ = try keyring.undo.undo(id, overriding: overriding) }
    }

    @Test(
        "an undo refuses with what was done, takes nothing older, and names the id that does",
        arguments: LastingChange.Kind.allCases, [false, true])
    func stops(kind: LastingChange.Kind, isOutside: Bool) throws {
        _ = try add("ada")
        _ = try add("bob")
        let older = try #require(try keyring.undo.list().first)
        note(kind, isOutside: isOutside)
        let content = try KeyringContent(keyring)
        for overriding in [false, true] {
            let error = try #require(refusal(keyring, overriding: overriding))
            #expect(error.code == .notUndoable, "\(error)")
            #expect(
                error.message.hasPrefix("'some command' at ") && error.message.hasSuffix(", which cannot be undone"))
            guard case .insteadOfUndo(let change, let command?, let id?)? = error.advice else {
                Issue.record("\(error)")
                return
            }
            #expect((command, id) == (older.command, older.id))
            #expect(change.kind == kind)
        }
        #expect(try KeyringContent(keyring) == content)
        let listed = try keyring.undo.list()
        #expect(listed[0].isLasting && listed[0].lasting.map(\.kind) == [kind] && !listed[0].changesSomething)
        #expect(try keyring.undo.lasting().map(\.id) == [listed[0].id])
        #expect(refusal(keyring, listed[0].id)?.code == .notUndoable)
        // Another process knows of it, and whoever names a group does too.
        #expect(refusal(try home.opened(clock: clock.clock))?.code == .notUndoable)
        clock.advance(by: 1)
        let undone = try keyring.undo.undo(older.id)
        #expect(undone.accountNames == ["bob@contoso.example"] && undone.changesSomething)
        #expect(refusal(keyring)?.code == .notUndoable)
        // What comes later is undone.
        _ = try add("cleo")
        #expect(try keyring.undo.undo().accountNames == ["cleo@contoso.example"])
        #expect(refusal(keyring)?.code == .notUndoable)
    }

    @Test("whatever group is named, what lasts is in the way")
    func groups() throws {
        let work = try AccessGroup("work")
        try keyring.groups.create(work)
        _ = try add("ada", in: work)
        note(.slotAdded, isOutside: false)
        #expect(failure(of: KeyringError.self) { _ = try keyring.undo.undo(in: [work]) }?.code == .notUndoable)
    }

    @Test("a group in which nothing but that is noted can be taken away")
    func groupMade() throws {
        let work = try AccessGroup("work")
        try keyring.groups.create(work)
        let made = try #require(try keyring.undo.list().first)
        clock.advance(by: 1)
        keyring.undo.note(.groupRotated, "work", as: "group rotate", in: work)
        #expect(try keyring.undo.undo(made.id).changesSomething)
        #expect(try keyring.groups.list().map(\.name) == [.default])
    }

    @Test("it is forgotten after 30 days, and with everything else, which lasts itself", arguments: [false, true])
    func ends(isOutside: Bool) throws {
        _ = try add("ada")
        note(.rekeyed, isOutside: isOutside)
        #expect(try keyring.undo.clear() == 0)
        let error = try #require(refusal(keyring))
        guard case .insteadOfUndo(let change, _, _)? = error.advice else { Issue.record("\(error)"); return }
        #expect(change.kind == .undoCleared)
        clock.advance(by: 31 * 86_400)
        #expect(refusal(keyring)?.code == .noSuchEntry)
        _ = try add("bob")
        #expect(try keyring.undo.undo().changesSomething)
    }

    @Test("what a clock says is yet to come is in nobody's way")
    func ahead() throws {
        _ = try add("ada")
        clock.advance(by: 3_600)
        note(.exported, isOutside: true)
        clock.advance(by: -3_600)
        #expect(try keyring.undo.undo().accountNames == ["ada@contoso.example"])
    }

    @Test("another vault's is in nobody's way, and what is about no vault in everybody's")
    func vaults() throws {
        _ = try add("ada")
        var other = home.location
        other.vault += "/elsewhere"
        clock.advance(by: 1)
        let change = LastingChange(.vaultMade)
        #expect(Keyring.Undo.note(change, by: "init", at: other, isOfVault: true, clock: clock.clock))
        #expect(try keyring.undo.entry(nil).isLasting == false)
        clock.advance(by: 1)
        let tool = LastingChange(.toolSetUp, "git")
        #expect(Keyring.Undo.note(tool, by: "setup git", at: other, isOfVault: false, clock: clock.clock))
        #expect(try keyring.undo.entry(nil).lasting == [tool])
    }

    @Test("notes that were cut or changed at any place are passed over, and new ones are kept")
    func damage() throws {
        _ = try add("ada")
        note(.exported, isOutside: true)
        let path = home.location.state + "/done"
        let whole = try #require(try POSIXFile.read(path, limit: 1 << 16))
        for count in 0...whole.count {
            for bytes in [
                Array(whole.prefix(count)), whole.prefix(count) + [0xFF, 0x20, 0x0A] + whole.dropFirst(count),
            ] {
                try POSIXFile.replace(path, with: bytes)
                #expect(try keyring.undo.list().filter(\.isLasting).count <= 2, "\(count)")
            }
        }
        note(.exported, isOutside: true)
        #expect(try keyring.undo.entry(nil).lasting.map(\.kind) == [.exported])
    }

    @Test("where they cannot be read undo stops, and nothing is written over them")
    func unreadable() throws {
        _ = try add("ada")
        note(.exported, isOutside: true)
        let path = home.location.state + "/done"
        let long = Array(repeating: UInt8(ascii: "x"), count: 2 << 20)
        try POSIXFile.replace(path, with: long)
        note(.exported, isOutside: true)
        let error = try #require(refusal(keyring))
        #expect(error.message.contains(path) && error.message.contains("remove it"), "\(error)")
        #expect(try POSIXFile.read(path, limit: 4 << 20) == long)
        try POSIXFile.remove(path)
        #expect(try keyring.undo.undo().changesSomething)
    }

    @Test("many are kept of each vault, and the newest counts")
    func many() throws {
        note(.exported, isOutside: true)
        let other = KeyringLocation(vault: home.location.vault + "2", state: home.location.state)
        for _ in 0..<LastingNotes.limit + 5 {
            #expect(Keyring.Undo.note(LastingChange(.exported), by: "export", at: other, isOfVault: true))
        }
        #expect(try keyring.undo.entry(nil).lasting.map(\.kind) == [.exported])
        for _ in 0..<LastingNotes.limit + 5 { note(.exported, isOutside: true) }
        note(.exported, isOutside: true)
        let listed = try keyring.undo.list()
        #expect(listed.count == LastingNotes.limit && listed[0].lasting.map(\.kind) == [.exported])
    }
}

/// The same where somebody holds the key of one group alone.
@Suite("Undo and what lasts, by a key of one group")
struct UndoLastingAuthorityTests {
    @Test(
        "what a key of one group notes names nothing that the owner might remove",
        arguments: LastingChange.Kind.allCases)
    func forged(kind: LastingChange.Kind) throws {
        let place = try AuthorityHome()
        _ = try place.add("ada", "the owner's", by: place.owner)
        let later = try place.home.opened(keyFile: 2, at: noon.advanced(by: 60))
        later.undo.note(kind, "the owner's slot", as: "slot add")
        let owner = try place.home.opened(at: noon.advanced(by: 61))
        let error = try #require(place.refusal { _ = try owner.undo.undo() })
        #expect(error.code == .notUndoable && !error.message.contains("the owner's slot"), "\(error)")
        guard case .insteadOfUndo(let change, _, _)? = error.advice else { Issue.record("\(error)"); return }
        #expect(change == LastingChange(.other))
    }

    @Test(
        "notes outside the vault name no slot, group or machine, whoever wrote them",
        arguments: LastingChange.Kind.allCases)
    func outside(kind: LastingChange.Kind) throws {
        let home = try KeyringHome()
        home.keyring.undo.noteOutside(kind, "3fa9c1d2", as: "a program")
        let noted = try home.keyring.undo.entry(nil).lasting
        #expect(noted == [LastingChange(kind, kind.isInVault ? "" : "3fa9c1d2")])
    }
}
