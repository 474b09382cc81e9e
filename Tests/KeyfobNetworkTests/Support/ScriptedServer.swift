internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// A server on this machine that behaves as a test wants, well or badly, the same way on each connection.
final class ScriptedServer: Sendable {
    /// What it does with a connection.
    enum Behaviour: Sendable {
        /// Closes it at once.
        case close
        /// Reads a whole request and closes.
        case readAndClose
        /// Reads and says nothing.
        case silent
        /// Reads a whole request, writes this and closes.
        case answer(String)
        /// Reads a whole request, writes this and stays.
        case answerAndStay(String)
        /// Reads a whole request, writes this, and zeros until nobody takes them any more.
        case flood(String)
        /// Reads a CONNECT request, grants it, and is a TLS server that gives this answer.
        case tunnel(NIOSSLContext, String)
    }

    private let behaviour: Behaviour
    private let record = Mutex(Record())

    private struct Record {
        var listening: (any Channel)?
        var received: [String] = []
        var written = 0
    }

    /// A server; with TLS where there is a context.
    static func run<Result>(
        _ behaviour: Behaviour, tls: NIOSSLContext? = nil, _ body: (ScriptedServer) async throws -> Result
    ) async throws -> Result {
        let server = ScriptedServer(behaviour)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.addHandler(server.handler())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        server.record.withLock { $0.listening = channel }
        do {
            let result = try await body(server)
            try await channel.close()
            return result
        } catch {
            try await channel.close()
            throw error
        }
    }

    private init(_ behaviour: Behaviour) { self.behaviour = behaviour }

    /// Where it listens.
    var port: Int { record.withLock { $0.listening?.localAddress?.port ?? 0 } }
    /// What each connection sent.
    var received: [String] { record.withLock { $0.received } }
    /// How many bytes of a flood went out.
    var written: Int { record.withLock { $0.written } }

    private func handler() -> Handler {
        let index = record.withLock { record in
            record.received.append("")
            return record.received.count - 1
        }
        return Handler(server: self, index: index)
    }

    /// Serves one connection.
    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let server: ScriptedServer
        private let index: Int
        private var behaviour: Behaviour
        private var text = ""

        init(server: ScriptedServer, index: Int) {
            self.server = server
            self.index = index
            self.behaviour = server.behaviour
        }

        func channelActive(context: ChannelHandlerContext) {
            if case .close = behaviour { context.close(promise: nil) }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            text += String(buffer: unwrapInboundIn(data))
            server.record.withLock { [index, text] in $0.received[index] = text }
            guard isComplete else { return }
            switch behaviour {
            case .close, .silent: break
            case .readAndClose: context.close(promise: nil)
            case .answer(let answer):
                let channel = context.channel
                channel.writeAndFlush(ByteBuffer(string: answer)).whenComplete { _ in channel.close(promise: nil) }
            case .answerAndStay(let answer):
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
            case .flood(let answer):
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
                server.flood(context.channel)
            case .tunnel(let tls, let answer):
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\n")), promise: nil)
                let handler = NIOSSLServerHandler(context: tls)
                try? context.pipeline.syncOperations.addHandler(handler, position: .first)
                behaviour = .answer(answer)
                text = ""
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        /// Whether head and body are there.
        private var isComplete: Bool {
            guard let end = text.range(of: "\r\n\r\n") else { return false }
            let fields = text[..<end.lowerBound].lowercased().split(separator: "\r\n")
            let length = fields.first { $0.hasPrefix("content-length:") }?.split(separator: " ").last.flatMap {
                Int($0)
            }
            return text[end.upperBound...].utf8.count >= length ?? 0
        }
    }

    private func flood(_ channel: any Channel) {
        let part = ByteBuffer(repeating: 0x20, count: 1 << 16)
        channel.writeAndFlush(part).whenSuccess { [self] in
            record.withLock { $0.written += 1 << 16 }
            flood(channel)
        }
    }
}
