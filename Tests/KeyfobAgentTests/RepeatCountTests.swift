import Keyfob
import KeyfobTestSupport
import Testing

@testable import KeyfobAgent

/// A program that asks again and again pushes nothing of others' out of the log.
@Suite("Answers that are counted")
struct RepeatCountTests {
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

    /// For how many answers the lines stand.
    private var told: Int { home.trail.entries.reduce(0) { $0 + 1 + $1.repeats } }

    @Test("the first ones have a line each, the others are counted, and none is lost")
    func counted() async throws {
        let other = try home.caller("executable:/usr/bin/other")
        await refuse(mailer, 1_000)
        await refuse(other, 1)
        #expect(home.trail.entries.count == Int(RepeatCount.row) + 1)
        #expect(home.trail.entries.allSatisfy { $0.repeats == 0 })
        home.advance(by: RepeatCount.pause)
        await refuse(mailer, 3)
        #expect(home.trail.entries.count == Int(RepeatCount.row) + 2)
        #expect(home.trail.entries.last?.repeats == 1_000 - Int(RepeatCount.row))
        _ = desk.lock()
        #expect(home.trail.entries.last?.repeats == 1)
        #expect(told == 1_004)
        desk.writePending(home.keyring)
        #expect(home.trail.entries.count == Int(RepeatCount.row) + 3)
    }

    @Test("an answer that gives nothing is counted too")
    func harmless() async throws {
        for _ in 0..<1_000 { #expect(try await desk.accounts(for: mailer).isEmpty) }
        #expect(home.trail.entries.count == Int(RepeatCount.row))
        desk.vault.lock()
        #expect(told == 1_000)
    }

    @Test("what a program gets has a line each, however often")
    func given() async throws {
        try home.keyring.programs.permit(ProgramPermission(of: mailer.program, in: .default))
        for _ in 0..<30 { #expect(await home.token(desk, mailer, of: home.ada).text != nil) }
        #expect(home.trail.entries.count == 30)
    }

    @Test("what was counted is written down before keys go, whatever takes them, and holds none")
    func closing() async throws {
        await refuse(mailer, 100)
        desk.vault.lock()
        #expect(told == 100)
        let held = try adoptAnother()
        await refuse(mailer, 100)
        home.trail.fill()
        desk.vault.lock()
        try await eventually { !held() }
    }

    /// Has the desk go on with another keyring; whether that is still held.
    private func adoptAnother() throws -> () -> Bool {
        let keyring = try home.opened()
        desk.vault.adopt(keyring)
        return { [weak keyring] in keyring != nil }
    }

    @Test("what cannot be written down is counted on, and stands in the log of its vault alone")
    func unwritable() async throws {
        await refuse(mailer, 50)
        home.trail.fill()
        desk.vault.lock()
        let elsewhere = try DeskHome()
        desk.vault.adopt(elsewhere.keyring)
        home.trail.empty()
        desk.vault.lock()
        #expect(home.trail.entries.isEmpty)
        desk.vault.adopt(home.keyring)
        await refuse(mailer, 1)
        desk.vault.lock()
        #expect(told == 41)
    }

    @Test("a clock that is set back keeps nobody out of the log for long")
    func clock() async throws {
        await refuse(mailer, Int(RepeatCount.row))
        home.advance(by: -86_400)
        await refuse(mailer, 1)
        home.advance(by: RepeatCount.pause)
        await refuse(mailer, 1)
        #expect(home.trail.entries.last?.repeats == 1)
    }

    @Test("more programs than are counted lose nothing")
    func capacity() throws {
        var count = RepeatCount()
        var written = 0
        for number in 0..<1_200 {
            var draft = AuditDraft(.token, try home.caller("executable:/p/\(number)"))
            (draft.answer, draft.keyring) = ("notPermitted", home.keyring)
            let now = DeskHome.noon.advanced(by: Int64(number))
            for _ in 0..<15 { written += count.take(draft, now: now).reduce(0) { $0 + 1 + $1.repeats } }
        }
        written += count.takePending(of: home.keyring.vaultID).reduce(0) { $0 + 1 + $1.repeats }
        #expect(written == 1_200 * 15)
    }
}

/// What stands in a log of files while others are answered again and again.
@Suite("The share of a program in the log")
struct AuditShareTests {
    @Test("neither one that may nor one that may not pushes out what another was given")
    func flood() async throws {
        let home = try DeskHome()
        let files = AuditFiles(state: home.location.state)
        let desk = home.desk(audit: files)
        let (mailer, eager) = (try home.caller(), try home.caller("executable:/usr/bin/eager"))
        let stranger = try home.caller("executable:/usr/bin/stranger")
        for program in [mailer.program, eager.program] {
            try home.keyring.programs.permit(ProgramPermission(of: program, in: .default))
        }
        for _ in 0..<3 { #expect(await home.token(desk, mailer, of: home.ada).text != nil) }
        let quiet = try home.caller("executable:/usr/bin/quiet")
        #expect(await home.token(desk, quiet, of: home.ada).error?.code == .notPermitted)
        // More than the last file of a program holds.
        for _ in 0..<1_000 { #expect(await home.token(desk, eager, of: home.ada).text != nil) }
        for _ in 0..<1_000 { _ = try? await desk.accounts(for: stranger) }
        desk.vault.lock()
        let reading = try files.read(.default, home.keyring)
        #expect(reading.findings.isEmpty)
        let lines = Dictionary(grouping: reading.lines, by: \.entry.program)
        #expect(lines[mailer.program]?.count == 3 && lines[quiet.program]?.count == 1)
        #expect(lines[eager.program]?.count == 1_000)
        #expect(lines[stranger.program]?.reduce(0) { $0 + 1 + $1.entry.repeats } == 1_000)
        #expect(lines[stranger.program]?.count == Int(RepeatCount.row) + 1)
    }
}
