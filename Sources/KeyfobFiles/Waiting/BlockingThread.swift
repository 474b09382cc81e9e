internal import CLinux
internal import Glibc

/// A thread for what waits for sockets and buses.
///
/// No signal reaches it: handlers run elsewhere, and a connection that breaks does not end the program with SIGPIPE.
package enum BlockingThread {
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// How large its stack is, in bytes: a process that may not have much memory has room for many.
    private static let stack = 1 << 20

    /// How many there can be by the memory that the process may map (`ulimit -v`): of what is left it takes half.
    package static func most(_ wanted: Int) -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur != .max,
            case .bytes(let bytes, _) = FileAccess.read("/proc/self/statm", limit: 4_096, following: false),
            let pages = bytes.split(separator: UInt8(ascii: " ")).first.flatMap({
                UInt64(String(decoding: $0, as: UTF8.self))
            })
        else { return wanted }
        let (all, used) = (UInt64(limit.rlim_cur), pages * UInt64(max(1, sysconf(CInt(_SC_PAGESIZE)))))
        // What runs on one needs as much again.
        let places = all > used ? Int(min((all - used) / UInt64(4 * stack), 1 << 20)) : 0
        return max(4, min(wanted, places))
    }

    /// Has threads share their memory where the process may not map much of it: else each takes 64 MB for itself.
    package static func saveMemory() {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur != .max else {
            return
        }
        _ = linux_share_memory()
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
        var (thread, attributes) = (pthread_t(), pthread_attr_t())
        guard unsafe pthread_attr_init(&attributes) == 0 else {
            unsafe work.release()
            return false
        }
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setstacksize(&attributes, stack)
        let result = unsafe pthread_create(
            &thread, &attributes,
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
