internal import CLibcurl
internal import Glibc
internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium

/// One connection of a program: requests one after the other, each judged, passed on and answered.
///
/// It never blocks: ``events`` says what to wait for, ``advance()`` does what the socket allows.
final class GatewayConnection {
    private enum State {
        case reading
        case asking
        case relaying
        case writing(isLast: Bool)
        case lingering
        case gone
    }

    /// How long a program may take, in each case.
    struct Limits: Sendable {
        /// For the head of a request, from its first byte.
        var head = Duration.seconds(15)
        /// For the first byte of the first one, where others wait.
        var first = Duration.seconds(1)
        /// Between two requests.
        var idle = Duration.seconds(60)
        /// Until it takes or gives the next bytes.
        var stall = Duration.seconds(60)
        /// To take the end of its answer and close.
        var linger = Duration.seconds(2)
    }

    let descriptor: CInt
    private let references: GatewayReferences
    private let nonces: GatewayNonces
    private let limits: Limits
    private var state = State.reading
    private var input = ByteQueue()
    private var scanned = 0
    private var output = ByteQueue()
    private var request: GatewayRequest?
    private var body = GatewayBody(.none)
    /// What of the body has been sent, to send it again; nil where that was too long.
    private var sent: [UInt8]? = []
    private(set) var transfer: GatewayTransfer?
    private var isHeadWritten = false
    private var isChunked = false
    private var isRepeated = false
    /// When it last got or gave anything.
    private var progress = ContinuousClock.now
    /// What there is to judge, with a number of its own; 0 where nobody waits for the answer.
    private var question: (GatewayQuestion, ticket: Int)?
    private var ticket = 0
    /// What the program was refused, to be told.
    private(set) var refused: [(question: String, reason: String)] = []

    /// Takes over a descriptor.
    init(_ descriptor: CInt, references: GatewayReferences, nonces: GatewayNonces, limits: Limits) {
        (self.descriptor, self.references, self.nonces, self.limits) = (descriptor, references, nonces, limits)
    }

    deinit { close(descriptor) }

    /// Whether it waits for a request of which nothing has come.
    var isIdle: Bool { if case .reading = state { input.isEmpty } else { false } }
    /// Whether it can make room for another one: nothing of a request has come, though it had a moment for its first.
    var canGo: Bool {
        guard isIdle, ticket > 0 || progress + limits.first <= .now else { return false }
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, CInt(MSG_PEEK)) <= 0
    }
    /// Whether nothing happens here any more.
    var isGone: Bool { if case .gone = state { true } else { false } }

    /// When it is over at the latest; nil while only the service is waited for.
    var deadline: ContinuousClock.Instant? {
        switch state {
        case .reading: progress + (input.isEmpty ? limits.idle : limits.head)
        case .lingering: progress + limits.linger
        case .writing: progress + limits.stall
        case .relaying where !output.isEmpty || transfer?.wantsMore == true && !body.isDone: progress + limits.stall
        case .asking, .relaying, .gone: nil
        }
    }

    /// What to wait for, as libcurl takes it.
    var events: Int16 {
        var events = output.isEmpty ? 0 : libcurl_WAIT_POLLOUT
        switch state {
        case .reading, .lingering: events |= libcurl_WAIT_POLLIN
        // Also where nothing more is to come, to notice that it goes.
        case .asking, .relaying, .writing: if input.count < Self.window { events |= libcurl_WAIT_POLLIN }
        case .gone: break
        }
        return Int16(events)
    }

    private static let window = 64 << 10

    /// Reads what has come.
    func receive() {
        if case .gone = state { return }
        var part = [UInt8](repeating: 0, count: Self.window)
        let count = unsafe recv(descriptor, &part, part.count, 0)
        guard count > 0 else {
            if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
            return leave()
        }
        if case .lingering = state { return }
        // The time for a head runs from its first byte, however slowly it comes.
        if case .reading = state, !input.isEmpty {} else { progress = .now }
        input.append(Array(part.prefix(count)))
    }

    /// Does what can be done without waiting.
    func advance() {
        if case .reading = state, !input.isEmpty { read() }
        var hasMoved = true
        while hasMoved {
            hasMoved = false
            if case .relaying = state { hasMoved = relay() }
            if flush() { hasMoved = true }
            // It can give and take at once what it has held back.
            transfer?.resume()
        }
    }

    /// Says that the time is up.
    func expire() {
        if case .reading = state, !input.isEmpty { refuse(.slow) } else { leave() }
    }

    /// What was refused since this was asked last.
    func takeRefused() -> [(question: String, reason: String)] {
        defer { refused = [] }
        return refused
    }

    /// The question, once.
    func takeQuestion() -> (GatewayQuestion, ticket: Int)? {
        defer { question = nil }
        return question
    }

    /// The request that waits for the answer to the question of this number.
    func request(of ticket: Int) -> GatewayRequest? {
        switch state {
        case _ where ticket != self.ticket: nil
        case .asking: request
        case .relaying where transfer?.isHeld == true: request
        default: nil
        }
    }

    /// Passes the request on.
    func begin(_ transfer: GatewayTransfer) {
        guard let request else { return leave() }
        isRepeated = self.transfer != nil
        self.transfer = transfer
        (isHeadWritten, state, progress) = (false, .relaying, .now)
        if !isRepeated {
            (body, sent) = (GatewayBody(request.framing), [])
        } else if let sent, !sent.isEmpty {
            transfer.send(sent)
        }
        if request.awaitsGoAhead, !body.isDone, !isRepeated {
            output.append(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        advance()
    }

    /// Lets the answer count that was held back, or refuses what has none.
    ///
    /// - Parameter asked: Method and path, where there is no request.
    func refuse(_ refusal: GatewayRefusal, _ asked: String? = nil) {
        if let transfer, transfer.isHeld {
            transfer.isHeld = false
            isRepeated = true
            return advance()
        }
        let text = "keyfob: \(refusal.reason)\n"
        let question = request.map { "\($0.question.method) \($0.question.place)" }
        refused.append((question ?? asked ?? "a request", refusal.reason))
        transfer = nil
        let isHead = request?.question.method == "HEAD"
        output.append(
            Array(
                """
                HTTP/1.1 \(refusal.status) Refused\r
                Content-Type: text/plain; charset=utf-8\r
                Content-Length: \(text.utf8.count)\r
                Cache-Control: no-store\r
                Connection: close\r
                \r
                \(isHead ? "" : text)
                """.utf8))
        // It is written in the next turn, so that whoever waits for it finds the refusal told already.
        (state, progress) = (.writing(isLast: true), .now)
    }

    private func leave() {
        transfer = nil
        state = .gone
    }

    // The program's side.

    private func read() {
        do {
            let head = try input.withBytes { bytes throws(LoopbackRequest.Refusal) in
                let head = try LoopbackRequest(reading: bytes, from: scanned)
                return head.map { head in
                    (head, head.query.map { String(decoding: [UInt8](bytes.extracting($0)), as: UTF8.self) })
                }
            }
            guard let (head, query) = head else {
                scanned = input.count
                return
            }
            scanned = 0
            input.drop(head.count)
            take(head, query)
        } catch {
            refuse(GatewayRefusal(error))
        }
    }

    private func take(_ head: LoopbackRequest, _ query: String?) {
        do {
            let request = try GatewayRequest(head, query: query, to: references.gateway)
            ticket += 1
            (self.request, question, state) = (request, (request.question, ticket), .asking)
            (isRepeated, transfer) = (false, nil)
        } catch {
            refuse(error, "\(head.method) \(references.gateway.shown(head.path))")
        }
    }

    /// Writes what the socket takes, and goes on to the next request where that was all.
    ///
    /// - Returns: Whether it took any.
    @discardableResult
    private func flush() -> Bool {
        var hasMoved = false
        while !output.isEmpty {
            let count = output.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            }
            if count < 0 {
                if errno == EINTR { continue }
                if errno != EAGAIN { leave() }
                return false
            }
            output.drop(count)
            (hasMoved, progress) = (true, .now)
        }
        guard case .writing(let isLast) = state else { return hasMoved }
        (request, transfer, sent) = (nil, nil, nil)
        if isLast {
            // Only our side ends: the program ends its own, so that no reset overtakes the answer.
            state = shutdown(descriptor, CInt(SHUT_WR)) == 0 ? .lingering : .gone
        } else {
            state = .reading
            if !input.isEmpty { read() }
        }
        return hasMoved
    }

    // The service's side.

    /// Moves what there is, as far as there is room.
    ///
    /// - Returns: Whether there was any.
    private func relay() -> Bool {
        guard let transfer, let request else {
            leave()
            return false
        }
        var hasMoved = false
        do {
            // What comes while an answer is held back may be for the request that takes its place.
            while !transfer.isHeld, transfer.wantsMore,
                let part = try body.next(from: &input, atMost: GatewayTransfer.window)
            {
                transfer.send(part)
                if let sent { self.sent = sent.count + part.count > GatewayTransfer.window ? nil : sent + part }
                (hasMoved, progress) = (true, .now)
            }
            if body.isDone { transfer.endSending() }
        } catch {
            if isHeadWritten { leave() } else { refuse(error) }
            return false
        }
        if transfer.head.isFinal, !isHeadWritten, !transfer.isHeld { writeHead(transfer, request) }
        if isHeadWritten {
            while !transfer.incoming.isEmpty, output.count < GatewayTransfer.window {
                write(transfer.incoming.take(atMost: GatewayTransfer.window))
                hasMoved = true
            }
        }
        switch transfer.ending {
        case .failed(let fault) where !isHeadWritten:
            refuse(GatewayRefusal(status: 502, reason: "\(request.question.host) cannot be asked: \(fault)"))
        case .failed: if transfer.incoming.isEmpty { state = .writing(isLast: true) }
        case .whole where isHeadWritten && transfer.incoming.isEmpty:
            if isChunked { output.append(Array("0\r\n\r\n".utf8)) }
            // What the service did not want to have is not taken for the next request.
            state = .writing(isLast: request.isLast || !body.isDone)
        case .whole, nil: break
        }
        return hasMoved
    }

    /// Writes the head of the answer; a refusal of the token is held back while another one is asked for.
    private func writeHead(_ transfer: GatewayTransfer, _ request: GatewayRequest) {
        let head = transfer.head
        nonces.note(head, from: request.url)
        let challenge = ResourceChallenge(head.headers)
        if challenge.wantsPerson, !isRepeated {
            var unmet = request.question
            unmet.challenges = head.headers.filter { Identifier.folded($0.name) == "www-authenticate" }.map(\.value)
            // The person reads what to do before the program has the answer, and may end.
            return hold(transfer, for: unmet)
        }
        if head.status == 401, !isRepeated {
            var again = request.question
            again.wantsNonce = head.headers.contains {
                Identifier.folded($0.name) == "www-authenticate" && $0.value.contains("use_dpop_nonce")
            }
            again.refusal = head.headers.filter { Identifier.folded($0.name) == "www-authenticate" }.map {
                Identifier.folded(String($0.value.prefix { $0 != " " && $0 != "," }))
            }
            again.claims = challenge.claims
            // A service that has got a proof and wants a nonce in it has done nothing (RFC 9449, section 9).
            let isForNonce =
                again.wantsNonce && transfer.hasProof
                && head.headers.contains { Identifier.folded($0.name) == "dpop-nonce" }
            if request.canBeRepeated || isForNonce && sent != nil { return hold(transfer, for: again) }
            // Of one that cannot be repeated the next one has the benefit.
            question = (again, ticket: 0)
        }
        let hasBody = request.question.method != "HEAD" && head.status != 204 && head.status != 304
        let isMeasured = !head.headers.contains { Identifier.folded($0.name) == "transfer-encoding" }
        isChunked = hasBody && !(isMeasured && head.announcedCount != nil)
        var lines = GatewayHeaders.forProgram(head.headers).map { header in
            "\(header.name): \(references.rewritten(header, from: request.question.host) ?? header.value)"
        }
        if isChunked {
            lines.append("Transfer-Encoding: chunked")
        } else if let count = head.announcedCount, head.status != 204 {
            lines.append("Content-Length: \(count)")
        }
        if request.isLast || !body.isDone { lines.append("Connection: close") }
        output.append(
            Array(("HTTP/1.1 \(head.status) \r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n").utf8))
        isHeadWritten = true
    }

    private func hold(_ transfer: GatewayTransfer, for question: GatewayQuestion) {
        ticket += 1
        self.question = (question, ticket)
        transfer.isHeld = true
    }

    private func write(_ part: [UInt8]) {
        if isChunked { output.append(Array((String(part.count, radix: 16) + "\r\n").utf8)) }
        output.append(part)
        if isChunked { output.append([0x0D, 0x0A]) }
    }
}
