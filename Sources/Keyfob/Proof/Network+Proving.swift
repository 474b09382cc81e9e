internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium

extension Network {
    /// Sends a request with the proof of a key (RFC 9449), where there is one: once more where the other side wants a nonce in it, or
    /// has another clock.
    ///
    /// - Parameters:
    ///   - key: The key that is proved; nil for a request without a proof.
    ///   - tokenHash: The digest of the access token that goes along; see ``Proof/hash(of:)``.
    ///   - isKept: Whether the answer is waited for also where the caller's task is cancelled.
    ///   - message: Makes the request, each time that it is sent.
    func send(
        provingBy key: ProofKey?, tokenHash: String? = nil, isKept: Bool = false, seconds: Int64, _ clock: WallClock,
        _ message: () -> HTTPRequest
    ) async -> HTTPExchange {
        guard let key else { return await send(message(), isKept: isKept, seconds) }
        var (isAgain, theirs) = (false, ServerClock())
        while true {
            let request = message()
            let url = request.url
            let nonce = nonces[url]
            guard let proof = proof(of: request.method.rawValue, url, tokenHash, key, nonce, theirs.time(clock.now))
            else {
                return .failed(.protocolViolation(.reported(Self.noLibrary), status: 0))
            }
            let answer = await send(
                request.adding(HTTPHeader(name: "DPoP", value: proof)), isKept: isKept, seconds)
            let wantsNonce = note(answer, from: url)
            if answer.refusesProof, theirs == ServerClock(),
                let later = answer.date.flatMap({ theirs.following($0, now: clock.now) })
            {
                theirs = later
                continue
            }
            guard wantsNonce, !isAgain, nonces[url] != nonce else { return answer }
            isAgain = true
        }
    }

    private static let noLibrary = "no proof of the token's key can be made: OpenSSL 3 (libcrypto) is not installed"

    /// Takes note of a nonce; whether the request was refused for the lack of it.
    private func note(_ answer: borrowing HTTPExchange, from url: EndpointURL) -> Bool {
        switch answer {
        case .answered(let response):
            nonces.note(response.headers, from: url)
            return response.wantsNonce
        case .failed: return false
        }
    }

    private func send(_ request: consuming HTTPRequest, isKept: Bool, _ seconds: Int64) async -> HTTPExchange {
        isKept ? await sendToTheEnd(request, seconds) : await send(request, seconds)
    }

    /// The value of the `DPoP` header; nil where this machine cannot sign.
    package func proof(
        of method: String, _ url: EndpointURL, _ tokenHash: String?, _ key: ProofKey, _ nonce: String?, _ now: Timestamp
    ) -> String? {
        let id = Base64.url.text(SecretBytes.random(count: 16).withBytes { [UInt8]($0) })
        let text = Proof(of: method, url, tokenHash: tokenHash).signed(by: key, id: id, nonce: nonce, now: now)
        return signer.sign(Array(text.utf8), key).map { text + "." + Base64.url.text($0) }
    }
}

/// A token as a header has it, and the proof that goes along, where it is bound to a key.
package final class ProvedToken: Sendable {
    /// The token.
    package let token: SecretBytes
    /// The value of the `DPoP` header; nil for a token that is of use by itself.
    package let proof: String?

    /// What goes along with one request.
    ///
    /// - Parameters:
    ///   - answer: The token, which was asked for with the address.
    ///   - nonce: What the service wants to find in the next proof.
    /// - Throws: `damaged`, `usage`, `unavailable` where this machine makes no proofs.
    package init(
        _ answer: borrowing Keyring.TokenAnswer, for method: String, _ address: String, nonce: String?,
        network: Network
    ) throws(KeyringError) {
        let usable = try Keyring.Tokens.usable(answer)
        // Whoever sends it has no certificate.
        guard usable.identity == nil else { throw .proofNeeded(answer.found.account, answer.found.credential) }
        let (held, key) = (usable.token, usable.key)
        token = held.secret.withBytes { SecretBytes(copying: $0) }
        guard let key else {
            proof = nil
            return
        }
        let url: EndpointURL
        do {
            url = try EndpointURL(address)
        } catch {
            throw KeyringError(.usage, "\(error)")
        }
        let hash = Proof.hash(of: held.secret)
        proof = network.proof(of: method, url, hash, key, nonce, WallClock.system.now)
        guard proof != nil else {
            throw KeyringError(.unavailable, "OpenSSL 3 (libcrypto) is not installed", advice: .installLibcrypto)
        }
    }
}

extension HeldToken {
    /// The token with a key that it is bound to, where there is one.
    func bound(to key: ProofKey?) -> HeldToken { key.map { HeldToken(BoundToken.joined(secret, $0)) } ?? self }

    /// The token without the key that it is bound to, and that key.
    func unbound() -> (token: HeldToken, key: ProofKey?) {
        guard let bound = BoundToken(reading: secret) else { return (self, nil) }
        return (HeldToken(bound.token.withBytes { SecretBytes(copying: $0) }), bound.key)
    }

    /// The token without the certificate that it is bound to, and that.
    func uncertified() -> (token: HeldToken, identity: ClientIdentity?) {
        guard let certified = CertifiedToken(reading: secret) else { return (self, nil) }
        return (HeldToken(certified.token.withBytes { SecretBytes(copying: $0) }), certified.identity)
    }
}

extension KeyringError {
    /// The error for a token that is of no use without its key or its certificate, where whoever asks does not send it so.
    static func proofNeeded(_ account: Account, _ token: Credential) -> KeyringError {
        if token.isCertified {
            return KeyringError(
                .proofNeeded,
                "the tokens of \(account.name) are bound to a certificate (mTLS): no other program can use one, and each "
                    + "connection has to show it", advice: .sendRequest)
        }
        return KeyringError(
            .proofNeeded,
            "the tokens of \(account.name) are bound to a key (DPoP): no other program can use one, and each request needs a proof",
            advice: .sendRequests)
    }
}
