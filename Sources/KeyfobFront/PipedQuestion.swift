internal import CLinux
internal import Glibc
internal import KeyfobFiles
internal import KeyfobSodium

/// What a tool asks in a pipe; it stays there for the full program.
enum PipedQuestion {
    /// What is read of a pipe; tools ask in some hundred bytes.
    private static let limit = 65_536
    /// For how long, in milliseconds, a tool is waited for that has not said all; the full program waits longer.
    private static let patience: CInt = 1_000
    /// After how long, in milliseconds, it is looked whether more has come from a tool that keeps the pipe open.
    private static let step: CInt = 20

    /// All that is asked on standard input: up to the end of the pipe, or to where `isWhole` says that nothing more comes.
    ///
    /// - Returns: nil where it is no pipe, and where more may come or it holds more than is read.
    static func read(until isWhole: (RawSpan) -> Bool = { _ in false }) -> SecretBytes? {
        var waited: CInt = 0
        while true {
            // Before the copy: nothing comes behind the end.
            let hasEnded = hasNoWriter(within: 0)
            guard let text = copy() else { return nil }
            if text.withBytes(isWhole) { return text }
            if hasEnded, text.count == available { return text }
            guard !hasEnded, waited < patience else { return nil }
            if !hasNoWriter(within: step) { waited += step }
        }
    }

    /// What is in the pipe by now; waits for the first of it.
    private static func copy() -> SecretBytes? {
        var wait = PipeWait(STDIN_FILENO, limit: patience / 1_000)
        guard wait.wait(STDIN_FILENO) else { return nil }
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        var count: Int
        repeat { count = linux_copy_pipe(STDIN_FILENO, ends[1], limit) } while count < 0 && errno == EINTR
        close(ends[1])
        defer { close(ends[0]) }
        return count > 0 ? try? SecretBytes.reading(descriptor: ends[0], limit: limit) : nil
    }

    /// How many bytes are in the pipe: a copy has fewer where it has no room for more.
    private static var available: Int {
        var count: CInt = 0
        return unsafe ioctl(STDIN_FILENO, UInt(FIONREAD), &count) == 0 ? Int(count) : -1
    }

    /// Whether nobody can write into the pipe any more; waits so many milliseconds for that.
    private static func hasNoWriter(within time: CInt) -> Bool {
        var input = pollfd(fd: STDIN_FILENO, events: 0, revents: 0)
        return unsafe poll(&input, 1, time) == 1 && CInt(input.revents) & POLLHUP != 0
    }
}
