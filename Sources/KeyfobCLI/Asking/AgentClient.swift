internal import Glibc
internal import Keyfob
internal import KeyfobModel
internal import KeyfobSodium

/// A connection to an agent's socket, over which one call is made after the other.
struct AgentClient: ~Copyable {
    private let descriptor: CInt
    private let path: String
    /// Who listened when this connected.
    let process: Int32

    /// For how many seconds nobody is told that an answer is waited for.
    private static let usual = 2
    /// For how many seconds a place in the queue of those who connect is waited for.
    private static let turn = 5
    /// For how many seconds an answer is waited for that takes no person and no network.
    static let patience = 10

    /// Connects with who listens at a socket; nil where nobody does.
    ///
    /// - Parameter ofAnybody: Whether it may be another user's.
    /// - Throws: `notPermitted` where it is another user's.
    init?(_ path: String, ofAnybody: Bool = false) throws(KeyringError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let socket = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw KeyringError(.unavailable, "there are no file descriptors left") }
        // Where others connect all the time it waits for its turn (unix(7): SO_SNDTIMEO), but not behind one that takes nobody.
        var limit = timeval(tv_sec: Self.turn, tv_usec: 0)
        _ = unsafe setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let isConnected = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                while unsafe connect(socket, address, socklen_t(MemoryLayout<sockaddr_un>.size)) != 0 {
                    guard errno == EINTR else { return false }
                }
                return true
            }
        }
        guard isConnected else {
            let isFull = errno == EAGAIN
            close(socket)
            if isFull { throw Self.silent() }
            return nil
        }
        // `struct ucred`: process, user, group.
        var other: (process: Int32, user: UInt32, UInt32) = (0, .max, .max)
        var count = socklen_t(MemoryLayout.size(ofValue: other))
        guard unsafe getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &count) == 0,
            ofAnybody || other.user == geteuid()
        else {
            close(socket)
            throw KeyringError(.notPermitted, "another user listens at \(path)")
        }
        (descriptor, self.path, process) = (socket, path, other.process)
    }

    deinit { close(descriptor) }

    /// Makes a call of `io.keyfob.Agent`, of which `write` writes the parameters.
    ///
    /// - Parameters:
    ///   - patience: For how many seconds the answer is waited for.
    ///   - arrived: Called when the answer begins to come.
    ///   - waiting: Called where it has not come after ``usual`` seconds.
    /// - Throws: What the agent refuses it with; `unavailable` where it does not answer.
    func call(
        _ method: String, patience: Int = AgentClient.patience, arrived: () -> Void = {},
        waiting: (() -> Void)? = nil,
        _ write: (inout JSONWriter) -> Void = { _ in }
    ) throws(KeyringError) -> AgentReply {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("method", "io.keyfob.Agent.\(method)")
        writer.name("parameters")
        writer.beginObject()
        write(&writer)
        writer.endObject()
        writer.endObject()
        try (writer.bytes + [0]).withBytes { (bytes) throws(KeyringError) in try send(bytes) }
        return try receive(patience, arrived, waiting)
    }

    /// Hands it a vault's unlocking key.
    func unlock(_ vault: String, _ key: borrowing SecretBytes, seconds: Int64) throws(KeyringError) {
        let before =
            #"{"method":"io.keyfob.Agent.Unlock","parameters":{"vault":"\#(vault)","seconds":\#(seconds),"key":""#
        let message = key.withBytes {
            Base64.standard.encodeSecret($0, from: Array(before.utf8), to: Array("\"}}\0".utf8))
        }
        try message.withBytes { (bytes) throws(KeyringError) in try send(bytes) }
        _ = try receive(Self.patience) {}
    }

    private func send(_ bytes: RawSpan) throws(KeyringError) {
        limit(SO_SNDTIMEO, Self.patience)
        guard Self.send(bytes, over: descriptor) else { throw Self.silent() }
    }

    /// Sends bytes over a socket to their end.
    ///
    /// - Returns: Whether all were taken.
    static func send(_ bytes: RawSpan, over socket: CInt) -> Bool {
        var start = 0
        while start < bytes.byteCount {
            let rest = bytes.extracting(start..<bytes.byteCount)
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            start += count
        }
        return true
    }

    private func receive(
        _ patience: Int, _ arrived: () -> Void, _ waiting: (() -> Void)? = nil
    ) throws(KeyringError) -> AgentReply {
        var count = -1
        if let waiting, patience > Self.usual {
            count = peek(patience: Self.usual)
            if count < 0, errno == EAGAIN {
                waiting()
                count = peek(patience: patience - Self.usual)
            }
        } else {
            count = peek(patience: patience)
        }
        arrived()
        guard count > 0 else { throw Self.silent() }
        // The whole answer, however it drips.
        let end = ContinuousClock.now + .seconds(Self.patience)
        let buffer = SecretBuffer(messageFrom: descriptor, limit: AgentReply.limit) {
            let rest = (end - .now).components.seconds
            limit(SO_RCVTIMEO, Int(rest) + 1)
            return rest >= 0
        }
        guard buffer.endsWithZero else {
            throw buffer.count < AgentReply.limit ? Self.silent() : Self.senseless()
        }
        let reply = buffer.withBytes { bytes in AgentReply(bytes.extracting(0..<bytes.byteCount - 1)) }
        guard let reply else { throw Self.senseless() }
        if let error = reply.error { throw error }
        return reply
    }

    /// Waits for the first byte, which stays.
    private func peek(patience: Int) -> Int {
        limit(SO_RCVTIMEO, patience)
        var first: UInt8 = 0
        while true {
            let count = unsafe recv(descriptor, &first, 1, CInt(MSG_PEEK))
            guard count < 0, errno == EINTR else { return count }
        }
    }

    private func limit(_ option: CInt, _ seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// What is thrown where an answer is none.
    static func senseless() -> KeyringError {
        KeyringError(.unavailable, "what the agent answers makes no sense", advice: .restartAgent)
    }

    private static func silent() -> KeyringError {
        KeyringError(.unavailable, "the agent does not answer", advice: .restartAgent)
    }
}

extension SecretBuffer {
    /// What comes over a descriptor up to the zero that ends a message; it breaks off at the limit, where nothing more comes
    /// and where that fails.
    ///
    /// - Parameter isInTime: Asked before each reading whether there is time for one.
    init(messageFrom descriptor: CInt, limit: Int, isInTime: () -> Bool = { true }) {
        self.init(capacity: 8_192)
        while !endsWithZero, isInTime() {
            if count == capacity {
                guard capacity < limit else { return }
                var larger = SecretBuffer(capacity: 4 * capacity)
                withBytes { larger.append($0) }
                self = larger
            }
            guard let more = try? append(readingFrom: descriptor), more > 0 else { return }
        }
    }

    /// Whether it holds a whole message.
    var endsWithZero: Bool { withBytes { $0.byteCount > 0 && $0.byte(at: $0.byteCount - 1) == 0 } }
}
