internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Synchronization

/// The sockets of a ``LoopbackListener``, and the callbacks that came in by them.
final class LoopbackDoor: Sendable {
    /// The most connections at once; more are closed unheard.
    static let connectionLimit = 16

    /// What came, in its order; ends when the door closes or the time is up.
    let callbacks: AsyncStream<LoopbackCallback>
    private let arrival: AsyncStream<LoopbackCallback>.Continuation
    private let path: String
    private let requestLimit: TimeAmount
    private let state = Mutex(State())

    private struct State {
        var address: LoopbackAddress?
        var listening: [any Channel] = []
        var connections: [ObjectIdentifier: any Channel] = [:]
        var isClosed = false
        var isLate = false
    }

    init(path: String, requestLimit: TimeAmount) {
        (self.callbacks, self.arrival) = AsyncStream.makeStream()
        self.path = path
        self.requestLimit = requestLimit
    }

    /// The redirect address, once the door is open.
    var address: LoopbackAddress? { state.withLock { $0.address } }

    /// Whether the time was up.
    var isLate: Bool { state.withLock { $0.isLate } }

    /// How many connections there are.
    var connectionCount: Int { state.withLock { $0.connections.count } }

    /// Listens on a port, 0 for any; false where somebody else does.
    ///
    /// For `localhost` the port must be ours in IPv6 too, or a browser could bring its answer to somebody else there.
    func open(_ host: LoopbackListener.Host, port: Int) async throws(LoopbackError) -> Bool {
        guard let first = try await listen("127.0.0.1", port), let port = first.localAddress?.port else { return false }
        if host == .localhost {
            do {
                guard try await listen("::1", port) != nil else {
                    await close()
                    return false
                }
            } catch {
                // There is no IPv6 here, so nobody can listen on it either.
            }
        }
        state.withLock { $0.address = LoopbackAddress(host: host.rawValue, port: port, path: path) }
        return true
    }

    /// Ends the callbacks after so long; whoever waits then finds the door late.
    func close(in time: TimeAmount) -> Scheduled<Void> {
        MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: time) { [self] in
            state.withLock { $0.isLate = true }
            arrival.finish()
        }
    }

    /// Closes every socket and waits until they are.
    func close() async {
        arrival.finish()
        let channels = state.withLock { state in
            state.isClosed = true
            return state.listening + state.connections.values
        }
        for channel in channels { channel.close(promise: nil) }
        for channel in channels { try? await channel.closeFuture.get() }
    }

    /// A listening socket; nil where the port is in use.
    private func listen(_ host: String, _ port: Int) async throws(LoopbackError) -> (any Channel)? {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: Int32(Self.connectionLimit))
            // A port that this machine has used a minute ago is free all the same.
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { [self] channel in
                channel.eventLoop.makeCompletedFuture { try welcome(channel) }
            }
        do {
            let channel = try await bootstrap.bind(host: host, port: port).get()
            state.withLock { $0.listening.append(channel) }
            return channel
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            return nil
        } catch {
            throw .unavailable
        }
    }

    private func welcome(_ channel: any Channel) throws {
        let identity = ObjectIdentifier(channel)
        let address = state.withLock { state -> LoopbackAddress? in
            guard !state.isClosed, state.connections.count < Self.connectionLimit else { return nil }
            if state.address != nil { state.connections[identity] = channel }
            return state.address
        }
        // What is thrown here closes the connection.
        guard let address else { throw ChannelError.ioOnClosedChannel }
        channel.closeFuture.whenComplete { [self] _ in
            state.withLock { _ = $0.connections.removeValue(forKey: identity) }
        }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(LoopbackByteLimit())
        try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: false)
        try pipeline.addHandler(
            LoopbackConnection(address: address, requestLimit: requestLimit) { [arrival] in arrival.yield($0) })
    }
}
