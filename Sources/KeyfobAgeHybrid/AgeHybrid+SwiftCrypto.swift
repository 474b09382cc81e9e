internal import Crypto
internal import FoundationEssentials
package import KeyfobAge
internal import KeyfobSodium

extension AgeHybrid {
    /// By swift-crypto, which has it of BoringSSL.
    ///
    /// A seed and a file key lie in ordinary memory while they are used. Copies made here are overwritten; BoringSSL's
    /// key that it expands from the seed is freed as it is.
    package static let swiftCrypto = AgeHybrid(
        publicKey: { seed in
            try? withPrivateKey(seed) { [UInt8]($0.publicKey.rawRepresentation) }
        },
        isPublicKey: { publicKey in
            // Whoever encapsulates finds out whether both halves are keys.
            let key = try? XWingMLKEM768X25519.PublicKey(rawRepresentation: publicKey)
            return (try? key?.encapsulate()) != nil
        },
        wrap: { fileKey, publicKey in
            do {
                let key = try XWingMLKEM768X25519.PublicKey(rawRepresentation: publicKey)
                var sender = try HPKE.Sender(recipientKey: key, ciphersuite: suite, info: info)
                var message = data(fileKey)
                defer { message.resetBytes(in: message.startIndex..<message.endIndex) }
                let body = try sender.seal(message)
                return AgeHybrid.Wrapped(share: [UInt8](sender.encapsulatedKey), body: [UInt8](body))
            } catch {
                return nil
            }
        },
        unwrap: { wrapped, seed in
            do {
                var message = try withPrivateKey(seed) { key in
                    var recipient = try HPKE.Recipient(
                        privateKey: key, ciphersuite: suite, info: info, encapsulatedKey: Data(wrapped.share))
                    return try recipient.open(Data(wrapped.body))
                }
                defer { message.resetBytes(in: message.startIndex..<message.endIndex) }
                return SecretBytes(count: message.count) { secret in
                    for (offset, byte) in message.enumerated() {
                        secret.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
                    }
                }
            } catch {
                return nil
            }
        })

    /// As C2SP age has it in "mlkem768x25519 recipient stanza".
    private static let suite = HPKE.Ciphersuite(kem: .XWingMLKEM768X25519, kdf: .HKDF_SHA256, aead: .chaChaPoly)
    private static let info = Data("age-encryption.org/mlkem768x25519".utf8)

    private static func withPrivateKey<Result>(
        _ seed: RawSpan, _ body: (XWingMLKEM768X25519.PrivateKey) throws -> Result
    ) throws -> Result {
        var bytes = data(seed)
        defer { bytes.resetBytes(in: bytes.startIndex..<bytes.endIndex) }
        return try body(XWingMLKEM768X25519.PrivateKey(seedRepresentation: bytes, publicKey: nil))
    }

    /// The one copy that swift-crypto takes, which whoever made it overwrites.
    private static func data(_ secret: RawSpan) -> Data {
        var data = Data(count: secret.byteCount)
        for offset in 0..<secret.byteCount { data[offset] = secret.byte(at: offset) }
        return data
    }
}

extension AgeIdentity {
    /// Creates a random identity that withstands a quantum computer: of X-Wing.
    package static func generateHybrid() -> AgeIdentity {
        guard let identity = AgeIdentity(seed: .random(count: AgeHybrid.seedCount), hybrid: .swiftCrypto) else {
            preconditionFailure("32 random bytes are a seed")
        }
        return identity
    }

    /// Creates the identity written as `text`: `AGE-SECRET-KEY-1…` or `AGE-SECRET-KEY-PQ-1…`.
    ///
    /// - Throws: `malformedIdentity` (line 1) for anything else.
    package init(parsing text: RawSpan) throws(AgeError) {
        try self.init(parsing: text, hybrid: .swiftCrypto)
    }
}

extension AgeIdentityFile {
    /// Reads the identities in `text`.
    ///
    /// - Throws: as ``init(parsing:hybrid:)``.
    package init(parsing text: RawSpan) throws(AgeError) {
        try self.init(parsing: text, hybrid: .swiftCrypto)
    }
}

extension AgeRecipient {
    /// Creates the recipient written as `text`: `age1…` or `age1pq1…`.
    package init?(parsing text: String) {
        self.init(parsing: text, hybrid: .swiftCrypto)
    }

    /// Creates the recipient with a public key of 32 bytes (X25519) or 1,216 (X-Wing); nil where it is no such key.
    package init?(publicKey: [UInt8]) {
        self.init(publicKey: publicKey, hybrid: .swiftCrypto)
    }
}
