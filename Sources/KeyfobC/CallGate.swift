internal import Glibc
internal import Keyfob
internal import Synchronization

/// Counts the calls in progress, so that a fork happens between calls.
///
/// The child of a fork has one thread. A lock that another thread held at that moment is never released there. A fork waits
/// for the calls in progress, and calls that begin meanwhile wait for the fork.
enum CallGate {
    /// How long a fork waits: longer than a call that reads the vault, shorter than a person's patience.
    private static let patience = 3_000
    /// Calls in progress.
    private static let running = Atomic<Int>(0)
    /// Forks in progress.
    private static let forks = Atomic<Int>(0)
    /// Whether this process was forked while a call was in progress.
    private static let isBroken = Atomic<Bool>(false)
    /// Registers the handlers once.
    private static let isReady: Bool = pthread_atfork(prepare, endInParent, endInChild) == 0

    /// Begins a call.
    ///
    /// - Returns: Whether the library works in this process; ``leave()`` ends the call only where it does.
    static func enter() -> Bool {
        _ = isReady
        while true {
            guard !isBroken.load(ordering: .acquiring) else { return false }
            running.add(1, ordering: .sequentiallyConsistent)
            if forks.load(ordering: .sequentiallyConsistent) == 0 { return true }
            leave()
            usleep(200)
        }
    }

    /// Ends a call.
    static func leave() { running.subtract(1, ordering: .sequentiallyConsistent) }

    /// Runs a call; nil where the library does not work in this process.
    static func run<Result>(_ body: () -> Result) -> Result? {
        guard enter() else { return nil }
        defer { leave() }
        return body()
    }

    private static let prepare: @convention(c) () -> Void = {
        forks.add(1, ordering: .sequentiallyConsistent)
        for _ in 0..<patience where running.load(ordering: .sequentiallyConsistent) > 0 { usleep(1_000) }
    }

    private static let endInParent: @convention(c) () -> Void = {
        forks.subtract(1, ordering: .sequentiallyConsistent)
    }

    private static let endInChild: @convention(c) () -> Void = {
        if running.load(ordering: .sequentiallyConsistent) > 0 { isBroken.store(true, ordering: .releasing) }
        running.store(0, ordering: .sequentiallyConsistent)
        forks.store(0, ordering: .sequentiallyConsistent)
    }
}
