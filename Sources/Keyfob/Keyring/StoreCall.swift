package import KeyfobFiles
internal import KeyfobOAuth
internal import KeyfobSodium

/// A call that may have to wait for the vault: it waits where it holds up nobody but itself.
///
/// Each `async` method of the library that uses a vault does all it does in ``run(_:)``.
package enum StoreCall {
    /// Runs `body` on threads that may wait, with one ``Patience`` from now on.
    ///
    /// In a library whose process may fork that is the thread of the caller: see ``PreferredExecutor``.
    @concurrent
    package static func run<Value: ~Copyable & Sendable>(
        _ body: @Sendable () async throws(KeyringError) -> Value
    ) async throws(KeyringError) -> Value {
        let (asked, answer) = (SuspendingClock.now, Handover<Value>())
        let executor = PreferredExecutor.executor ?? WaitingThreads.shared
        let failure: KeyringError? = await withTaskExecutorPreference(executor) {
            await Patience.$ofCall.withValue(patience(since: asked)) {
                do throws(KeyringError) {
                    answer.put(try await body())
                    return nil
                } catch {
                    return error
                }
            }
        }
        if let failure { throw failure }
        guard let value = answer.take() else { throw KeyringError(.fault, "the answer to a call was lost") }
        return value
    }

    /// Answers a call in a task of its own, on threads that may wait, with one ``Patience`` from now on.
    ///
    /// - Parameter threads: On which; what is not to wait for those of others has some for itself.
    package static func start(
        on threads: WaitingThreads = .shared, _ body: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        let asked = SuspendingClock.now
        return Task(executorPreference: threads) {
            await Patience.$ofCall.withValue(patience(since: asked)) { await body() }
        }
    }

    /// That of the call which this one is part of, or else one of its own, which has waited for a thread already.
    private static func patience(since asked: SuspendingClock.Instant) -> Patience {
        Patience.ofCall ?? Patience(spent: SuspendingClock.now - asked)
    }
}
