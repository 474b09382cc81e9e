import Keyfob
import Testing

@testable import KeyfobAgent

/// A program that asks without end does not push out what others did.
@Suite("A program's share of the log")
struct AuditShareTests {
    let home: DeskHome
    let desk: AgentDesk
    let mailer: AgentCaller

    init() throws {
        home = try DeskHome()
        desk = home.desk()
        mailer = try home.caller()
    }

    @Test("what is given without end is counted, by account, and none is lost")
    func given() async throws {
        try home.keyring.programs.permit(ProgramPermission(of: mailer.program, in: .default))
        for _ in 0..<1_000 { #expect(await home.token(desk, mailer, of: home.ada).text != nil) }
        #expect(home.trail.entries.count == Int(AuditShare.row))
        home.advance(by: AuditShare.pause)
        #expect(await home.token(desk, mailer, of: home.ada).text != nil)
        #expect(home.trail.entries.last?.repeats == 1_000 - Int(AuditShare.row))
        for _ in 0..<7 { #expect(await home.token(desk, mailer, of: home.ada).text != nil) }
        _ = desk.lock()
        #expect(home.trail.entries.last?.repeats == 6)
        #expect(home.trail.entries.reduce(0) { $0 + 1 + $1.repeats } == 1_008)
    }

    @Test("strangers, however many, have one share, and a program that may ask has its own beside it")
    func strangers() throws {
        var share = AuditShare()
        var written: [AuditDraft] = []
        for number in 0..<5_000 {
            var draft = AuditDraft(.token, try home.caller("script:/p/\(number)"))
            (draft.answer, draft.isOfStranger) = ("notPermitted", true)
            for _ in 0..<3 { written += share.take(draft, now: DeskHome.noon) }
        }
        #expect(written.count == Int(AuditShare.row))
        var allowed = AuditDraft(.token, mailer)
        allowed.answer = "stored"
        #expect(share.take(allowed, now: DeskHome.noon).count == 1)
        written += share.takePending()
        #expect(written.count <= 2 * Int(AuditShare.row) && written.reduce(0) { $0 + 1 + $1.repeats } == 15_000)
    }

    @Test("another account in the crowd has a count of its own")
    func accounts() throws {
        var share = AuditShare()
        func ask(_ account: AccountID, _ times: Int) -> [AuditDraft] {
            (0..<times).flatMap { _ in
                var draft = AuditDraft(.token, mailer)
                (draft.answer, draft.account) = ("stored", account)
                return share.take(draft, now: DeskHome.noon)
            }
        }
        _ = ask(home.ada.id, 500)
        #expect(ask(home.bob.id, 1).isEmpty)
        _ = ask(home.ada.id, 500)
        let pending = share.takePending()
        #expect(Set(pending.map(\.repeats)) == [0, 1_000 - Int(AuditShare.row) - 1])
    }

    @Test("what cannot be written down is given to nobody, however often it was asked for")
    func unwritable() throws {
        var share = AuditShare()
        var draft = AuditDraft(.token, mailer)
        draft.answer = "stored"
        for _ in 0..<(3 * AuditShare.row) {
            let due = share.take(draft, now: DeskHome.noon)
            #expect(due.count == 1)
            share.giveBack(draft)
        }
    }
}
