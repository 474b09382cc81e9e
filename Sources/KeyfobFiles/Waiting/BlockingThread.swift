internal import Glibc

/// A thread for what waits for sockets and buses.
///
/// No signal reaches it: handlers run elsewhere, and a connection that breaks does not end the program with SIGPIPE.
package enum BlockingThread {
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on a thread of its own and waits for it; false where the system gives no thread.
    package static func run(_ body: @escaping @Sendable () -> Void) async -> Bool {
        await withCheckedContinuation { continuation in
            let isStarted = start {
                body()
                continuation.resume(returning: true)
            }
            if !isStarted { continuation.resume(returning: false) }
        }
    }

    /// Runs `body` on a thread of its own; false where the system gives none.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        var (all, before) = (sigset_t(), sigset_t())
        unsafe sigfillset(&all)
        // The new thread has the mask of the one that starts it.
        guard unsafe pthread_sigmask(SIG_SETMASK, &all, &before) == 0 else { return false }
        defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        let work = unsafe Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread, nil,
            { work in
                if let work = unsafe work { unsafe Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        guard result == 0 else {
            unsafe work.release()
            return false
        }
        _ = pthread_detach(thread)
        return true
    }
}
