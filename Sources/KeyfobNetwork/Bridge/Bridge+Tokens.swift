internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium

/// The tokens with which a bridge asks.
extension Bridge {
    /// Whether calls wait: there is no token, or none that is good for longer.
    var lacksToken: Bool {
        // Who is asked for a token makes no proofs meanwhile.
        let waits = isAsking && (asked?.status == 401 || grant?.isBound ?? false)
        return grant == nil || grantEnd.map { $0 <= .now } ?? false || waits
    }

    /// Has a call go again where its proof lacked what the service wants to find in it: such a service has done nothing (RFC 9449,
    /// section 9).
    ///
    /// - Returns: Whether it goes again.
    func takeNonce(_ head: AnswerHead, of call: BridgeCall) -> Bool {
        guard let place = call.provedAt else { return false }
        nonces.note(head.headers, from: place)
        if (200..<300).contains(head.status) { call.nonceTries = 0 }
        let isWanted = head.status == 401 && head.values("WWW-Authenticate").contains { $0.contains("use_dpop_nonce") }
        guard isWanted, nonces[place] != call.nonce, call.nonceTries < 2 else { return false }
        call.nonceTries += 1
        send(call)
        return true
    }

    /// Asks for a token, unless somebody does already.
    func ask(_ refusal: BridgeRefusal?) {
        guard !isAsking else { return }
        asked = refusal
        isAsking = tokens.ask(refusal)
        if !isAsking { end() }
    }

    /// Takes note of the answer, and sends what has waited for it.
    func hear() {
        isAsking = false
        guard let answer = tokens.hear() else { return end() }
        let calls = waiting
        waiting = []
        switch consume answer {
        case .refused(let words):
            // Of a token that lacks a scope others may have use.
            if asked?.status == 401 { grant = nil }
            for call in calls {
                if call.refusal == asked {
                    fail(call, "keyfob: \(words)", code: .refused)
                } else {
                    waiting.append(call)
                }
            }
        case .granted(let new): take(new, calls)
        }
        // What was asked was another's.
        if let next = waiting.first { ask(next.refusal) }
    }

    private func take(_ new: consuming BridgeGrant, _ calls: [BridgeCall]) {
        let isSame = grant?.token.isEqual(to: new.token) ?? false
        let isOthers = session.account.map { $0 != new.account } ?? false && session.id != nil
        if isOthers { lose() }
        (session.account, login) = (new.account, new.login)
        let name = new.name
        let end = new.seconds.map { ContinuousClock.now + .seconds($0) }
        grant = consume new
        if !isSame { grantNumber += 1 }
        // Also one that is short-lived is used for what it was got for.
        grantEnd = nil
        for call in calls {
            if isOthers {
                fail(
                    call, "keyfob: \(name) is another account than the session's; the next call begins another session",
                    code: .ended)
            } else if call.refusal != nil, call.refusal != asked, call.token == grantNumber {
                waiting.append(call)
            } else {
                send(call)
            }
        }
        grantEnd = end
    }

    /// Has a call go again with another token, where the service wants one.
    ///
    /// - Returns: Whether that is settled: the call waits, or has failed.
    func refuse(_ call: BridgeCall, _ refusal: BridgeRefusal) -> Bool {
        let headers = refusal.challenges.map { HTTPHeader(name: "WWW-Authenticate", value: $0) }
        let challenge = ResourceChallenge(headers)
        guard refusal.status == 401 || challenge.error == "insufficient_scope" else { return false }
        call.transfer = nil
        guard call.purpose != .goodbye else {
            finish(call)
            return true
        }
        // What another call has got meanwhile may do.
        if call.token != grantNumber {
            send(call)
            return true
        }
        let kind = challenge.error ?? "\(refusal.status)"
        guard call.refusals.insert(kind).inserted, call.refusals.count < 4 else {
            if refusal.status == 401 { grant = nil }
            fail(call, "keyfob: \(address.host) does not take the token; \(login)", code: .refused)
            return true
        }
        if refusal.status == 401 { call.refusals.insert("401") }
        calls.removeAll { $0 === call }
        waiting.append(call)
        call.refusal = refusal
        ask(refusal)
        return true
    }
}
