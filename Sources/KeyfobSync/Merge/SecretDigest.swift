internal import KeyfobModel
package import KeyfobSodium

/// The 32 bytes that stand for a secret where only sameness matters.
///
/// It is keyed, so that whoever sees it cannot test guesses. Both sides of a merge must use the same key, and all
/// devices of a sync, because the digest is the last thing that decides: one that the group's key gives.
package struct SecretDigest: Hashable, Sendable {
    /// The bytes.
    package let bytes: [UInt8]

    /// The digest with these 32 bytes; nil for another number.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// The digest of a secret under a key of 16 to 64 bytes.
    package init(of secret: borrowing SecretBytes, key: borrowing SecretBytes) {
        bytes = key.withBytes { key in secret.withBytes { BLAKE2b.mac($0, key: key, count: 32) } }
    }
}

extension CanonicalBytes {
    /// BLAKE2b-256 of the bytes.
    var digest: [UInt8] { BLAKE2b.hash(bytes, count: 32) }
}
