internal import NIOCore
internal import NIOPosix

/// Stands in for a browser: writes bytes to a port and reads what comes until the other side ends.
enum Browser {
    /// Everything that a server on this machine answers to `text`.
    static func send(_ text: String, to port: Int, host: String = "127.0.0.1") async throws -> String {
        try await withConnection(to: port, host: host) { browser in
            try await browser.write(text)
            return await browser.rest()
        }
    }

    /// Calls `body` with an open connection.
    static func withConnection<Result>(
        to port: Int, host: String = "127.0.0.1", _ body: (borrowing Open) async throws -> Result
    ) async throws -> Result {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(
            host: host, port: port
        ) {
            channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
        var result: Result?
        do {
            try await channel.executeThenClose { inbound, outbound in
                result = try await body(Open(inbound: inbound, outbound: outbound))
            }
        } catch let error as ChannelError where error == .ioOnClosedChannel || error == .alreadyClosed {
            // The listener was faster to close; what it wrote before has been read.
            if let result { return result }
            throw error
        }
        guard let result else { throw ChannelError.eof }
        return result
    }

    /// An open connection.
    struct Open: ~Copyable {
        let inbound: NIOAsyncChannelInboundStream<ByteBuffer>
        let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

        /// Writes a text.
        ///
        /// That the listener closes meanwhile is no error: what it has said is there to be read.
        borrowing func write(_ text: String) async throws {
            do {
                try await outbound.write(ByteBuffer(string: text))
            } catch let error as ChannelError where error == .ioOnClosedChannel {}
        }

        /// Reads to the end, whichever it is.
        borrowing func rest() async -> String {
            var text = ""
            do {
                for try await part in inbound { text += String(buffer: part) }
            } catch {
                // A reset is an end too.
            }
            return text
        }
    }
}

extension Browser {
    /// A callback by GET.
    static func get(_ target: String, port: Int, host: String = "127.0.0.1") -> String {
        "GET \(target) HTTP/1.1\r\nHost: \(host):\(port)\r\n\r\n"
    }

    /// A callback by POST.
    static func post(
        _ body: String, port: Int, type: String = "application/x-www-form-urlencoded", length: Int? = nil
    ) -> String {
        "POST /callback HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: \(type)\r\n"
            + "Content-Length: \(length ?? body.utf8.count)\r\n\r\n" + body
    }
}
