internal import Glibc
internal import KeyfobOAuth
internal import Synchronization

/// Runs tasks on the thread that waits for them.
///
/// So a process has no threads of Keyfob's own but while it waits for a socket, and the child of a fork misses none.
@safe
package final class CurrentThreadExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    /// Counts the jobs.
    private nonisolated(unsafe) let count: UnsafeMutablePointer<sem_t>

    private init() {
        unsafe count = .allocate(capacity: 1)
        unsafe sem_init(count, 0, 0)
    }

    deinit {
        unsafe sem_destroy(count)
        unsafe count.deallocate()
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        unsafe sem_post(count)
    }

    private func runNext() {
        while unsafe sem_wait(count) != 0 {}
        let job = jobs.withLock { $0.removeFirst() }
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }

    /// Runs `body` to its end, on this thread.
    package static func run<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(KeyringError) -> Value
    ) throws(KeyringError) -> Value {
        let (executor, result) = (CurrentThreadExecutor(), Box<Value>())
        Task(executorPreference: executor) {
            await PreferredExecutor.$executor.withValue(executor) { await result.put(body) }
        }
        while true {
            if let value = result.value { return try value.get() }
            executor.runNext()
        }
    }

    private final class Box<Value: Sendable>: Sendable {
        private let result = Mutex<Result<Value, KeyringError>?>(nil)

        var value: Result<Value, KeyringError>? { result.withLock { $0 } }

        func put(_ body: @Sendable () async throws(KeyringError) -> Value) async {
            let value: Result<Value, KeyringError>
            do throws(KeyringError) {
                value = .success(try await body())
            } catch {
                value = .failure(error)
            }
            result.withLock { $0 = value }
        }
    }
}
