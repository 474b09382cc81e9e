internal import Glibc

/// Signals as bytes that can be waited for together with a terminal or a socket.
///
/// The handler writes the signal's number into a pipe and does nothing else, which is allowed in a handler.
package struct SignalPipe: ~Copyable {
    /// What ends the process, once the terminal is as it was.
    package static let ending = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]
    private static let others = [SIGWINCH, SIGTSTP, SIGCONT]

    /// The pipe of the handler: made before the handler is set, and never closed.
    private struct Pipe {
        let readEnd: CInt
        let writeEnd: CInt

        static let shared: Pipe? = {
            var ends: [CInt] = [-1, -1]
            guard unsafe pipe(&ends) == 0 else { return nil }
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
            return Pipe(readEnd: ends[0], writeEnd: ends[1])
        }()
    }

    /// What can be polled: readable when there is a signal.
    package let descriptor: CInt
    private let before: [(signal: CInt, action: sigaction)]

    /// Takes signals over, except those that whoever started the process wants ignored.
    ///
    /// - Parameter signals: Which; those that end the process and those of a terminal, unless said otherwise.
    /// - Throws: `noDescriptors`.
    package init(_ signals: [CInt]? = nil) throws(TerminalFailure) {
        guard let pipe = Pipe.shared else { throw .noDescriptors }
        descriptor = pipe.readEnd
        var taken: [(signal: CInt, action: sigaction)] = []
        for signal in signals ?? Self.ending + Self.others {
            var old = sigaction()
            guard unsafe sigaction(signal, nil, &old) == 0 else { continue }
            if Self.isIgnored(old), Self.ending.contains(signal) || signal == SIGTSTP { continue }
            Self.handle(signal)
            taken.append((signal, old))
        }
        before = taken
        // Whoever started the process may have held them back in the thread that did.
        var set = sigset_t()
        _ = unsafe sigemptyset(&set)
        for (signal, _) in taken { _ = unsafe sigaddset(&set, signal) }
        _ = unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    deinit {
        for taken in before {
            var action = taken.action
            _ = unsafe sigaction(taken.signal, &action, nil)
        }
        // What came too late for anybody must not be found by the next picker.
        _ = next()
    }

    /// The next signal that came; nil when there is none.
    package func next() -> CInt? {
        var byte: UInt8 = 0
        return unsafe read(descriptor, &byte, 1) == 1 ? CInt(byte) : nil
    }

    /// Stops the process as Ctrl-Z does; returns when it is continued.
    func stop() {
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = SIG_DFL
        _ = unsafe sigaction(SIGTSTP, &action, nil)
        raise(SIGTSTP)
        Self.handle(SIGTSTP)
    }

    /// Ends the process in the way that tells its parent of the signal.
    package static func end(by signal: CInt) -> Never {
        _ = Glibc.signal(signal, SIG_DFL)
        var set = sigset_t()
        _ = unsafe sigemptyset(&set)
        _ = unsafe sigaddset(&set, signal)
        _ = unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(signal)
        // Not reached, unless the process cannot be killed.
        Glibc.exit(128 + signal)
    }

    private static func handle(_ signal: CInt) {
        var action = sigaction()
        action.sa_flags = SA_RESTART
        unsafe action.__sigaction_handler.sa_handler = { signal in
            let number = errno
            var byte = UInt8(truncatingIfNeeded: signal)
            if let pipe = Pipe.shared { _ = unsafe write(pipe.writeEnd, &byte, 1) }
            errno = number
        }
        _ = unsafe sigaction(signal, &action, nil)
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1  // SIG_IGN
    }
}
