internal import Glibc

/// A pager that is started before there are keys, and waits: a process that holds keys starts no programs.
///
/// A shell has the pipe, and becomes the pager with the first line, which it keeps; where the pipe is closed before, it ends.
package struct WaitingPager: ~Copyable {
    private let process: ChildProgram.Process
    private let pipe: CInt

    /// Starts the shell; nil where that cannot be.
    ///
    /// - Parameters:
    ///   - command: The pager, as a shell takes it.
    ///   - environment: Its variables.
    package init?(_ command: String, _ environment: [String: String]) {
        var ends: (reading: CInt, writing: CInt) = (-1, -1)
        let made = unsafe withUnsafeMutablePointer(to: &ends) { pointer in
            unsafe pointer.withMemoryRebound(to: CInt.self, capacity: 2) { unsafe Glibc.pipe($0) }
        }
        guard made == 0 else { return nil }
        let program = ChildProgram(
            path: "/bin/sh", arguments: ["-c", #"IFS= read -r start || exit 0; exec /bin/sh -c "$1""#, "sh", command],
            environment: environment, input: ends.reading, speaks: true)
        let started = program.start()
        close(ends.reading)
        guard let started else {
            close(ends.writing)
            return nil
        }
        (process, pipe) = (started, ends.writing)
    }

    /// Shows bytes, and waits until the person has seen enough.
    ///
    /// - Returns: Whether the pager ran.
    package consuming func show(_ bytes: [UInt8]) -> Bool {
        // A person who leaves early has seen what was wanted; keys at the terminal are the pager's.
        let former = (signal(SIGPIPE, SIG_IGN), signal(SIGINT, SIG_IGN), signal(SIGQUIT, SIG_IGN))
        defer {
            signal(SIGPIPE, former.0)
            signal(SIGINT, former.1)
            signal(SIGQUIT, former.2)
        }
        var rest = (Array("\n".utf8) + bytes)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(pipe, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        close(pipe)
        // As shells say it of a command that cannot be run.
        return switch process.end() {
        case .status(126), .status(127): false
        case .status, .signal: true
        }
    }

    /// Ends it without showing anything.
    package consuming func end() {
        close(pipe)
        _ = process.end()
    }
}
