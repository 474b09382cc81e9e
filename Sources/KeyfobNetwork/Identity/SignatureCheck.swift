internal import KeyfobOAuth
internal import KeyfobSodium

/// Checks signatures of ID tokens (RFC 7515, section 5.2; OpenID Connect Core, section 3.1.3.7), by the system's libcrypto and,
/// those by Ed25519, by libsodium.
///
/// The key decides what may be checked with it, never the token alone: of the token's header only the names of the
/// algorithm and of the key are used.
struct SignatureCheck: Sendable {
    /// Loads libcrypto, when a signature needs it.
    var library: @Sendable () -> Libcrypto? = { .installed }

    /// What is wrong with the signature of `token` by `keys`, a JWKS document; nil where it is good.
    ///
    /// Claims are only read so far as they must be readable. `unknownKey` stands for a document without a key that fits, and
    /// for one that cannot be read.
    func flaw(of token: borrowing SecretBytes, keys: borrowing SecretBytes) -> IDTokenFlaw? {
        let header: IDToken
        do {
            header = try IDToken(reading: token)
        } catch {
            return error
        }
        guard let algorithm = SignatureAlgorithm(rawValue: header.algorithm) else { return .algorithmRefused }
        let candidates = SigningKeys(reading: keys, for: algorithm).candidates(for: header.keyID)
        return token.withBytes { flaw(of: $0, candidates, algorithm) }
    }

    /// What is wrong with the signature of `token` by a client's secret; nil where it is good.
    func flaw(of token: borrowing SecretBytes, secret: borrowing SecretBytes) -> IDTokenFlaw? {
        let header: IDToken
        do {
            header = try IDToken(reading: token)
        } catch {
            return error
        }
        guard let algorithm = MACAlgorithm(rawValue: header.algorithm), secret.count > 0 else {
            return .algorithmRefused
        }
        return token.withBytes { token in
            guard let parts = Self.parts(of: token) else { return .notAToken }
            guard
                let code = library()?.code(
                    of: token.extracting(0..<parts.dot), by: secret, digest: algorithm.digest)
            else { return .noSignatureLibrary }
            let isGood = code.withBytes { code in parts.signature.withBytes { ConstantTime.areEqual(code, $0) } }
            return isGood ? nil : .badSignature
        }
    }

    /// Where the signature of a token begins, and what it is.
    private static func parts(of token: RawSpan) -> (dot: Int, signature: [UInt8])? {
        guard let dot = (0..<token.byteCount).last(where: { token.byte(at: $0) == UInt8(ascii: ".") }),
            let signature = Base64.url.decodeSecret(token.extracting(dot + 1..<token.byteCount))?.withBytes({
                [UInt8]($0)
            })
        else { return nil }
        return (dot, signature)
    }

    /// Whether the signatures of a provider with these algorithms (nil: any) cannot be checked here.
    func lacksLibrary(for algorithms: [String]?) -> Bool {
        let hasMAC = algorithms?.contains { MACAlgorithm(rawValue: $0) != nil } ?? false
        if hasMAC, library() == nil { return true }
        let known = algorithms?.compactMap { SignatureAlgorithm(rawValue: $0) } ?? SignatureAlgorithm.allCases
        return known.contains(where: \.needsLibcrypto) && library() == nil
    }

    private func flaw(
        of token: RawSpan, _ candidates: [SigningKeys.Key], _ algorithm: SignatureAlgorithm
    ) -> IDTokenFlaw? {
        guard let (dot, signature) = Self.parts(of: token) else { return .notAToken }
        let signed = token.extracting(0..<dot)
        var isUsable = false
        for key in candidates {
            switch verdict(on: signature, of: signed, by: key.numbers, algorithm) {
            case .good?: return nil
            case .bad?: isUsable = true
            case .noKey?: continue
            case nil: return .noSignatureLibrary
            }
        }
        return isUsable ? .badSignature : .unknownKey
    }

    /// What a check by this key gives; nil where there is no library for it.
    private func verdict(
        on signature: [UInt8], of signed: RawSpan, by key: SigningKeys.Numbers, _ algorithm: SignatureAlgorithm
    ) -> Libcrypto.Verdict? {
        switch key {
        case .ed25519(let key): Ed25519.isValid(signature, of: signed, publicKey: key) ? .good : .bad
        case .rsa(let key) where key.hasROCAFingerprint: .noKey
        case .rsa(let key):
            library()?.verdict(
                on: signature, of: signed, by: key, isPSS: algorithm.scheme == .pss, digest: algorithm.digest)
        case .point(let x, let y):
            library()?.verdict(
                on: signature, of: signed, by: (x, y), curve: algorithm.keyType.curve ?? "", digest: algorithm.digest)
        }
    }
}
