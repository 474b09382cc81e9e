internal import Dispatch
internal import Synchronization

/// Threads for tasks that may have to wait, for a lock or for another process, without giving up their thread.
///
/// Swift runs tasks on as many threads as there are processors, and counts on none of them to wait: where all do, every
/// task of the process stands still. Here there is a thread for each job, up to a limit; what comes beyond takes its turn in
/// the order in which it came. Who has nothing to do leaves after some seconds.
///
/// The child of a fork has none of them, as it has none of Swift's own.
package final class WaitingThreads: TaskExecutor {
    /// For whatever may wait for long.
    package static let shared = WaitingThreads(limit: BlockingThread.most(256))
    /// For what waits for nothing that those wait for, and is to be done while all of them wait.
    package static let prompt = WaitingThreads(limit: 4)
    /// For what a person has asked for who is to wait for no program's calls.
    package static let owner = WaitingThreads(limit: 8)

    private struct State {
        /// The jobs that nobody has taken are those from `first` on.
        var jobs: [UnownedJob] = []
        var first = 0
        /// How many threads there are.
        var count = 0
        /// How many of them rest and have not been called.
        var resting = 0

        mutating func take() -> UnownedJob? {
            guard first < jobs.count else { return nil }
            let job = jobs[first]
            first += 1
            if first == jobs.count || first > 1_000 {
                jobs.removeFirst(first)
                first = 0
            }
            return job
        }
    }

    private let limit: Int
    private let rest: DispatchTimeInterval
    private let state = Mutex(State())
    private let call = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - limit: How many threads there are at most.
    ///   - rest: How long one waits for something to do before it leaves, in milliseconds.
    package init(limit: Int, rest: Int = 5_000) {
        (self.limit, self.rest) = (limit, .milliseconds(rest))
    }

    /// How many threads there are.
    package var count: Int { state.withLock { $0.count } }

    /// Makes one thread that never leaves: then nothing that comes waits for the system to give one.
    ///
    /// - Returns: Whether there is one.
    package func keepOne() -> Bool {
        state.withLock { $0.count += 1 }
        let isStarted = BlockingThread.start { self.work(isKept: true) }
        if !isStarted { state.withLock { $0.count -= 1 } }
        return isStarted
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let (wakes, starts) = state.withLock { state in
            state.jobs.append(job)
            if state.resting > 0 {
                state.resting -= 1
                return (true, false)
            }
            guard state.count < limit else { return (false, false) }
            state.count += 1
            return (false, true)
        }
        if wakes { call.signal() }
        if starts, !BlockingThread.start({ self.work() }) { goWithout() }
    }

    /// Where the system gives no thread, those that there are do it; the first there has to be is one of the system's own.
    private func goWithout() {
        let isOnly = state.withLock { state in
            guard state.count == 1 else {
                state.count -= 1
                return false
            }
            return true
        }
        guard isOnly else { return }
        DispatchQueue.global().async { self.work() }
    }

    private func work(isKept: Bool = false) {
        while true {
            let next = state.withLock { state in
                let job = state.take()
                if job == nil { state.resting += 1 }
                return job
            }
            if let job = next {
                unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            } else if isKept {
                call.wait()
            } else if call.wait(timeout: .now() + rest) == .timedOut {
                let leaves = state.withLock { state in
                    guard state.resting > 0 else { return false }
                    state.resting -= 1
                    state.count -= 1
                    return true
                }
                if leaves { return }
                // As many are called as do not rest any more.
                call.wait()
            }
        }
    }
}
