internal import Foundation
package import Testing

/// Gives a test a thread of its own each time it goes on.
///
/// A test that waits for a program blocks the thread it is on. Of those that all tests share there are as many as there are
/// processors: two such tests, and everything else waits for them.
package struct WaitingTrait: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        // Nothing of the suite runs outside of its tests.
        guard testCase != nil else { return try await function() }
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
