internal import Keyfob
internal import KeyfobInterop
internal import KeyfobNetwork
internal import KeyfobSodium

/// Says what a program may ask for through a proxy, by the caller's rules and by whom the token holder grants a token.
///
/// It has no key, and each token for as long as a request takes.
final class ProxyJudge {
    private let rules: [GatewayRule]
    private let holder: MessageLine
    /// Hosts that are known to be ones of the account, for addresses in answers.
    private var hosts: Set<String>
    /// Hosts where git's requests are answered with a bearer token alone.
    private var bearerHosts: Set<String> = []
    private var asked: GatewayQuestion?

    init(rules: [GatewayRule], hosts: [String], holder: MessageLine) {
        (self.rules, self.hosts, self.holder) = (rules, Set(hosts), holder)
    }

    /// The judge, as the gateway asks it.
    var judge: GatewayJudge {
        GatewayJudge(descriptor: holder.descriptor, ask: { self.ask($0) }, hear: { self.hear() })
    }

    /// Whether the rules have a request, and its host is known.
    func mayFollow(_ question: GatewayQuestion) -> Bool { isAllowed(question) && hosts.contains(question.host) }

    private func isAllowed(_ question: GatewayQuestion) -> Bool {
        rules.isEmpty || rules.contains { $0.allows(question) }
    }

    private func ask(_ question: GatewayQuestion) -> GatewayRefusal? {
        guard isAllowed(question) else {
            let rule = "\(question.method) \(question.place)"
            let isWayOut = hosts.contains(question.host) && (try? GatewayRule(rule))?.allows(question) == true
            return GatewayRefusal(
                status: 403,
                reason: "no --allow of 'keyfob exec' has \(rule)"
                    + (isWayOut ? "; --allow \(ShellWord.inMessage(rule)) would" : ""))
        }
        var isAgain = question.refusal != nil
        if let schemes = question.refusal, Self.isGit(question), schemes.contains("bearer"), !schemes.contains("basic"),
            bearerHosts.insert(question.host).inserted
        {
            isAgain = false
        }
        asked = question
        do {
            try holder.send(isAgain ? .askAgain : .ask, "https://" + question.place)
            return nil
        } catch {
            return GatewayRefusal(status: 503, reason: "nobody is there any more who has tokens")
        }
    }

    private func hear() -> GatewayAnswer? {
        guard let question = asked, let message = holder.receive() else { return nil }
        asked = nil
        switch message.kind {
        case .granted:
            hosts.insert(question.host)
            let isBasic = Self.isGit(question) && !bearerHosts.contains(question.host)
            return .granted(
                Self.authorization(message.secret, isBasic: isBasic),
                certificateFile: message.text.isEmpty ? nil : message.text)
        case .refused: return .refused(status: 403, reason: message.text)
        case .failed: return .refused(status: 502, reason: message.text)
        case .ready, .ask, .askAgain, .question, .answered: return nil
        }
    }

    /// What git asks over http (gitprotocol-http(5)): its servers take a token in a password's place.
    private static func isGit(_ question: GatewayQuestion) -> Bool {
        let path = question.pathText
        return ["/info/refs", "/git-upload-pack", "/git-receive-pack"].contains(where: path.hasSuffix)
            || path.contains("/info/lfs/")
    }

    private static func authorization(_ token: borrowing SecretBytes, isBasic: Bool) -> SecretBytes {
        let before = Array((isBasic ? GitCredentialAnswer.anyUser + ":" : "Bearer ").utf8)
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
