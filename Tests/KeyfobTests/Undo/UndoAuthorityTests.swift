@testable import Keyfob
import KeyfobModel
import KeyfobRecords
import KeyfobSQLiteTestSupport
import KeyfobTestSupport
import Testing

/// Who may write what into the journal of a group, and what it decides.
@Suite("The undo journal and who holds one group's key")
struct UndoAuthorityTests {
    private let place: AuthorityHome

    init() throws { place = try AuthorityHome() }

    private func remove(_ account: Account, by keyring: Keyring, in group: AccessGroup) throws -> UndoOffer {
        let policy = UndoPolicy.keep(keyring.undo.command("account remove"))
        return try #require(try keyring.accounts.remove(account.id, from: group, undo: policy).undo)
    }

    private func rekey(_ keyring: Keyring) throws {
        var rekeying = try keyring.slots.beginRekey()
        try rekeying.keep(keyFile: keyFile(1))
        _ = try rekeying.commit(handingOver: { _ in })
    }

    @Test("a key of one group sees, undoes and forgets what is kept in that group, and nothing of another")
    func oneGroup() throws {
        let ada = try place.add("ada", "the owner's", by: place.owner)
        let tool = try place.add("tool", "the tool's", by: place.owner, in: [place.tools])
        let (own, theirs) = (
            try remove(ada, by: place.owner, in: .default), try remove(tool, by: place.owner, in: place.tools)
        )
        #expect(try place.adversary.undo.taken().map(\.id) == [theirs.id])
        #expect(place.refusal { _ = try place.adversary.undo.undo(own.id) }?.code == .noSuchEntry)
        #expect(place.refusal { _ = try place.adversary.undo.taken(in: [.default]) }?.code == .groupNotGranted)
        _ = try place.adversary.undo.undoTaken()
        #expect(try place.adversary.tokenText(TokenRequest(account: tool.id.description)) == "the tool's")
        #expect(try place.adversary.undo.taken().isEmpty)
        #expect(try place.owner.undo.taken().map(\.id) == [own.id])
        _ = try place.owner.undo.undoTaken()
        #expect(try place.owner.tokenText(TokenRequest(account: "ada"), in: [.default]) == "the owner's")
    }

    @Test("an entry from the future is none: it takes the place of nobody's")
    func future() throws {
        let ada = try place.add("ada", "the owner's", by: place.owner)
        let tool = try place.add("tool", "planted", by: place.adversary, in: [place.tools])
        let own = try remove(ada, by: place.owner, in: .default)
        let later = try place.home.opened(keyFile: 2, at: noon.advanced(by: 400 * 86_400))
        _ = try remove(tool, by: later, in: place.tools)
        #expect(try place.owner.undo.taken().map(\.id) == [own.id])
        #expect(try place.owner.undo.undoTaken().accountNames == ["ada@contoso.example"])
    }

    @Test(
        "an entry that says it is yet to come is not the newest, and makes room before all others",
        arguments: [600, 80_000])
    func ahead(seconds: Int64) throws {
        let ada = try place.add("ada", "the owner's", by: place.owner)
        let own = try remove(ada, by: place.owner, in: .default)
        let later = try place.home.opened(keyFile: 2, at: noon.advanced(by: seconds))
        try later.bindings.set(.tool("az"), to: .nobody, in: place.tools)
        // The owner's own in that group comes first too.
        try place.home.opened(at: noon.advanced(by: 60)).bindings.set(.tool("gh"), to: .nobody, in: place.tools)
        let listed = try place.owner.undo.list()
        #expect(listed.last?.time == noon.advanced(by: seconds) && listed.last?.command == "bind", "\(listed)")
        #expect(listed.contains { $0.id == own.id })
        #expect(try place.owner.undo.undo().command == "bind")
        #expect(try place.owner.bindings.list().map(\.subject.text) == ["az"])
        _ = try place.owner.undo.undo(own.id)
        #expect(try place.owner.tokenText(TokenRequest(account: "ada"), in: [.default]) == "the owner's")
        // Whoever means it names it.
        _ = try place.owner.undo.undo(listed.last?.id)
        #expect(try place.owner.bindings.list().isEmpty)
    }

    @Test("what a program may do does not come back with an account once the program was forgotten")
    func forgotten() throws {
        let ada = try place.add("ada", "t", by: place.owner)
        let program = try #require(Program(.executable, "/usr/bin/git"))
        try place.owner.programs.permit(ProgramPermission(of: program, account: ada.id, in: .default))
        _ = try remove(ada, by: place.owner, in: .default)
        #expect(place.refusal { _ = try place.owner.programs.forgetPermissions(of: [program]) }?.code == .noSuchBinding)
        _ = try place.owner.undo.undoTaken()
        #expect(try place.owner.tokenText(TokenRequest(account: ada.id.description), in: [.default]) == "t")
        #expect(try place.owner.programs.permissions().isEmpty)
    }

    @Test("a decision comes back as whose it was, also under new keys", arguments: ["as it is", "rotate", "rekey"])
    func decisions(keys: String) throws {
        let eve = try place.add("eve", "t", by: place.owner, in: [place.tools])
        try place.owner.bindings.set(.tool("gh"), to: .account(eve.id), in: place.tools)
        try place.adversary.bindings.set(.tool("az"), to: .account(eve.id), in: place.tools)
        _ = try remove(eve, by: place.owner, in: place.tools)
        switch keys {
        case "rotate": _ = try place.owner.groups.rotate(place.tools)
        case "rekey": try rekey(place.owner)
        default: break
        }
        _ = try place.home.opened().undo.undoTaken()
        let writers = try place.owner.bindings.list().map { "\($0.subject.text) \($0.writer)" }
        #expect(Set(writers) == ["gh owner", "az group"])
        #expect(try place.owner.health.verify().problems == [])
        #expect(try place.owner.tokenText(TokenRequest(account: "eve"), in: [place.tools]) == "t")
    }

    @Test("what somebody decided with a group's key and removed does not come back once they are revoked")
    func revoked() throws {
        let eve = try place.add("eve", "t", by: place.adversary)
        try place.adversary.bindings.set(.tool("az"), to: .account(eve.id), in: place.tools)
        try place.owner.bindings.set(.tool("gh"), to: .account(eve.id), in: place.tools)
        _ = try remove(eve, by: place.adversary, in: place.tools)
        let slot = try #require(try place.owner.slots.list().first { $0.group == place.tools }).id
        _ = try place.owner.slots.revoke(slot, of: place.tools)
        _ = try place.owner.undo.undoTaken()
        #expect(try place.owner.bindings.list().map { "\($0.subject.text) \($0.writer)" } == ["gh owner"])
        #expect(try place.owner.groups.foreignDecisions().isEmpty)
    }

    @Test("a record of one group's journal that is put into another group does not open there")
    func moved() throws {
        let tool = try place.add("tool", "t", by: place.owner, in: [place.tools])
        _ = try remove(tool, by: place.adversary, in: place.tools)
        let database = try place.home.database()
        let target =
            "(SELECT group_id FROM record_counts WHERE group_id NOT IN (SELECT group_id FROM records WHERE kind = 10))"
        try database.runUnnoticed("UPDATE records SET group_id = \(target) WHERE kind = 10")
        let opened = try place.home.opened()
        #expect(place.refusal { _ = try opened.undo.taken(in: [.default]) } != nil)
        #expect(try !opened.health.verify().problems.isEmpty)
        #expect(try opened.accounts.list(in: [.default]).isEmpty)
    }
}
