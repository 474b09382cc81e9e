import Keyfob
import KeyfobTestSupport
import Synchronization
import Testing

@testable import KeyfobAgent

/// Nobody waits for a person longer than one window would, and no window stays that nobody waits for.
@Suite("Questions that nobody answers")
struct QuestionTurnsTests {
    /// A desktop at which nobody sits: a window stays until it is taken back.
    private final class EmptyDesk: ProgramQuestions {
        private let state = Mutex((open: 0, shown: 0))

        var open: Int { state.withLock { $0.open } }
        var shown: Int { state.withLock { $0.shown } }

        func ask(_ question: ProgramQuestion) async -> ProgramAnswer {
            state.withLock { $0 = ($0.open + 1, $0.shown + 1) }
            try? await Task.sleep(for: .seconds(600))
            state.withLock { $0.open -= 1 }
            return .dismissed
        }

        func chooseAccount(_ question: ProgramQuestion) async -> AccountAnswer { .nobodyThere }
    }

    private let home: DeskHome
    private let empty = EmptyDesk()

    init() throws { home = try DeskHome() }

    private func ask(_ desk: AgentDesk, _ number: Int) throws -> Task<KeyringError.Code?, Never> {
        let caller = try home.caller("script:/p/\(number)", digest: nil)
        return Task { await home.token(desk, caller, of: home.ada).error?.code }
    }

    @Test("fifty who ask are all refused once the first one's time is over, with one window, which is gone")
    func many() async throws {
        let desk = home.desk(asking: empty, patience: .seconds(3))
        let begin = SuspendingClock.now
        let tasks = try (0..<50).map { try ask(desk, $0) }
        for task in tasks { #expect(await task.value == .notPermitted) }
        #expect(SuspendingClock.now - begin < .seconds(20))
        #expect(empty.open == 0 && (1...2).contains(empty.shown))
    }

    @Test("a window goes with the program that asked, and the next one's comes")
    func ended() async throws {
        let desk = home.desk(asking: empty)
        let first = try ask(desk, 1)
        try await eventually { empty.open == 1 }
        let (second, third) = (try ask(desk, 2), try ask(desk, 3))
        first.cancel()
        #expect(await first.value == .cancelled)
        try await eventually { empty.shown == 2 && empty.open == 1 }
        third.cancel()
        second.cancel()
        #expect(await second.value == .cancelled)
        #expect(await third.value == .cancelled)
        #expect(empty.open == 0)
        // Nobody asks again at once by going.
        #expect(await (try ask(desk, 1)).value == .notPermitted)
        #expect(empty.shown == 2)
    }

    @Test("all windows go when the vault is locked, and when the agent ends none comes any more")
    func locked() async throws {
        let desk = home.desk(asking: empty)
        let tasks = try (0..<3).map { try ask(desk, $0) }
        try await eventually { empty.open == 1 }
        _ = desk.lock()
        for task in tasks { #expect(await task.value == .locked) }
        #expect(empty.open == 0)
        desk.vault.adopt(home.keyring)
        let last = try ask(desk, 7)
        try await eventually { empty.open == 1 }
        desk.retire()
        #expect(await last.value == .notPermitted)
        #expect(await (try ask(desk, 8)).value == .notPermitted)
        #expect(empty.open == 0)
    }
}
