internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// Knows whether a request may have been written, and can forbid that it is.
///
/// Whether a refresh token was sent decides what becomes of it, so the answer must not race with the write: after
/// ``seal()`` nothing is written any more.
final class RequestGate: Sendable {
    private enum State {
        case open
        case written
        case sealed
    }

    private struct Passage {
        var state = State.open
        var isExpired = false
    }

    private let passage = Mutex(Passage())
    /// The longest answer with its head and its marks, in bytes; the body alone has a limit of its own.
    private let limit: Int

    /// A gate for a request whose answer has a body of at most `answerLimit` bytes.
    init(answerLimit: Int) {
        limit = 4 * answerLimit
    }

    /// Forbids the request; false where it may have been written before.
    func seal() -> Bool {
        passage.withLock { passage in
            if passage.state == .open { passage.state = .sealed }
            return passage.state == .sealed
        }
    }

    /// Whether the time was up before the answer was there.
    var isExpired: Bool { passage.withLock { $0.isExpired } }

    /// Puts the gate between HTTP and TLS (or the socket) of a connection; closes the connection at `deadline`.
    func install(in channel: any Channel, deadline: NIODeadline) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let encoder = try pipeline.handler(type: HTTPRequestEncoder.self)
            try pipeline.addHandler(Handler(gate: self, deadline: deadline), position: .before(encoder))
        }
    }

    /// Whether something may be written now.
    private func pass() -> Bool {
        passage.withLock { passage in
            if passage.state == .open { passage.state = .written }
            return passage.state == .written
        }
    }

    private func expire() { passage.withLock { $0.isExpired = true } }

    /// Stands in the pipeline of one connection.
    private final class Handler: ChannelDuplexHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundIn = IOData
        typealias OutboundOut = IOData

        private let gate: RequestGate
        private let deadline: NIODeadline
        private var closing: Scheduled<Void>?
        private var receivedCount = 0

        init(gate: RequestGate, deadline: NIODeadline) {
            self.gate = gate
            self.deadline = deadline
        }

        func handlerAdded(context: ChannelHandlerContext) {
            closing = context.eventLoop.scheduleTask(deadline: deadline) { [gate, channel = context.channel] in
                gate.expire()
                channel.close(promise: nil)
            }
        }

        func handlerRemoved(context: ChannelHandlerContext) {
            closing?.cancel()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            receivedCount += unwrapInboundIn(data).readableBytes
            guard receivedCount <= gate.limit else {
                context.close(promise: nil)
                return
            }
            context.fireChannelRead(data)
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            guard gate.pass() else {
                promise?.fail(ChannelError.ioOnClosedChannel)
                context.close(promise: nil)
                return
            }
            context.write(data, promise: promise)
        }
    }
}
