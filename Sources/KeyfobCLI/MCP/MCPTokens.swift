internal import Keyfob
internal import KeyfobFiles
internal import KeyfobNetwork
internal import KeyfobOAuth
internal import KeyfobSodium
internal import KeyfobTerminal

/// What the process with the keys does for a bridge: it opens the vault for each token, and no longer than that.
struct MCPTokens {
    private let address: String
    private let tool: String?
    private let networkOptions: NetworkOptions
    private let global: GlobalOptions
    private var tokens: ServiceTokens
    private var isConfined = false
    /// What makes proofs, once one was asked for.
    private var network: Network?
    /// The vault, where what opens it can be read once alone.
    private var kept: Keyring?

    init(
        _ address: String, _ options: RequestOptions, _ networkOptions: NetworkOptions, _ global: GlobalOptions
    ) throws(KeyringError) {
        var options = options
        options.url = address
        (self.address, self.networkOptions, self.global) = (address, networkOptions, global)
        // The client may be gone before its first token is noted.
        tool = options.tool ?? CallingTool.program
        tokens = ServiceTokens(try options.request(), at: address, in: try global.groups())
        if !global.descriptorsOfSecrets.isEmpty { kept = try opened() }
    }

    /// Answers until nobody asks any more.
    mutating func serve(_ line: MessageLine) {
        while let message = line.receive() {
            do throws(KeyringError) {
                if message.kind == .prove {
                    try prove(message.text, over: line)
                } else {
                    try grant(message.kind == .askAgain ? message.text : nil, over: line)
                }
            } catch {
                // Nobody is told where the bridge is gone.
                guard (try? line.send(.failed, text(of: error))) != nil else { return }
            }
        }
    }

    private mutating func opened() throws(KeyringError) -> Keyring {
        if let kept { return kept }
        switch try global.opening(reaching: isConfined ? .everything : .network) {
        case .opened(let keyring):
            isConfined = true
            return keyring
        case .shut(let error): throw error
        }
    }

    /// - Parameter refusal: The challenges of the answer that has refused the last token, a line each.
    private mutating func grant(_ refusal: String?, over line: MessageLine) throws(KeyringError) {
        let keyring = try opened()
        defer { global.tellWarnings(of: keyring, andFindings: false) }
        let get: ServiceTokens.Get = { [networkOptions, global] (request, groups, options) throws(KeyringError) in
            let acquisition = TokenAcquisition(request, in: groups, options: options) { () throws(KeyringError) in
                try networkOptions.network()
            }
            return try RefreshProcess.token(for: acquisition, of: keyring, isVerbose: networkOptions.verbose, global)
        }
        let answer: Keyring.TokenAnswer
        if let refusal {
            let challenge = ResourceChallenge(
                refusal.split(separator: "\n").map { HTTPHeader(name: "WWW-Authenticate", value: String($0)) })
            answer = try tokens.next(of: keyring, after: challenge, get)
        } else {
            answer = try tokens.next(of: keyring, get)
        }
        let (found, now) = (answer.found, WallClock.system.now)
        let end = found.credential.expiresOn.map {
            String(max(0, min(1 << 40, $0.seconds) - found.credential.usualMargin - now.seconds))
        }
        let file = networkOptions.caFile == nil ? try keyring.providers.certificateFile(for: found) : nil
        let login = tokens.notTaken(keyring).hint.map(NamedVault.completing) ?? ""
        try Keyring.Tokens.withoutKey(answer) { (token, isBound) throws(KeyringError) in
            let words = [
                end ?? "", found.account.id.description, found.account.name, file ?? "", login, isBound ? "DPoP" : "",
            ]
            try line.send(.granted, words.joined(separator: "\n"), token)
        }
        let request = TokenRequest(context: RequestContext(url: ResourceURL(hostOf: address)))
        keyring.uses.note(found, for: request, by: tool, door: .command)
    }

    /// Proves the key of the last token for one request.
    ///
    /// - Parameter text: The method, the address and the nonce, a line each.
    private mutating func prove(_ text: String, over line: MessageLine) throws(KeyringError) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 3 else { throw KeyringError(.fault, "a proof is asked for in other words") }
        let network: Network = if let kept = self.network { kept } else { try networkOptions.network() }
        self.network = network
        let nonce = lines[2].isEmpty ? nil : lines[2]
        try line.send(.proved, tokens.proof(of: lines[0], at: lines[1], nonce: nonce, network: network))
    }

    /// What the client is told: one line.
    private func text(of error: KeyringError) -> String {
        var error = error
        let isPrecise =
            switch error.advice {
            case .storeTokenOf?, .findScope?: true
            default: error.continuation != nil
            }
        if !isPrecise,
            [.signInNeeded, .noSuchAccount, .noSuchProvider, .hostNotAllowed].contains(error.code)
        {
            error = KeyringError(
                error.code, error.message, hint: "run 'keyfob login \(ShellWord.inMessage(address))'")
        }
        return TerminalText.line(
            "\(error.message)\(error.candidateText)\(error.hint.map { "; \(NamedVault.completing($0))" } ?? "")")
    }

    /// The same from the bridge's side.
    static func asked(over line: MessageLine) -> BridgeTokens {
        BridgeTokens(descriptor: line.descriptor) { refusal in
            let kind: MessageLine.Kind = refusal == nil ? .ask : .askAgain
            do {
                try line.send(kind, refusal?.challenges.joined(separator: "\n") ?? "")
                return true
            } catch {
                return false
            }
        } hear: {
            guard let message = line.receive() else { return nil }
            guard message.kind == .granted else { return .refused(message.text) }
            let words = message.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            guard words.count == 6 else { return nil }
            return .granted(
                BridgeGrant(
                    message.secret.withBytes { SecretBytes(copying: $0) }, of: words[1], name: words[2],
                    seconds: Int64(words[0]), certificateFile: words[3].isEmpty ? nil : words[3], login: words[4],
                    isBound: !words[5].isEmpty))
        } prove: { method, address, nonce in
            guard (try? line.send(.prove, [method, address, nonce ?? ""].joined(separator: "\n"))) != nil,
                let message = line.receive(), message.kind == .proved
            else { return nil }
            return message.text
        }
    }
}
