internal import Glibc
internal import KeyfobFiles
internal import KeyfobSodium
internal import Synchronization

/// The socket to a process that refreshes tokens for this one, and ends once the line does.
///
/// Between two questions that process has no key.
final class RefreshLine: Sendable {
    /// For how many seconds the process waits for the next question.
    static let patience = 20
    /// For how long it is asked again: it is not about to end then.
    private static let lifetime: Duration = .seconds(15)

    let socket: CInt
    private let file: FileIdentity?
    private let surroundings = Surroundings()

    /// Both ends of a line, which no other program gets; nil where there are no descriptors left.
    ///
    /// They are none of the first three: what a program without those writes to them is not for this line.
    static func ends() -> (own: CInt, other: CInt)? {
        var ends: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        for index in ends.indices where ends[index] < 3 {
            let low = ends[index]
            ends[index] = fcntl(low, F_DUPFD_CLOEXEC, 3)
            close(low)
        }
        guard ends.allSatisfy({ $0 >= 0 }) else {
            for descriptor in ends where descriptor >= 0 { close(descriptor) }
            return nil
        }
        return (ends[0], ends[1])
    }

    /// This process's end becomes the line's.
    init(_ socket: CInt) {
        self.socket = socket
        file = FileIdentity(of: socket)
    }

    deinit {
        guard isOpen else { return }
        // The child of a fork may have a copy, which nobody uses.
        shutdown(socket, CInt(SHUT_RDWR))
        close(socket)
    }

    /// Whether the number still is this line's: whoever closes all descriptors may have opened something else by it.
    private var isOpen: Bool { file != nil && FileIdentity(of: socket) == file }

    /// Whether the process at the other end can be asked again in the place of a new one.
    private var isOfUse: Bool {
        guard isOpen, surroundings == Surroundings() else { return false }
        var first: UInt8 = 0
        return unsafe recv(socket, &first, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)) < 0 && errno == EAGAIN
    }

    /// Sends a message.
    ///
    /// - Returns: Whether it was taken.
    func send(_ message: borrowing SecretBytes) -> Bool {
        message.withBytes { bytes in AgentClient.send(bytes, over: socket) }
    }

    /// A line that is kept for the next question.
    final class Kept: Sendable {
        private let kept = Mutex<(line: RefreshLine, answered: SuspendingClock.Instant)?>(nil)

        /// Takes it, where its process can be asked.
        func take() -> RefreshLine? {
            guard let kept = kept.withLock({ $0.take() }), SuspendingClock.now - kept.answered < RefreshLine.lifetime,
                kept.line.isOfUse
            else { return nil }
            return kept.line
        }

        /// Keeps a line whose process has just answered; one is enough.
        func keep(_ line: RefreshLine) {
            kept.withLock { kept in
                if kept == nil { kept = (line, .now) }
            }
        }
    }
}

/// What a process has of the program that started it, and that program can change.
private struct Surroundings: Equatable {
    let user = geteuid()
    let group = getegid()
    let folder = FileIdentity(".", following: true)
    let root = FileIdentity("/", following: true)
}
