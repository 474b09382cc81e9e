import Keyfob
import Testing

@testable import KeyfobAgent

/// A program that is refused again and again fills no log.
@Suite("Refusals that are counted")
struct RefusalCountTests {
    let home: DeskHome
    let desk: AgentDesk
    let mailer: AgentCaller

    init() throws {
        home = try DeskHome()
        desk = home.desk()
        mailer = try home.caller()
    }

    private func refuse(_ caller: AgentCaller, _ count: Int) async {
        for _ in 0..<count { #expect(await home.token(desk, caller, of: home.ada).error?.code == .notPermitted) }
    }

    @Test("the first ones have a line each, the others are counted, and none is lost")
    func counted() async throws {
        let other = try home.caller("executable:/usr/bin/other")
        await refuse(mailer, 1_000)
        await refuse(other, 1)
        #expect(home.trail.entries.count == Int(RefusalCount.row) + 1)
        #expect(home.trail.entries.allSatisfy { $0.repeats == 0 })
        home.advance(by: RefusalCount.pause)
        await refuse(mailer, 3)
        #expect(home.trail.entries.count == Int(RefusalCount.row) + 2)
        #expect(home.trail.entries.last?.repeats == 1_000 - Int(RefusalCount.row))
        _ = desk.lock()
        #expect(home.trail.entries.last?.repeats == 1)
        #expect(home.trail.entries.reduce(0) { $0 + 1 + $1.repeats } == 1_004)
        desk.writePending()
        #expect(home.trail.entries.count == Int(RefusalCount.row) + 3)
    }

    @Test("what a program gets has a line each, however often")
    func given() async throws {
        try home.keyring.programs.permit(ProgramPermission(of: mailer.program, in: .default))
        for _ in 0..<30 { #expect(await home.token(desk, mailer, of: home.ada).text != nil) }
        #expect(home.trail.entries.count == 30)
    }

    @Test("a clock that is set back keeps nobody out of the log for long")
    func clock() async throws {
        await refuse(mailer, Int(RefusalCount.row))
        home.advance(by: -86_400)
        await refuse(mailer, 1)
        home.advance(by: RefusalCount.pause)
        await refuse(mailer, 1)
        #expect(home.trail.entries.last?.repeats == 1)
    }

    @Test("more programs than are counted lose nothing")
    func capacity() throws {
        var count = RefusalCount()
        var written = 0
        for number in 0..<1_200 {
            var draft = AuditDraft(.token, try home.caller("executable:/p/\(number)"))
            draft.answer = "notPermitted"
            let now = DeskHome.noon.advanced(by: Int64(number))
            for _ in 0..<15 { written += count.take(draft, now: now).reduce(0) { $0 + 1 + $1.repeats } }
        }
        written += count.takePending().reduce(0) { $0 + 1 + $1.repeats }
        #expect(written == 1_200 * 15)
    }
}
