internal import Dispatch
internal import Keyfob
internal import KeyfobFiles
internal import Synchronization

/// Waits on the main thread for work that uses the network.
///
/// Only a command that needs the network pays for the concurrency runtime: one that answers from what is stored
/// never starts it.
enum NetworkTask {
    /// Runs `body` to its end.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(KeyringError) -> Value
    ) throws(KeyringError) -> Value {
        explainWaiting()
        let box = Box<Value>()
        Task {
            let value: Result<Value, KeyringError>
            do throws(KeyringError) {
                value = .success(try await body())
            } catch {
                value = .failure(error)
            }
            box.finish(value)
        }
        return try box.wait()
    }

    /// The same without threads that are still there afterwards, for what asks one thing after the other: a process may be
    /// made of this one then.
    static func runAlone<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(KeyringError) -> Value
    ) throws(KeyringError) -> Value {
        explainWaiting()
        return try CurrentThreadExecutor.run(body)
    }

    private static func explainWaiting() {
        DeferredSignals.explain(
            by:
                "\nkeyfob: waiting for the provider's answer first (at most 30 s): stopped now, the sign-in could be lost\n"
        )
    }

    private final class Box<Value: Sendable>: Sendable {
        private let result = Mutex<Result<Value, KeyringError>?>(nil)
        private let done = DispatchSemaphore(value: 0)

        func finish(_ value: Result<Value, KeyringError>) {
            result.withLock { $0 = value }
            done.signal()
        }

        func wait() throws(KeyringError) -> Value {
            done.wait()
            guard let value = result.withLock({ $0 }) else {
                throw KeyringError(.fault, "a task ended without a result")
            }
            return try value.get()
        }
    }
}
