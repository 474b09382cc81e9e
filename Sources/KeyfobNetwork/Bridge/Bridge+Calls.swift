internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium

/// What goes to the service, and what comes of it.
extension Bridge {
    /// The codes of errors that the client is told, of those that JSON-RPC leaves to whoever implements it.
    enum ErrorCode: Int {
        /// There is no token, or the service does not take it: a person has to do something.
        case refused = -32_010
        /// The service was not reached, or did not answer.
        case failed = -32_011
        /// The session is over.
        case ended = -32_012
    }

    /// Sends what waits in the queue, as far as nothing before it has to be over first.
    func pump() {
        while let call = queue.first, session.way != .older(nil), !(calls + waiting).contains(where: \.isGate) {
            if session.isLost, !call.isInitialize {
                guard let beginning = session.beginning else {
                    session.isLost = false
                    continue
                }
                // Older streams have ended with the session.
                restart()
                let own = BridgeCall(.message, beginning.bytes, beginning.message, isOwn: true, limit: limits.message)
                (own.session, own.hasBegun) = (session.number, true)
                send(own)
                continue
            }
            queue.removeFirst()
            if call.isInitialize, !call.hasBegun {
                call.hasBegun = true
                restart()
                session.beginning = BridgeCall(.message, call.bytes, call.message, limit: 0)
            }
            call.session = session.number
            send(call)
        }
    }

    /// Forgets the session at the service.
    private func restart() {
        calls.removeAll { $0.purpose != .message }
        waiting.removeAll { $0.purpose != .message }
        session = BridgeSession(number: session.number + 1, account: nil, beginning: session.beginning)
    }

    /// Sends a call with the token that there is, once there is one.
    func send(_ call: BridgeCall) {
        call.reset()
        calls.removeAll { $0 === call }
        call.refusal = nil
        if call.purpose != .goodbye, lacksToken {
            waiting.append(call)
            return ask(nil)
        }
        call.token = grantNumber
        session.account = session.account ?? grant?.account
        guard let transfer = start(call) else {
            return fail(call, "keyfob: the request cannot be sent", code: .failed)
        }
        call.transfer = transfer
        calls.append(call)
    }

    private func start(_ call: BridgeCall) -> BridgeTransfer? {
        guard let token = grant?.token.withBytes({ SecretBytes(copying: $0) }) else { return nil }
        let listens = call.isResuming || call.purpose == .listening || call.purpose == .olderStream
        var headers = [
            HTTPHeader(name: "User-Agent", value: userAgent),
            HTTPHeader(name: "Accept", value: listens ? "text/event-stream" : "application/json, text/event-stream"),
        ]
        if let id = session.id, !call.isInitialize { headers.append(HTTPHeader(name: "Mcp-Session-Id", value: id)) }
        let stamp = call.message?.stamp
        if let version = stamp?.stamp.version ?? session.version, !call.isInitialize {
            headers.append(HTTPHeader(name: "MCP-Protocol-Version", value: version))
        }
        if let stamp {
            headers.append(HTTPHeader(name: "Mcp-Method", value: stamp.method))
            if let name = stamp.stamp.name { headers.append(HTTPHeader(name: "Mcp-Name", value: Self.header(name))) }
        }
        if listens, let id = call.stream.lastID { headers.append(HTTPHeader(name: "Last-Event-ID", value: id)) }
        var request = BridgeTransfer.Request(
            method: listens ? .get : call.purpose == .goodbye ? .delete : .post, address: address.text,
            headers: headers, body: nil, isRepeatable: listens)
        if request.method == .post {
            if case .older(let place?) = session.way { request.address = place.text }
            request.headers.append(HTTPHeader(name: "Content-Type", value: "application/json"))
            request.body = call.bytes
            request.isRepeatable = call.message?.isRepeatable ?? false
        }
        guard let authorization = prove(&request, of: call, token) else { return nil }
        return BridgeTransfer(request, authorization: authorization, setup, pool, room: room)
    }

    /// Adds the proof of a key that the token is bound to, where there is one, and gives the value of `Authorization`; nil where none
    /// is to be had.
    private func prove(
        _ request: inout BridgeTransfer.Request, of call: BridgeCall, _ token: borrowing SecretBytes
    ) -> SecretBytes? {
        guard grant?.isBound ?? false else { return HTTPRequest.bearer(token) }
        guard !isAsking, let place = try? EndpointURL(request.address) else { return nil }
        (call.provedAt, call.nonce) = (place, nonces[place])
        guard let proof = tokens.prove(request.method.rawValue, request.address, call.nonce) else { return nil }
        request.headers.append(HTTPHeader(name: "DPoP", value: proof))
        return HTTPRequest.authorization("DPoP", token)
    }

    /// A text as the value of a header, as the protocol writes what none can have.
    private static func header(_ text: String) -> String {
        let isPlain =
            text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && text.first != " " && text.last != " "
            && !(text.hasPrefix("=?base64?") && text.hasSuffix("?="))
        return isPlain ? text : "=?base64?\(Base64.standard.text(Array(text.utf8)))?="
    }

    /// Does what there is to do for a call.
    func advance(_ call: BridgeCall) {
        if let time = call.overAt, time <= .now { return call.purpose == .message ? over(call) : finish(call) }
        if let time = call.sendAt {
            if time <= .now { send(call) }
            return
        }
        guard let transfer = call.transfer else { return }
        if !call.isHeadTaken, transfer.head.isFinal {
            call.isHeadTaken = true
            guard takeHead(transfer.head, of: call) else { return }
        }
        let part = transfer.takeIncoming()
        switch call.form {
        case .document where call.document.count + part.count > limits.message:
            return fail(call, "keyfob: the answer of \(address.host) is longer than 32 MiB", code: .failed)
        case .document: call.document += part
        case .events:
            do {
                for event in try call.stream.take(part) where !call.hasSeen(event) { take(event, of: call) }
            } catch {
                return fail(call, "keyfob: a message of \(address.host) is longer than 32 MiB", code: .failed)
            }
            guard calls.contains(where: { $0 === call }) else { return }
        case .unknown, .nothing: break
        }
        if let ending = transfer.ending { end(call, transfer.head, ending) }
    }

    private func take(_ event: EventStream.Event, of call: BridgeCall) {
        call.attempts = 0
        if call.purpose == .olderStream, event.name == "endpoint" { return takePlace(event.data, of: call) }
        guard event.name == "message" else { return }
        guard deliver(event.data, of: call) else {
            return tell("\(address.host) sent what is no message of JSON-RPC 2.0; it is left out")
        }
        if call.purpose == .message, call.unanswered.isEmpty { call.overAt = call.overAt ?? .now + limits.rest }
    }

    /// Passes a message of the service on to the client, unless it answers what nobody waits for.
    ///
    /// - Returns: Whether it is one.
    func deliver(_ bytes: [UInt8], of call: BridgeCall) -> Bool {
        guard let message = try? BridgeMessage(reading: bytes, limit: limits.message) else { return false }
        var isWanted = message.answered.isEmpty
        for part in message.parts {
            guard case .response(let id?, let version, _) = part else { continue }
            for other in calls where other.unanswered.contains(id) {
                other.unanswered.removeAll { $0 == id }
                if other.isInitialize, let version { session.version = version }
                if !other.isOwn { isWanted = true }
                if other !== call, other.unanswered.isEmpty, other.transfer == nil { other.overAt = .now }
            }
        }
        if isWanted, !call.isOwn || call.purpose != .message { write(bytes) }
        return true
    }

    /// Says of what is left of a call that it has failed.
    func fail(_ call: BridgeCall, _ words: String, code: ErrorCode) {
        calls.removeAll { $0 === call }
        waiting.removeAll { $0 === call }
        call.transfer = nil
        for id in call.unanswered where !call.isOwn { write(BridgeMessage.error(code.rawValue, words, to: id)) }
        if call.message?.requests.isEmpty ?? true, call.purpose != .goodbye { tell(words) }
        call.unanswered = []
        if call.purpose == .olderStream, session.way == .older(nil), let beginning = queue.first {
            session.way = .streamable
            queue.removeFirst()
            return fail(beginning, words, code: code)
        }
        guard call.isOwn, call.isGate else { return }
        // The session that they need does not begin.
        session.isLost = true
        let others = queue
        queue = []
        for other in others { fail(other, words, code: code) }
    }

    /// A call that is over.
    func finish(_ call: BridgeCall) {
        calls.removeAll { $0 === call }
        waiting.removeAll { $0 === call }
        call.transfer = nil
    }
}
