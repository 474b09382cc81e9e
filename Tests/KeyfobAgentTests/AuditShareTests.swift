import Keyfob
import KeyfobTestSupport
import Testing

@testable import KeyfobAgent

/// A program that asks without end pushes nothing out of the log, whether or not it may have what it asks for.
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

    private var entries: [AuditEntry] { home.trail.entries }
    /// How many answers the lines stand for.
    private var count: Int { entries.reduce(0) { $0 + 1 + $1.repeats } }

    private func refuse(_ caller: AgentCaller, _ count: Int) async {
        for _ in 0..<count { #expect(await home.token(desk, caller, of: home.ada).error?.code == .notPermitted) }
    }

    private func give(_ caller: AgentCaller, _ account: Account, _ count: Int) async {
        for _ in 0..<count { #expect(await home.token(desk, caller, of: account).text != nil) }
    }

    private func permit() throws {
        try home.keyring.programs.permit(ProgramPermission(of: mailer.program, in: .default))
    }

    @Test("the first refusals have a line each, the others are counted, and none is lost")
    func refused() async throws {
        let other = try home.caller("executable:/usr/bin/other")
        await refuse(mailer, 1_000)
        await refuse(other, 1)
        #expect(entries.count == Int(AuditShare.row) + 1)
        #expect(entries.allSatisfy { $0.repeats == 0 })
        home.advance(by: AuditShare.pause)
        await refuse(mailer, 3)
        #expect(entries.count == Int(AuditShare.row) + 2)
        #expect(entries.last?.repeats == 1_000 - Int(AuditShare.row))
        _ = desk.lock()
        #expect(entries.last?.repeats == 1)
        #expect(count == 1_004)
        desk.writePending(all: true)
        #expect(entries.count == Int(AuditShare.row) + 3)
    }

    @Test("so is what is given: each account by itself, the first always at once")
    func given() async throws {
        try permit()
        await give(mailer, home.ada, 1_000)
        #expect(entries.count == Int(AuditShare.row))
        await give(mailer, home.bob, 1)
        #expect(entries.count == Int(AuditShare.row) + 1 && entries.last?.account == home.bob.id)
        await refuse(try home.caller("executable:/usr/bin/other"), 1)
        #expect(entries.last?.program.name == "/usr/bin/other")
        _ = desk.lock()
        #expect(count == 1_002)
        #expect(entries.filter { $0.repeats > 0 }.map(\.account) == [home.ada.id])
    }

    @Test("what cannot be written down is given to nobody, also where it would only be counted, and all is counted")
    func unwritable() async throws {
        try permit()
        home.trail.fill()
        for _ in 0..<(3 * AuditShare.row) { #expect(await home.token(desk, mailer, of: home.ada).text == nil) }
        home.trail.fill(false)
        await give(mailer, home.ada, 30)
        home.trail.fill()
        for _ in 0..<30 { #expect(await home.token(desk, mailer, of: home.ada).text == nil) }
        home.advance(by: AuditShare.pause)
        for _ in 0..<30 { #expect(await home.token(desk, mailer, of: home.ada).text == nil) }
        desk.writePending()
        home.trail.fill(false)
        _ = desk.lock()
        let given = entries.filter { $0.answer == "stored" }
        #expect(given.reduce(0) { $0 + 1 + $1.repeats } == 30)
    }

    @Test("a million answers of one program, given or not, leave the lines of all others, and are counted")
    func million() throws {
        let count = TestLength.isFull ? 1_000_000 : 200_000
        let accounts = [home.ada.id, home.bob.id, home.eve.id, nil]
        var share = AuditShare()
        var (written, lines) = (0, 0)
        func write(_ due: [AuditShare.Line]) {
            for line in due { (lines, written) = (lines + 1, written + 1 + line.draft.repeats) }
        }
        var draft = AuditDraft(.token, mailer)
        for number in 0..<count {
            // A thousand a second, of several accounts, half of them refused.
            draft.account = accounts[number % 4]
            draft.answer = number % 8 < 4 ? "stored" : "notPermitted"
            let now = DeskHome.noon.advanced(by: Int64(number / 1_000))
            write(share.take(draft, now: now))
            if number % 60_000 == 0 { write(share.takePending(now: now)) }
        }
        write(share.takePending(now: DeskHome.noon.advanced(by: 2_000), all: true))
        #expect(written == count)
        // A line has some hundred bytes, and the log six files of a mebibyte.
        #expect(lines < 250)
    }

    @Test("of two programs that ask in turn each is counted by itself, and so is who makes room for another")
    func apart() throws {
        var share = AuditShare()
        var written: [Program: Int] = [:]
        func take(_ lines: [AuditShare.Line]) {
            for line in lines { written[line.draft.caller.program, default: 0] += 1 + line.draft.repeats }
        }
        let programs = AuditShare.capacity + 200
        for number in 0..<programs {
            var draft = AuditDraft(.token, try home.caller("executable:/p/\(number)"))
            draft.answer = "notPermitted"
            let now = DeskHome.noon.advanced(by: Int64(number))
            for _ in 0..<15 { take(share.take(draft, now: now)) }
        }
        take(share.takePending(now: DeskHome.noon.advanced(by: 100_000), all: true))
        #expect(written.count == programs && written.values.allSatisfy { $0 == 15 })
    }

    @Test("what is given back is added to what was counted meanwhile, also of a program that was forgotten")
    func givenBack() throws {
        var share = AuditShare()
        var draft = AuditDraft(.token, mailer)
        draft.answer = "notPermitted"
        let late = DeskHome.noon.advanced(by: AuditShare.pause)
        for _ in 0..<20 { _ = share.take(draft, now: DeskHome.noon) }
        let lines = share.take(draft, now: late)
        #expect(lines.map(\.draft.repeats) == [10])
        for _ in 0..<5 { #expect(share.take(draft, now: late).isEmpty) }
        // The answer itself is not given; the ten before it were.
        share.giveBack(try #require(lines.first), now: late)
        #expect(share.takePending(now: late, all: true).map(\.draft.repeats) == [14])
        var empty = AuditShare()
        empty.giveBack(try #require(lines.first), now: late)
        #expect(empty.takePending(now: late, all: true).map(\.draft.repeats) == [9])
    }

    @Test("a token that is new from the provider always has a line, and what is counted keeps the time of the last one")
    func provider() throws {
        var share = AuditShare()
        var draft = AuditDraft(.token, mailer)
        draft.answer = "provider"
        for _ in 0..<500 { #expect(share.take(draft, now: DeskHome.noon).count == 1) }
        draft.answer = "stored"
        for second in 0..<30 { _ = share.take(draft, now: DeskHome.noon.advanced(by: Int64(second))) }
        // What was new has taken its lines.
        let late = DeskHome.noon.advanced(by: 200 * AuditShare.pause)
        let lines = share.takePending(now: late)
        #expect(lines.map(\.draft.repeats) == [28])
        #expect(lines.first?.draft.entry(late).time == DeskHome.noon.advanced(by: 29))
    }

    @Test("a clock that is set back keeps nobody out of the log for long")
    func clock() async throws {
        await refuse(mailer, Int(AuditShare.row))
        home.advance(by: -86_400)
        await refuse(mailer, 1)
        #expect(entries.count == Int(AuditShare.row) + 1)
        await refuse(mailer, 1)
        home.advance(by: AuditShare.pause)
        await refuse(mailer, 1)
        #expect(entries.last?.repeats == 1)
    }
}
