internal import Glibc
internal import Synchronization

/// Makes signals that would end or stop the process wait between ``begin()`` and ``end()``; then they have their effect.
///
/// It covers what people and programs do to a process: Ctrl-C, Ctrl-\\ and Ctrl-Z, a terminal that closes, `timeout`,
/// a reader that goes away. A signal that the process handles itself, or ignores, is left to it. `SIGKILL` cannot wait.
package enum DeferredSignals {
    private static let signals = [SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGTSTP]

    /// How many have begun and not ended, and what the signals that wait did before.
    private struct State: Sendable {
        var count = 0
        var before: [(signal: CInt, action: sigaction)] = []
    }

    private static let state = Mutex(State())
    /// The signals that came, by their numbers: a handler may do no more than this.
    private static let came = Atomic<UInt64>(0)

    /// What somebody at the keyboard is told when a signal has to wait; nobody, unless the program says so.
    private static let notice = Atomic<UInt>(0)
    private static let noticeCount = Atomic<Int>(0)

    /// Tells whoever presses Ctrl-C, on standard error, why the process does not end at once.
    package static func explain(by text: StaticString) {
        unsafe notice.store(UInt(bitPattern: text.utf8Start), ordering: .relaxed)
        noticeCount.store(text.utf8CodeUnitCount, ordering: .releasing)
    }

    /// Leaves all signals as they are from now on: those of a process that belongs to another program.
    package static func leaveAlone() { isLeftAlone.store(true, ordering: .relaxed) }

    private static let isLeftAlone = Atomic(false)

    /// Begins; each beginning has an end.
    package static func begin() {
        if isLeftAlone.load(ordering: .relaxed) { return }
        state.withLock { state in
            state.count += 1
            guard state.count == 1 else { return }
            // Touched here, so that no handler is the one to make it.
            came.store(0, ordering: .relaxed)
            for signal in signals {
                var action = sigaction()
                guard unsafe sigaction(signal, nil, &action) == 0, isDefault(action) else { continue }
                state.before.append((signal, action))
                action = sigaction()
                action.sa_flags = SA_RESTART
                unsafe action.__sigaction_handler.sa_handler = { signal in
                    let before = DeferredSignals.came.bitwiseOr(1 << UInt64(signal), ordering: .relaxed).oldValue
                    let isTyped = signal == SIGINT || signal == SIGQUIT || signal == SIGTSTP
                    let count = DeferredSignals.noticeCount.load(ordering: .acquiring)
                    guard before == 0, isTyped, count > 0 else { return }
                    let number = errno
                    let text = unsafe UnsafeRawPointer(bitPattern: DeferredSignals.notice.load(ordering: .relaxed))
                    if let text = unsafe text { _ = unsafe write(STDERR_FILENO, text, count) }
                    errno = number
                }
                _ = unsafe sigaction(signal, &action, nil)
            }
        }
    }

    /// Ends: once as many have ended as had begun, what came has its effect.
    package static func end() {
        if isLeftAlone.load(ordering: .relaxed) { return }
        state.withLock { state in
            state.count -= 1
            guard state.count == 0 else { return }
            for taken in state.before {
                var action = taken.action
                _ = unsafe sigaction(taken.signal, &action, nil)
            }
            state.before = []
            let came = came.exchange(0, ordering: .relaxed)
            // To the process: this thread may hold the signal back.
            for signal in signals where came & 1 << UInt64(signal) != 0 { kill(getpid(), signal) }
        }
    }

    private static func isDefault(_ action: sigaction) -> Bool {
        unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 0  // SIG_DFL
    }
}
