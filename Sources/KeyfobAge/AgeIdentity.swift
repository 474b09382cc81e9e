package import KeyfobSodium

/// An X25519 secret key that opens what was written for its ``recipient``.
package struct AgeIdentity: ~Copyable, Sendable {
    /// 32 random bytes; X25519 clamps them.
    let secret: SecretBytes

    /// The public key that goes with the secret one.
    package let recipient: AgeRecipient

    /// Creates the identity with the scalar `secret`, or `nil` where that is not 32 bytes: for vectors, and for
    /// what ``withSecret(_:)`` lent before.
    package init?(secret: consuming SecretBytes) {
        guard secret.count == X25519.count else { return nil }
        let publicKey = secret.withBytes { X25519.publicKey(of: $0) }
        // The product of the base point is never a point of small order.
        guard let recipient = AgeRecipient(publicKey: publicKey) else { return nil }
        self.recipient = recipient
        self.secret = secret
    }

    /// Creates a random identity.
    package static func generate() -> AgeIdentity {
        guard let identity = AgeIdentity(secret: .random(count: X25519.count)) else {
            preconditionFailure("a random scalar has 32 bytes")
        }
        return identity
    }

    /// Creates the identity written as `text`: `AGE-SECRET-KEY-1…`, 74 bytes, upper case only, nothing
    /// around it.
    ///
    /// - Throws: `malformedIdentity` (line 1) for anything else.
    package init(parsing text: RawSpan) throws(AgeError) {
        guard let secret = Bech32.identity.decode(text), let identity = AgeIdentity(secret: secret) else {
            throw .malformedIdentity(line: 1)
        }
        self = identity
    }

    /// The secret key in Bech32: `AGE-SECRET-KEY-1…`, 74 bytes.
    package borrowing func text() -> SecretBytes {
        secret.withBytes { key in
            SecretBytes(count: Bech32.identity.textCount) { Bech32.identity.encode(key, into: &$0) }
        }
    }

    /// Calls `body` with the 32 bytes of the scalar, which must not outlive the call.
    package borrowing func withSecret<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secret.withBytes(body)
    }
}
