internal import CLinux
internal import Glibc
internal import Keyfob
internal import KeyfobTerminal

/// The signals of this process, for another one that runs in its place: they wait here, and are passed on to it.
///
/// What Ctrl-C and Ctrl-Z send is not: the terminal has sent it to both. When the other one stops, so does this process,
/// and when this one goes on, so does the other.
struct SignalRelay: ~Copyable {
    /// How a process ended.
    enum End {
        case status(CInt)
        case signal(CInt)

        /// Ends this process in the same way.
        func mirror() -> Never {
            switch self {
            case .status(let status): exit(status)
            case .signal(let signal): SignalPipe.end(by: signal)
            }
        }
    }

    /// What there was to wait for.
    enum Event {
        case ended(End)
        case readable
        case timeout
    }

    /// Those that tell of a fault of this very process, or stop one in the background.
    private static let own = [
        SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPIPE, SIGTTIN, SIGTTOU,
    ]
    /// The code of what the kernel sends (`sigaction(2)`).
    private static let ofKernel: Int32 = 0x80

    private let descriptor: CInt
    private var before = sigset_t()
    private let childAction: sighandler_t?

    /// - Throws: `unavailable` when there are no descriptors left.
    init() throws(KeyringError) {
        var signals = sigset_t()
        _ = unsafe sigfillset(&signals)
        for signal in Self.own { _ = unsafe sigdelset(&signals, signal) }
        descriptor = unsafe linux_signal_descriptor(&signals)
        guard descriptor >= 0 else { throw KeyringError(.unavailable, "there are no file descriptors left") }
        // Whoever ignores this one is not told how a process ended.
        childAction = signal(SIGCHLD, SIG_DFL)
        _ = unsafe pthread_sigmask(SIG_BLOCK, &signals, &before)
    }

    deinit { close(descriptor) }

    /// Makes signals what they were before, for another program, or in a process that was made meanwhile.
    borrowing func restore() {
        _ = signal(SIGCHLD, childAction)
        var before = before
        _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// Makes a process that goes on here, with this one's signals as they were.
    ///
    /// - Returns: Its number; 0 in the new one.
    borrowing func fork() throws(KeyringError) -> pid_t {
        let process = Glibc.fork()
        guard process >= 0 else {
            throw KeyringError(noFurtherProcess: errno)
        }
        if process == 0 { restore() }
        return process
    }

    /// Waits for the end of a process, until there is something to read or the time is over.
    borrowing func attend(_ process: pid_t, reading other: CInt = -1, milliseconds: CInt = -1) -> Event {
        while true {
            if let end = reap(process) { return .ended(end) }
            var waiting = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: other, events: Int16(POLLIN), revents: 0),
            ]
            let count = unsafe poll(&waiting, 2, milliseconds)
            if waiting[1].revents != 0 { return .readable }
            if count == 0 { return .timeout }
            while let (signal, code, sender) = next() {
                switch signal {
                case SIGCHLD: continue
                case SIGCONT: kill(process, SIGCONT)
                // Nobody's own signals come back to them.
                case _ where code != Self.ofKernel && sender != process: kill(process, signal)
                default: continue
                }
            }
        }
    }

    /// How the process ended, if it has; where it was stopped, this one stops until somebody lets it go on.
    private borrowing func reap(_ process: pid_t) -> End? {
        var isStopped = false
        var status: CInt = 0
        while true {
            let found = unsafe waitpid(process, &status, WNOHANG | WUNTRACED | WCONTINUED)
            if found < 0 { return .status(ExitStatus.failure.rawValue) }
            if found == 0 { break }
            switch (status & 0x7F, status & 0xFF) {
            case _ where status == 0xFFFF: isStopped = false
            case (_, 0x7F): isStopped = true
            case (0, _): return .status(status >> 8 & 0xFF)
            case (let signal, _): return .signal(signal)
            }
        }
        if isStopped {
            kill(getpid(), SIGSTOP)
            kill(process, SIGCONT)
        }
        return nil
    }

    /// The next signal that came, its code and who sent it; nil where there is none.
    private borrowing func next() -> (signal: CInt, code: Int32, sender: pid_t)? {
        // `signalfd_siginfo`: ssi_signo, ssi_errno, ssi_code and ssi_pid come first.
        var words = [Int32](repeating: 0, count: 32)
        guard unsafe read(descriptor, &words, 128) == 128 else { return nil }
        return (words[0], words[2], words[3])
    }
}
