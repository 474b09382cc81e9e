internal import Glibc

/// Waits for what comes through a pipe or a socket, whose other end may never write: so long for its first bytes, and as long
/// again between any two.
///
/// A file and a terminal are not waited for.
package struct PipeWait {
    /// For how long a pipe with a name is waited for, which a program has to open that runs already, in seconds.
    private static let namedSeconds: CInt = 10
    /// The same of one without a name: in front of it a person may be asked for a passphrase.
    private static let namelessSeconds: CInt = 300
    /// After how long it is told that something is waited for, in milliseconds.
    private static let noticeTime: CInt = 1_000

    /// How long it waits, in seconds.
    package let seconds: CInt
    private let isWaitedFor: Bool
    private var notice: (() -> Void)?

    /// For a descriptor.
    ///
    /// - Parameters:
    ///   - limit: How long it is waited for at most, in seconds; nil for what a pipe of its kind needs.
    ///   - notice: Called once, when nothing has come for a second.
    package init(_ descriptor: CInt, limit: CInt? = nil, notice: (() -> Void)? = nil) {
        var status = stat()
        let kind = unsafe fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
        isWaitedFor = kind == S_IFIFO || kind == S_IFSOCK
        seconds = limit ?? (kind == S_IFIFO && Self.hasName(descriptor) ? Self.namedSeconds : Self.namelessSeconds)
        self.notice = notice
    }

    /// Waits until something can be read, or nobody is left who could write.
    ///
    /// To who reads at once, a pipe that nobody has opened yet looks as one at its end does.
    ///
    /// - Returns: Whether that was in time.
    package mutating func wait(_ descriptor: CInt) -> Bool {
        guard isWaitedFor else { return true }
        var left = seconds * 1_000
        if let notice, left > Self.noticeTime {
            if Self.poll(descriptor, Self.noticeTime) { return true }
            notice()
            self.notice = nil
            left -= Self.noticeTime
        }
        return Self.poll(descriptor, left)
    }

    private static func poll(_ descriptor: CInt, _ milliseconds: CInt) -> Bool {
        var asked = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var found: CInt
        repeat { found = unsafe Glibc.poll(&asked, 1, milliseconds) } while found < 0 && errno == EINTR
        // What cannot be waited for says why when it is read.
        return found != 0
    }

    private static func hasName(_ descriptor: CInt) -> Bool {
        var target = [UInt8](repeating: 0, count: 5)
        _ = unsafe readlink("/proc/self/fd/\(descriptor)", &target, target.count)
        return target != Array("pipe:".utf8)
    }
}
