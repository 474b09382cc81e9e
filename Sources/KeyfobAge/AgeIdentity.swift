package import KeyfobSodium

/// A secret key that opens what was written for its ``recipient``.
package struct AgeIdentity: ~Copyable, Sendable {
    /// 32 random bytes: a scalar, which X25519 clamps, or a seed of X-Wing.
    let secret: SecretBytes

    /// The public key that goes with the secret one.
    package let recipient: AgeRecipient

    /// Creates the identity with the scalar `secret`, or `nil` where that is not 32 bytes: for vectors, and for
    /// what ``withSecret(_:)`` lent before.
    package init?(secret: consuming SecretBytes) {
        guard secret.count == X25519.count else { return nil }
        // The product of the base point is never a point of small order.
        recipient = AgeRecipient(ofIdentity: secret.withBytes { X25519.publicKey(of: $0) })
        self.secret = secret
    }

    /// Creates the identity of X-Wing with `seed`, or `nil` where that is not 32 bytes.
    package init?(seed: consuming SecretBytes, hybrid: AgeHybrid) {
        guard seed.count == AgeHybrid.seedCount, let publicKey = seed.withBytes({ hybrid.publicKey($0) }) else {
            return nil
        }
        recipient = AgeRecipient(ofIdentity: publicKey, hybrid: hybrid)
        secret = seed
    }

    /// Creates a random identity of X25519.
    package static func generate() -> AgeIdentity {
        guard let identity = AgeIdentity(secret: .random(count: X25519.count)) else {
            preconditionFailure("a random scalar has 32 bytes")
        }
        return identity
    }

    /// Creates the identity written as `text`: `AGE-SECRET-KEY-1…` (74 bytes) or `AGE-SECRET-KEY-PQ-1…` (77), upper case
    /// only, nothing around it.
    ///
    /// - Throws: `malformedIdentity` (line 1) for anything else.
    package init(parsing text: RawSpan, hybrid: AgeHybrid) throws(AgeError) {
        if let secret = Bech32.identity.decode(text), let identity = AgeIdentity(secret: secret) {
            self = identity
        } else if let seed = Bech32.hybridIdentity.decode(text),
            let identity = AgeIdentity(seed: seed, hybrid: hybrid)
        {
            self = identity
        } else {
            throw .malformedIdentity(line: 1)
        }
    }

    /// The secret key in Bech32.
    package borrowing func text() -> SecretBytes {
        let bech32 = recipient.isHybrid ? Bech32.hybridIdentity : Bech32.identity
        return secret.withBytes { key in
            SecretBytes(count: bech32.textCount) { bech32.encode(key, into: &$0) }
        }
    }

    /// Calls `body` with the 32 bytes of the secret key, which must not outlive the call.
    package borrowing func withSecret<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secret.withBytes(body)
    }
}
