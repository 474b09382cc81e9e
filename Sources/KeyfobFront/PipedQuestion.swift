internal import CLinux
internal import Glibc
internal import KeyfobSodium

/// What a tool asks in a pipe; it stays there for the full program.
enum PipedQuestion {
    /// What a pipe holds; tools ask in some hundred bytes.
    private static let limit = 65_536
    /// For how long, in milliseconds, a tool is waited for that has not said all; the full program waits longer.
    private static let patience: CInt = 1_000

    /// What is in the pipe of standard input once something is; nil where it is no pipe.
    static func present() -> SecretBytes? {
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        var count: Int
        repeat { count = linux_copy_pipe(STDIN_FILENO, ends[1], limit) } while count < 0 && errno == EINTR
        close(ends[1])
        defer { close(ends[0]) }
        return count > 0 ? try? SecretBytes.reading(descriptor: ends[0], limit: limit) : nil
    }

    /// All that is in the pipe of standard input, once nobody writes there any more; nil where it is no pipe, or somebody
    /// may write still.
    static func whole() -> SecretBytes? {
        var status = stat()
        guard unsafe fstat(STDIN_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return nil }
        var input = pollfd(fd: STDIN_FILENO, events: 0, revents: 0)
        guard unsafe poll(&input, 1, patience) == 1, CInt(input.revents) & POLLHUP != 0 else { return nil }
        return present()
    }
}
