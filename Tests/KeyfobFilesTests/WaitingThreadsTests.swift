import Foundation
import KeyfobTestSupport
import Synchronization
import Testing

@testable import KeyfobFiles

@Suite("Threads for what waits")
struct WaitingThreadsTests {
    /// How many are at work, and how many were at once.
    private final class Work: Sendable {
        private let state = Mutex((now: 0, most: 0))
        let gate = DispatchSemaphore(value: 0)

        var now: Int { state.withLock { $0.now } }
        var most: Int { state.withLock { $0.most } }

        /// Holds its thread until somebody opens the gate.
        func hold() {
            state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            gate.wait()
            state.withLock { $0.now -= 1 }
        }
    }

    @Test("there is one for each job that holds one, and tasks that share threads go on")
    func each() async throws {
        let (threads, work) = (WaitingThreads(limit: 100, rest: 10), Work())
        let tasks = (0..<50).map { _ in Task(executorPreference: threads) { work.hold() } }
        try await eventually { work.now == 50 }
        for _ in tasks { work.gate.signal() }
        for task in tasks { await task.value }
        #expect(work.most == 50 && threads.count <= 50)
    }

    @Test("there are no more than the limit, and whoever comes beyond takes its turn")
    func limit() async throws {
        let (threads, work) = (WaitingThreads(limit: 3, rest: 10), Work())
        let tasks = (0..<30).map { _ in Task(executorPreference: threads) { work.hold() } }
        try await eventually { work.now == 3 }
        for _ in tasks { work.gate.signal() }
        for task in tasks { await task.value }
        #expect(work.most == 3)
    }

    @Test("they leave when there is nothing to do, and come again")
    func leaving() async throws {
        let threads = WaitingThreads(limit: 8, rest: 10)
        for _ in 0..<3 {
            let tasks = (0..<200).map { number in
                Task(executorPreference: threads) {
                    await Task.yield()
                    return number
                }
            }
            var sum = 0
            for task in tasks { sum += await task.value }
            #expect(sum == 19_900)
            try await eventually { threads.count == 0 }
        }
    }

    @Test("patience counts what is waited, and is anew for whoever was served")
    func patience() {
        Patience.$usual.withValue(.milliseconds(40)) {
            let call = Patience()
            Patience.$ofCall.withValue(call) {
                // Somebody has the database for a while.
                var turn = Patience.Arrival().begin()
                #expect(Patience.goesOn(after: 0) && Patience.goesOn(after: 1))
                turn.end()
                turn = Patience.Arrival().begin()
                var tries = 0
                while Patience.goesOn(after: tries) { tries += 1 }
                #expect(tries >= 2)
                #expect(!Patience.goesOn(after: 0))
                turn.end()
                // Who was told so tries once.
                turn = Patience.Arrival().begin()
                #expect(!Patience.goesOn(after: 0))
                turn.end()
                call.renew(adding: .seconds(60))
                turn = Patience.Arrival().begin()
                let inner = Patience.Arrival().begin()
                #expect(Patience.goesOn(after: 0))
                inner.end()
                #expect(Patience.goesOn(after: 1))
                turn.end()
            }
            Patience.$ofCall.withValue(Patience(spent: .milliseconds(50))) {
                let turn = Patience.Arrival().begin()
                #expect(!Patience.goesOn(after: 0))
                turn.end()
            }
        }
    }
}
