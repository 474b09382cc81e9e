internal import Glibc
internal import KeyfobFiles
internal import KeyfobSodium
internal import Synchronization

/// The sockets of a ``LoopbackListener``, and the connections that came in by them.
final class LoopbackServer: Sendable {
    /// The most connections at once; for one more the oldest goes whose request is not whole.
    static let connectionLimit = 16

    /// The fields of a callback, and the connection that waits for its page.
    struct Callback: ~Copyable, Sendable {
        let fields: SecretBytes
        let connection: CInt

        /// The fields, when the connection is known.
        consuming func takeFields() -> SecretBytes { fields }
    }

    /// The redirect address.
    let address: LoopbackAddress
    private let requestLimit: Duration
    private let bell: StopSignal
    private let sockets: Mutex<Sockets>
    private let isShut = Atomic(false)

    private struct Sockets {
        var listening: [CInt]
        /// In the order in which they came.
        var connections: [LoopbackConnection] = []
    }

    /// Listens on a port, 0 for any; nil where somebody else does.
    ///
    /// For `localhost` the port must be ours in IPv6 too, or a browser could bring its answer to somebody else there.
    init?(_ host: LoopbackListener.Host, port: Int, path: String, requestLimit: Duration) throws(LoopbackError) {
        self.bell = try StopSignal()
        guard let first = try LoopbackSocket.listen(isIPv6: host == .ipv6, port: port) else { return nil }
        let port = LoopbackSocket.port(of: first)
        var listening = [first]
        if host == .localhost {
            do {
                guard let second = try LoopbackSocket.listen(isIPv6: true, port: port) else {
                    _ = Glibc.close(first)
                    return nil
                }
                listening.append(second)
            } catch {
                // There is no IPv6 here, so nobody can listen on it either.
            }
        }
        self.address = LoopbackAddress(host: host.rawValue, port: port, path: path)
        self.requestLimit = requestLimit
        self.sockets = Mutex(Sockets(listening: listening))
    }

    deinit { close() }

    /// Has a wait end now, and every later one at once; may be called from anywhere.
    func shut() {
        isShut.store(true, ordering: .releasing)
        bell.ring()
    }

    /// Closes every socket, once the wait has ended.
    func close() {
        shut()
        sockets.withLock { sockets in
            for descriptor in sockets.listening {
                // A child of this process that is just being started may have a copy, and would go on listening.
                _ = shutdown(descriptor, CInt(SHUT_RDWR))
                _ = Glibc.close(descriptor)
            }
            sockets = Sockets(listening: [])
        }
    }

    /// The next callback; nil when the time is up or the door is shut.
    func callback(before deadline: ContinuousClock.Instant) async -> Callback? {
        let found = Handover<Callback>()
        _ = await BlockingThread.run { [self] in
            serve(until: deadline) { connections in
                for connection in connections {
                    guard let fields = connection.takeFields() else { continue }
                    found.put(Callback(fields: fields, connection: connection.descriptor))
                    return true
                }
                return false
            }
        }
        return found.take()
    }

    /// Answers a callback.
    func answer(_ page: LoopbackPage, to descriptor: CInt) {
        sockets.withLock { $0.connections.first { $0.descriptor == descriptor }?.answer(page) }
    }

    /// Waits until the browser has taken its page, or its time for that is over.
    func seeOff(_ descriptor: CInt) async {
        _ = await BlockingThread.run { [self] in
            serve(until: .now + LoopbackConnection.lingerLimit) { connections in
                !connections.contains { $0.descriptor == descriptor }
            }
        }
    }

    /// Reads, writes and takes connections until `isDone`, the time is up or the door is shut; blocks its thread.
    private func serve(until deadline: ContinuousClock.Instant, isDone: ([LoopbackConnection]) -> Bool) {
        sockets.withLock { sockets in
            while !isDone(sockets.connections), !isShut.load(ordering: .acquiring), deadline > .now {
                step(&sockets, until: deadline)
            }
        }
    }

    private func step(_ sockets: inout Sockets, until deadline: ContinuousClock.Instant) {
        var waits = [pollfd(fd: bell.ear, events: Int16(POLLIN), revents: 0)]
        waits += sockets.connections.map(\.wait)
        waits += sockets.listening.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        LoopbackSocket.wait(&waits, until: sockets.connections.reduce(deadline) { min($0, $1.deadline ?? $0) })
        for (connection, wait) in zip(sockets.connections, waits.dropFirst()) {
            if wait.revents != 0 { connection.advance() }
            if let deadline = connection.deadline, deadline <= .now { connection.expire() }
        }
        sockets.connections.removeAll(where: \.isGone)
        // One at a time: what the others have sent meanwhile is read before the next one comes in.
        for (descriptor, wait) in zip(sockets.listening, waits.suffix(sockets.listening.count)) where wait.revents != 0
        {
            guard let accepted = LoopbackSocket.accept(descriptor) else { continue }
            let connection = LoopbackConnection(accepted, address: address, deadline: .now + requestLimit)
            if sockets.connections.count >= Self.connectionLimit {
                guard let oldest = sockets.connections.firstIndex(where: \.isReading) else { continue }
                sockets.connections.remove(at: oldest)
            }
            sockets.connections.append(connection)
        }
    }
}
