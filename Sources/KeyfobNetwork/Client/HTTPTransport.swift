internal import AsyncHTTPClient
internal import KeyfobOAuth
internal import KeyfobSodium
internal import NIOCore
internal import NIOHTTP1

/// Sends requests over HTTP/1.1, each once, on a connection of its own.
///
/// A connection that is kept for the next request can be closed by the server while that one is on its way; nobody
/// could tell then whether a refresh token arrived. A fresh connection leaves no such doubt, and a program that
/// sends one or two requests loses nothing by it.
struct HTTPTransport: Sendable {
    let userAgent: String
    let certificates: TrustedCertificates
    let proxies: ProxySettings
    let log: @Sendable (String) -> Void

    /// How long a connection may take to be there, TLS included, in seconds.
    static let connectLimit: Int64 = 10

    /// Sends a request once and waits for the whole answer at most so many seconds.
    func send(_ request: consuming HTTPRequest, seconds: Int64) async -> HTTPExchange {
        let title = request.redactedDescription
        let limit = request.answerLimit
        // What announces a body in answer to HEAD has none.
        let hasBody = request.method != .head
        // A day is as good as for ever, and does not overflow.
        let seconds = min(max(0, seconds), 86_400)
        let deadline = NIODeadline.now() + .seconds(seconds)
        let gate = RequestGate(answerLimit: limit)
        let client = client(for: request.url, gate: gate, deadline: deadline, seconds: seconds)
        // Nobody waits for the connection to close: the other side may take its time.
        defer { client.shutdown { _ in } }
        let answer: HTTPClientResponse
        do {
            answer = try await execute(request, with: client, deadline: deadline)
        } catch {
            let failure = gate.seal() ? ProviderFailure.unreachable : .outcomeUnknown
            log("\(title): \(TransportFault.reason(for: error, isExpired: gate.isExpired))")
            return .failed(failure)
        }
        let status = Int(answer.status.code)
        do {
            let body = try await Self.body(of: answer, hasBody: hasBody, limit: limit)
            guard !gate.isExpired, !Task.isCancelled else {
                log("\(title): \(TransportFault.reason(for: CancellationError(), isExpired: gate.isExpired))")
                return .failed(.outcomeUnknown)
            }
            log("\(title): \(status)")
            let headers = answer.headers.map { HTTPHeader(name: $0.name, value: $0.value) }
            return .answered(try HTTPResponse(status: status, headers: headers, body: body, limit: limit))
        } catch let violation as ProtocolViolation {
            log("\(title): \(violation)")
            return .failed(.protocolViolation(violation, status: status))
        } catch {
            log("\(title): \(TransportFault.reason(for: error, isExpired: gate.isExpired))")
            return .failed(.outcomeUnknown)
        }
    }

    private func client(
        for url: EndpointURL, gate: RequestGate, deadline: NIODeadline, seconds: Int64
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: certificates.configuration, redirectConfiguration: .disallow, decompression: .disabled)
        configuration.timeout.connect = .seconds(min(Self.connectLimit, seconds))
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        configuration.maximumUsesPerConnection = 1
        configuration.http1_1ConnectionDebugInitializer = { gate.install(in: $0, deadline: deadline) }
        configuration.proxy = proxies.proxy(for: url).map { proxy in
            switch proxy.kind {
            case .socks5: .socksServer(host: proxy.host, port: proxy.port)
            case .http:
                .server(
                    host: proxy.host, port: proxy.port,
                    authorization: proxy.user.map { .basic(username: $0, password: proxy.password ?? "") })
            }
        }
        return HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }

    /// The only place where a request's secrets become ordinary memory.
    ///
    /// The body is overwritten when the answer's head is there, or none will come. What the client and TLS copied of it, and the
    /// `Authorization` header, which the client wants as a `String`, are freed without that.
    private func execute(
        _ request: borrowing HTTPRequest, with client: HTTPClient, deadline: NIODeadline
    ) async throws -> HTTPClientResponse {
        var sent = HTTPClientRequest(url: request.url.text)
        sent.method = HTTPMethod(rawValue: request.method.rawValue)
        for header in request.headers { sent.headers.add(name: header.name, value: header.value) }
        sent.headers.replaceOrAdd(name: "User-Agent", value: userAgent)
        sent.headers.replaceOrAdd(name: "Accept-Encoding", value: "identity")
        sent.headers.replaceOrAdd(name: "Connection", value: "close")
        if let value = request.authorization?.withBytes({ String(decoding: [UInt8]($0), as: UTF8.self) }) {
            sent.headers.replaceOrAdd(name: "Authorization", value: value)
        }
        var body = ByteBuffer()
        request.body?.withBytes { _ = body.writeBytes($0) }
        if body.readableBytes > 0 { sent.body = .bytes(body) }
        defer {
            sent.body = nil
            // In place where nobody else holds it any more, which nothing here can promise.
            body.setRepeatingByte(0, count: body.readableBytes, at: body.readerIndex)
        }
        return try await client.execute(sent, deadline: deadline)
    }

    /// The body, copied once from the client's buffers to guarded memory.
    private static func body(of answer: HTTPClientResponse, hasBody: Bool, limit: Int) async throws -> SecretBytes {
        let announced = hasBody ? answer.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 4_096 : 0
        guard announced <= limit else { throw ProtocolViolation.tooLarge }
        var gathered = SecretBuffer(capacity: max(1, announced))
        for try await part in answer.body {
            let total = gathered.count + part.readableBytes
            guard total <= limit else { throw ProtocolViolation.tooLarge }
            if total > gathered.capacity {
                var larger = SecretBuffer(capacity: min(limit, max(total, 2 * gathered.capacity)))
                gathered.withBytes { larger.append($0) }
                gathered = larger
            }
            gathered.append(part.readableBytesSpan)
        }
        return gathered.withBytes { SecretBytes(copying: $0) }
    }
}
