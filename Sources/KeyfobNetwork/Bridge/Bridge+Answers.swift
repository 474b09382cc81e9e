internal import KeyfobModel
internal import KeyfobOAuth

/// What the heads and ends of answers mean.
extension Bridge {
    /// Takes note of an answer's head.
    ///
    /// - Returns: Whether its body matters.
    func takeHead(_ head: AnswerHead, of call: BridgeCall) -> Bool {
        if takeNonce(head, of: call) { return false }
        let type = head.value("Content-Type").map { Identifier.folded(String($0.prefix { $0 != ";" && $0 != " " })) }
        switch head.status {
        case 200..<300:
            if call.isInitialize, let id = head.value("Mcp-Session-Id") { session.id = id }
            call.form = type == "text/event-stream" ? .events : type == "application/json" ? .document : .nothing
            if call.form == .nothing, call.purpose == .listening || call.purpose == .olderStream {
                fail(call, "keyfob: \(address.host) answers without a stream of events", code: .failed)
                return false
            }
            return true
        case 401, 403:
            let refusal = BridgeRefusal(status: head.status, challenges: head.values("WWW-Authenticate"))
            if refuse(call, refusal) { return false }
            if call.purpose == .listening {
                session.listens = false
                finish(call)
                return false
            }
        case 404 where session.id != nil && !call.isInitialize && call.session == session.number:
            lose()
            fail(
                call,
                "keyfob: \(address.host) has ended the session, and did nothing; the next call begins another",
                code: .ended)
            return false
        case 300..<400:
            let place = head.value("Location").flatMap { try? EndpointURL($0) }.map { " to \($0)" } ?? ""
            fail(call, "keyfob: \(address.host) leads elsewhere\(place), which is not followed", code: .failed)
            return false
        case 400..<500 where call.isInitialize && session.way == .streamable && ![408, 429].contains(head.status):
            beginOlder(for: call, status: head.status)
            return false
        case 400..<500 where call.purpose == .listening && head.status != 429:
            // It has nothing to say of itself.
            session.listens = false
            finish(call)
            return false
        default: break
        }
        call.form = type == "application/json" && call.purpose == .message ? .document : .nothing
        return true
    }

    /// Takes note of the end of an answer.
    func end(_ call: BridgeCall, _ head: AnswerHead, _ ending: BridgeTransfer.Ending) {
        let isGood = (200..<300).contains(head.status)
        call.transfer = nil
        switch (ending, call.purpose) {
        case (_, .goodbye): return finish(call)
        case (_, .listening): return resume(call, isGood ? nil : 5)
        case (_, .olderStream): return endOlder(call)
        case (.whole, .message) where call.form == .document && !call.document.isEmpty:
            if deliver(call.document, of: call), call.unanswered.isEmpty { return over(call) }
        case (.whole, .message) where call.unanswered.isEmpty:
            if isGood { return over(call) }
        case (.whole, .message) where isGood && call.form != .events && call.document.isEmpty:
            // The answer comes on the stream.
            if case .older = session.way { return }
        default: break
        }
        if isGood, call.form == .events {
            if call.unanswered.isEmpty { return over(call) }
            if call.stream.lastID != nil, call.attempts < limits.attempts { return resume(call, nil) }
        }
        let words: String =
            switch ending {
            case .failed(let fault) where head.isFinal || call.isResuming:
                "broke off, and whether it was done is not known: \(fault)"
            case .failed(.connection(.cutOff)), .failed(.connection(.broken)):
                "broke off, and whether it was done is not known"
            case .failed(let fault): "cannot be asked: \(fault)"
            case .whole where call.isResuming: "broke off, and whether it was done is not known"
            case .whole where !isGood: Self.words(ofStatus: head, call.document, limit: limits.message)
            case .whole where call.form == .events: "ended without an answer; whether it was done is not known"
            case .whole: "answered what is no message of JSON-RPC 2.0"
            }
        fail(call, "keyfob: \(address.host) \(words)", code: .failed)
    }

    private static func words(ofStatus head: AnswerHead, _ document: [UInt8], limit: Int) -> String {
        if head.status == 429 {
            let time = head.value("Retry-After").flatMap { Int($0) }
            return "asks to wait\(time.map { " for \($0) seconds" } ?? "") (429)"
        }
        let problem = (try? BridgeMessage(reading: document, limit: limit))?.problem
        return
            "answered \(head.status)\(problem.map { ": '\(String(decoding: $0.utf8.prefix(200), as: UTF8.self))'" } ?? "")"
    }

    /// A message that is over; with the last of those that begin a session, the service may say something of itself.
    func over(_ call: BridgeCall) {
        finish(call)
        guard call.session == session.number else { return }
        if call.isInitialize, call.isOwn {
            let bytes = Array(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.utf8)
            let message = try? BridgeMessage(reading: bytes, limit: limits.message)
            let next = BridgeCall(.message, bytes, message, isOwn: true, limit: limits.message)
            next.session = session.number
            return send(next)
        }
        if call.message?.isInitialized ?? false, session.way == .streamable, session.id != nil {
            session.listens = true
        }
        // Also after it was refused for want of a token.
        let all = calls + waiting
        if session.listens, !session.isLost, !all.contains(where: { $0.purpose == .listening }) {
            let listening = BridgeCall(.listening, limit: limits.message)
            listening.session = session.number
            send(listening)
        }
    }

    /// Sends a call again later, to go on behind the last event that has come.
    ///
    /// - Parameter seconds: How long to wait at least, where the service does not say; nil for a second.
    private func resume(_ call: BridgeCall, _ seconds: Int64?) {
        call.attempts += 1
        call.isResuming = true
        let usual = (seconds ?? 1) * 1_000 << min(6, call.attempts - 1)
        // A service that wants none is asked five times a second at most.
        let wait = min(
            60_000, max(call.stream.retry ?? 0, 200, call.attempts > 1 || call.stream.retry == nil ? usual : 0))
        call.reset()
        call.sendAt = .now + .milliseconds(wait)
    }

    /// The service knows the session no more.
    func lose() {
        (session.id, session.isLost) = (nil, session.beginning != nil)
        for call in calls + waiting where call.purpose != .message { finish(call) }
    }

    // MARK: Services of the revision 2024-11-05

    /// Asks whether a service that does not take the first message is one of the older ones.
    private func beginOlder(for call: BridgeCall, status: Int) {
        session.way = .older(nil)
        call.reset()
        // It goes once the stream has said where to.
        calls.removeAll { $0 === call }
        queue.insert(call, at: 0)
        let stream = BridgeCall(.olderStream, limit: limits.message)
        stream.session = session.number
        stream.refusals = ["\(status)"]
        send(stream)
    }

    /// Takes note of where an older service takes messages: at its own scheme, host and port.
    func takePlace(_ data: [UInt8], of call: BridgeCall) {
        guard case .older(nil) = session.way else { return }
        let text = String(decoding: data, as: UTF8.self)
        guard let place = try? EndpointURL(address.resolving(text)), place.isSecure == address.isSecure,
            place.environment == address.environment
        else {
            return fail(call, "keyfob: \(address.host) names another place for messages than its own", code: .failed)
        }
        session.way = .older(place)
    }

    private func endOlder(_ call: BridgeCall) {
        if session.way == .older(nil) {
            return fail(
                call, "keyfob: \(address.host) answered \(call.refusals.first ?? "") to the first message",
                code: .failed)
        }
        let words = "keyfob: \(address.host) has ended the stream of events; the next call begins another"
        for other in calls where other !== call && other.purpose == .message { fail(other, words, code: .ended) }
        lose()
        fail(call, words, code: .ended)
    }
}

extension AnswerHead {
    /// The first value of a header.
    func value(_ name: String) -> String? { values(name).first }

    /// The values of a header.
    func values(_ name: String) -> [String] {
        headers.filter { Identifier.folded($0.name) == Identifier.folded(name) }.map(\.value)
    }
}

extension EndpointURL {
    /// The address that a reference is, seen from this one: a whole one, or a path of this host.
    fileprivate func resolving(_ reference: String) -> String {
        if reference.contains("://") { return reference }
        let origin = text.prefix(text.count - (path + (query.map { "?" + $0 } ?? "")).count)
        if reference.hasPrefix("/") { return origin + reference }
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
        return origin + folder + reference
    }
}
