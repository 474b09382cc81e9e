internal import Foundation
internal import Synchronization
package import Testing

/// Gives a test a thread of its own each time it goes on.
///
/// A test that waits for a program blocks the thread it is on. Of those that all tests share there are as many as there are
/// processors: two such tests, and everything else waits for them. Four times as many as there are processors go on at a time:
/// with more, programs with deadlines, such as a Secret Service, would miss them.
package struct WaitingTrait: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        // Nothing of the suite runs outside of its tests.
        guard testCase != nil else { return try await function() }
        await Places.shared.take()
        let begin = ContinuousClock.now
        defer {
            Places.shared.giveBack()
            // Scripts/test reads how long it took without the wait for a place.
            let (place, time) = (test.sourceLocation, begin.duration(to: .now) / .milliseconds(1))
            FileHandle.standardError.write(Data("took: \(place.fileID):\(place.line):\(place.column) \(time)\n".utf8))
        }
        try await withTaskExecutorPreference(ThreadForEachJob.shared) { try await function() }
    }
}

extension Trait where Self == WaitingTrait {
    /// For tests that wait for programs.
    package static var waitsForPrograms: Self { WaitingTrait() }
}

/// Starts a thread for each job that is to be run.
private final class ThreadForEachJob: TaskExecutor {
    static let shared = ThreadForEachJob()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// The places for tests that wait, and who waits for one.
private final class Places: Sendable {
    static let shared = Places(4 * ProcessInfo.processInfo.activeProcessorCount)

    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: count)) }

    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    func giveBack() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
