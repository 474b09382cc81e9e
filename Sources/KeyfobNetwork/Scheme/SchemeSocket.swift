internal import Glibc
internal import KeyfobModel
internal import KeyfobSodium
internal import Synchronization

/// The socket of a ``SchemeListener``, and the system's calls for both of its sides: one message with the address, one with
/// what it was.
final class SchemeSocket: Sendable {
    /// The longest address, in bytes.
    static let addressLimit = 16 << 10
    /// What the names of sockets begin with; 16 hexadecimal digits follow.
    static let prefix = "redirect-"
    /// How long the other side has for its message, in milliseconds.
    static let patience: CInt = 2_000

    private let path: String
    private let bell: StopSignal
    private let listening: Mutex<CInt>
    private let isShut = Atomic(false)

    /// Listens in `folder`, under a name of its own.
    init(in folder: String) throws(SchemeFailure) {
        let digits = SecretBytes.random(count: 8).withBytes { bytes in
            Hexadecimal.text((0..<bytes.byteCount).map { bytes.byte(at: $0) })
        }
        path = "\(folder)/\(Self.prefix)\(digits)"
        // It is found under its name once it listens, and not before.
        let early = path + ".new"
        do throws(LoopbackError) { bell = try StopSignal() } catch { throw .unavailable(path) }
        guard let address = Self.address(early) else { throw .pathTooLong(early) }
        let socket = Self.make()
        guard socket >= 0 else { throw .unavailable(path) }
        let isThere = unsafe Self.with(address) { unsafe bind(socket, $0, $1) == 0 }
        guard isThere, unsafe chmod(early, 0o600) == 0, listen(socket, 16) == 0, unsafe rename(early, path) == 0 else {
            _ = Glibc.close(socket)
            if isThere { unsafe unlink(early) }
            throw .unavailable(path)
        }
        listening = Mutex(socket)
    }

    deinit { close() }

    /// Has a wait end now, and every later one at once; may be called from anywhere.
    func shut() {
        isShut.store(true, ordering: .releasing)
        bell.ring()
    }

    /// Closes the socket, once the wait has ended.
    func close() {
        listening.withLock { socket in
            guard socket >= 0 else { return }
            unsafe unlink(path)
            _ = Glibc.close(socket)
            socket = -1
        }
    }

    /// Takes addresses, one after the other, until one ends the sign-in; blocks its thread.
    ///
    /// - Returns: Whether one did.
    func serve(
        until deadline: ContinuousClock.Instant, _ judge: (borrowing SecretBytes) -> SchemeVerdict
    ) -> Bool {
        listening.withLock { socket in
            while socket >= 0, !isShut.load(ordering: .acquiring), deadline > .now {
                var waits = [bell.ear, socket].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                LoopbackSocket.wait(&waits, until: deadline)
                guard waits[1].revents != 0, let connection = LoopbackSocket.accept(socket) else { continue }
                defer { _ = Glibc.close(connection) }
                guard let given = Self.receive(connection) else { continue }
                let verdict = judge(given)
                Self.send(verdict.message, connection)
                if case .ignored = verdict { continue }
                return true
            }
            return false
        }
    }

    /// A socket for messages that come as a whole.
    static func make() -> CInt {
        socket(
            AF_UNIX, CInt(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    /// The address of a path; nil for one that is too long.
    static func address(_ path: String) -> sockaddr_un? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        return address
    }

    /// Calls `body` with an address as the system's calls take it.
    static func with<Result>(
        _ address: sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        unsafe withUnsafePointer(to: address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// The other side's message; nil where none comes in time, and for one that is empty or too long.
    static func receive(_ connection: CInt) -> SecretBytes? {
        var ready = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&ready, 1, patience) > 0 else { return nil }
        var count = 0
        let room = SecretBytes(count: addressLimit + 1, placement: .recycled) { bytes in
            count = unsafe bytes.withUnsafeMutableBytes { unsafe recv(connection, $0.baseAddress, $0.count, 0) }
        }
        guard (1...addressLimit).contains(count) else { return nil }
        return room.extracting(0..<count, placement: .recycled)
    }

    /// Sends a message; one that is not taken at once is lost.
    @discardableResult
    static func send(_ message: [UInt8], _ connection: CInt) -> Bool {
        unsafe Glibc.send(connection, message, message.count, CInt(MSG_NOSIGNAL)) == message.count
    }
}
