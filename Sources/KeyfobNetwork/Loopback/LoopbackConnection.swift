internal import KeyfobSodium
internal import NIOCore
internal import NIOHTTP1

/// One connection of a browser: reads one request, writes one page, and goes.
///
/// It refuses what is no callback by itself; a callback waits for the page that is written to the channel.
final class LoopbackConnection: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = LoopbackPage
    typealias OutboundOut = HTTPServerResponsePart

    private enum State {
        case readingHead
        case readingBody(LoopbackAddress.Fields)
        case waiting
        case answered
    }

    private let address: LoopbackAddress
    private let requestLimit: TimeAmount
    private let deliver: (LoopbackCallback) -> Void
    private var state = State.readingHead
    private var isHead = false
    private var body = ByteBuffer()
    private var closing: Scheduled<Void>?

    /// How long the browser has to take its page and close, in seconds.
    static let lingerLimit = TimeAmount.seconds(2)

    init(address: LoopbackAddress, requestLimit: TimeAmount, deliver: @escaping (LoopbackCallback) -> Void) {
        self.address = address
        self.requestLimit = requestLimit
        self.deliver = deliver
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        closing = context.eventLoop.scheduleTask(in: requestLimit) {
            let (connection, context) = loopBound.value
            connection.refuse(.slow, context)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        closing?.cancel()
        body.setRepeatingByte(0, count: body.writerIndex, at: 0)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (state, unwrapInboundIn(data)) {
        case (.readingHead, .head(let head)):
            isHead = head.method == .HEAD
            do {
                state = .readingBody(try address.fields(of: head))
            } catch {
                refuse(error, context)
            }
        case (.readingBody(let fields), .body(var part)):
            guard fields == .body, body.readableBytes + part.readableBytes <= LoopbackAddress.bodyLimit else {
                return refuse(.bodyTooLong, context)
            }
            body.writeBuffer(&part)
        case (.readingBody(let fields), .end):
            closing?.cancel()
            state = .waiting
            let secret =
                switch fields {
                case .query(let query): Array(query.utf8).withBytes { SecretBytes(copying: $0, placement: .recycled) }
                case .body: SecretBytes(copying: body.readableBytesSpan, placement: .recycled)
                }
            deliver(LoopbackCallback(fields: LoopbackCallback.Fields(secret), channel: context.channel))
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case let refusal as LoopbackAddress.Refusal: refuse(refusal, context)
        case is HTTPParserError: refuse(.malformed, context)
        default: context.close(promise: nil)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        answer(unwrapOutboundIn(data), context, promise)
    }

    private func refuse(_ refusal: LoopbackAddress.Refusal, _ context: ChannelHandlerContext) {
        switch state {
        case .readingHead, .readingBody: answer(.refused(refusal.status, refusal.reason), context, nil)
        case .waiting, .answered: break
        }
    }

    /// Writes a page, then ends our side and lets the browser end its own, so that no reset overtakes the page.
    private func answer(_ page: LoopbackPage, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        if case .answered = state {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        state = .answered
        closing?.cancel()
        let channel = context.channel
        closing = context.eventLoop.scheduleTask(in: Self.lingerLimit) { channel.close(promise: nil) }
        let written = promise ?? context.eventLoop.makePromise()
        written.futureResult.whenComplete { _ in channel.close(mode: .output, promise: nil) }
        context.write(wrapOutboundOut(.head(Self.head(for: page))), promise: nil)
        if !isHead { context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: page.html)))), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    }

    private static func head(for page: LoopbackPage) -> HTTPResponseHead {
        var headers: HTTPHeaders = [
            "Content-Type": "text/html; charset=utf-8",
            "Content-Length": String(page.html.utf8.count),
            "Content-Security-Policy":
                "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Connection": "close",
        ]
        if page.status == 405 { headers.add(name: "Allow", value: "GET, POST") }
        return HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: page.status), headers: headers)
    }
}

/// Counts what a connection sends, before anything is understood of it.
final class LoopbackByteLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var count = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        count += unwrapInboundIn(data).readableBytes
        guard count <= LoopbackAddress.headLimit + LoopbackAddress.bodyLimit else {
            return context.fireErrorCaught(LoopbackAddress.Refusal.tooLong)
        }
        context.fireChannelRead(data)
    }
}
