internal import Keyfob
internal import KeyfobInterop
internal import KeyfobNetwork
internal import KeyfobSodium

/// Says what a program may ask for through a proxy, by the caller's rules and by whom the token holder grants a token.
///
/// It has no key, and each token for as long as a request takes.
final class ProxyJudge {
    private let rules: [GatewayRule]
    /// Headers that may go with what a rule has, beside those that are known to change nothing.
    private let headers: Set<String>
    private let holder: MessageLine
    /// Hosts that are known to be ones of the account, for addresses in answers.
    private var hosts: Set<String>
    /// Hosts where git's requests are answered with a bearer token alone.
    private var bearerHosts: Set<String> = []
    private var asked: GatewayQuestion?

    init(rules: [GatewayRule], headers: [String], hosts: [String], holder: MessageLine) {
        (self.rules, self.hosts, self.holder) = (rules, Set(hosts), holder)
        self.headers = Set(headers.map(GatewayHeaders.folded))
    }

    /// The judge, as the gateway asks it.
    var judge: GatewayJudge {
        GatewayJudge(descriptor: holder.descriptor, ask: { self.ask($0) }, hear: { self.hear() })
    }

    /// Whether the rules have a request, and its host is known.
    func mayFollow(_ question: GatewayQuestion) -> Bool { isAllowed(question) && hosts.contains(question.host) }

    private func isAllowed(_ question: GatewayQuestion) -> Bool {
        rules.isEmpty || isInRules(question) && question.specialHeaders.isSubset(of: headers)
    }

    private func isInRules(_ question: GatewayQuestion) -> Bool { rules.contains { $0.allows(question) } }

    /// What is said where a rule has the request, but a header goes with it that may change it; nil for any other.
    private func refusalOfHeader(_ question: GatewayQuestion) -> GatewayRefusal? {
        guard isInRules(question), let name = question.specialHeaders.subtracting(headers).min() else { return nil }
        return GatewayRefusal(
            status: 403,
            reason:
                "a rule of --allow has \(question.method) \(question.place), but not with the header \(name), which may "
                + "change what is asked for; --allow-header \(ShellWord.inMessage(name)) lets it through")
    }

    private func ask(_ question: GatewayQuestion) -> GatewayRefusal? {
        guard isAllowed(question) else {
            if let refusal = refusalOfHeader(question) { return refusal }
            // Of a host that is not known, the one with the keys says whether a rule would do.
            return hosts.contains(question.host) ? Self.refusal(of: question) : send(.whether, question)
        }
        guard question.challenges.isEmpty else { return send(.advise, question) }
        // A proof without the nonce that the service wants is no word against the token.
        var isAgain = question.refusal != nil && !question.wantsNonce
        if let schemes = question.refusal, Self.isGit(question), schemes.contains("bearer"), !schemes.contains("basic"),
            bearerHosts.insert(question.host).inserted
        {
            isAgain = false
        }
        return send(isAgain ? .askAgain : .ask, question)
    }

    private func send(_ kind: MessageLine.Kind, _ question: GatewayQuestion) -> GatewayRefusal? {
        asked = question
        do {
            let text = ProxyQuestion(
                method: question.method, address: "https://" + question.place, nonce: question.nonce,
                claims: question.claims
            ).text
            let lines = ["https://" + question.place] + question.challenges
            try holder.send(kind, kind == .advise ? lines.joined(separator: "\n") : text)
            return nil
        } catch {
            return .alone
        }
    }

    /// What is said of a request that no rule has.
    ///
    /// - Parameter reason: Why a rule would not do.
    private static func refusal(of question: GatewayQuestion, because reason: String? = nil) -> GatewayRefusal {
        let wayOut =
            reason ?? GatewayRule(exactly: question).map { "add --allow \(ShellWord.inMessage($0.description))" }
        return GatewayRefusal(
            status: 403,
            reason: "no --allow of 'keyfob exec' has \(question.method) \(question.place)"
                + (wayOut.map { "; " + $0 } ?? ""))
    }

    private func hear() -> GatewayAnswer? {
        guard let question = asked, let message = holder.receive() else { return nil }
        asked = nil
        switch message.kind {
        case .granted where isAllowed(question):
            hosts.insert(question.host)
            let lines = message.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            let (file, proof) = (lines[0], lines.count > 1 && !lines[1].isEmpty ? lines[1] : nil)
            let isBasic = Self.isGit(question) && !bearerHosts.contains(question.host)
            return .granted(
                Self.authorization(message.secret, isBound: proof != nil, isBasic: isBasic), proof: proof,
                certificateFile: file.isEmpty ? nil : file)
        case .goes:
            hosts.insert(question.host)
            return .refused(Self.refusal(of: question))
        case .refused, .failed:
            guard isAllowed(question) else { return .refused(Self.refusal(of: question, because: message.text)) }
            let status = message.kind == .refused ? 403 : 502
            return .refused(GatewayRefusal(status: status, reason: message.text))
        case .granted, .ready, .ask, .askAgain, .question, .answered, .whether, .advise, .prove, .proved: return nil
        }
    }

    /// What git asks over http (gitprotocol-http(5)): its servers take a token in a password's place.
    private static func isGit(_ question: GatewayQuestion) -> Bool {
        let path = question.pathText
        return ["/info/refs", "/git-upload-pack", "/git-receive-pack"].contains(where: path.hasSuffix)
            || path.contains("/info/lfs/")
    }

    private static func authorization(_ token: borrowing SecretBytes, isBound: Bool, isBasic: Bool) -> SecretBytes {
        // One that is bound to a key goes by no other scheme.
        let isBasic = isBasic && !isBound
        let before = Array((isBasic ? GitCredentialAnswer.anyUser + ":" : isBound ? "DPoP " : "Bearer ").utf8)
        var value = SecretBuffer(capacity: before.count + token.count)
        before.withBytes { value.append($0) }
        token.withBytes { value.append($0) }
        return value.withBytes { value in
            isBasic
                ? Base64.standard.encodeSecret(value, from: Array("Basic ".utf8))
                : SecretBytes(copying: value, placement: .recycled)
        }
    }
}
