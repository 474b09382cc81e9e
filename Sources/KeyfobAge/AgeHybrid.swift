package import KeyfobSodium

/// What age's post-quantum recipients take and libsodium has not: X-Wing (ML-KEM-768 with X25519) in HPKE.
///
/// Whoever opens or writes for such a recipient passes it in, so that who only reads a vault links nothing for it;
/// `KeyfobAgeHybrid` has it.
package struct AgeHybrid: Sendable {
    /// The length of a seed, which is the secret key, in bytes.
    package static let seedCount = 32
    /// The length of a public key in bytes: ML-KEM's and then X25519's.
    package static let publicKeyCount = 1_216
    /// The length of an encapsulated key in bytes: ML-KEM's ciphertext and then X25519's share.
    package static let shareCount = 1_120

    /// A file key as it stands in a stanza.
    package struct Wrapped: Equatable, Sendable {
        /// The encapsulated key.
        package let share: [UInt8]
        /// The file key and its tag.
        package let body: [UInt8]

        package init(share: [UInt8], body: [UInt8]) {
            (self.share, self.body) = (share, body)
        }
    }

    /// The public key of a seed; nil where it is none.
    let publicKey: @Sendable (_ seed: RawSpan) -> [UInt8]?
    /// Whether bytes are a public key, so that wrapping for it cannot fail.
    let isPublicKey: @Sendable ([UInt8]) -> Bool
    /// Wraps a file key for a public key; nil where that is none.
    let wrap: @Sendable (_ fileKey: RawSpan, _ publicKey: [UInt8]) -> Wrapped?
    /// The file key, or nil where it was wrapped for another seed.
    let unwrap: @Sendable (Wrapped, _ seed: RawSpan) -> SecretBytes?

    package init(
        publicKey: @escaping @Sendable (_ seed: RawSpan) -> [UInt8]?,
        isPublicKey: @escaping @Sendable ([UInt8]) -> Bool,
        wrap: @escaping @Sendable (_ fileKey: RawSpan, _ publicKey: [UInt8]) -> Wrapped?,
        unwrap: @escaping @Sendable (Wrapped, _ seed: RawSpan) -> SecretBytes?
    ) {
        (self.publicKey, self.isPublicKey, self.wrap, self.unwrap) = (publicKey, isPublicKey, wrap, unwrap)
    }
}
