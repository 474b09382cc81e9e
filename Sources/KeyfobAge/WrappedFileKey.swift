internal import KeyfobSodium

/// A file key under a wrap key that is used once: the body of both native stanzas.
struct WrappedFileKey: Equatable, Sendable {
    /// The length of a file key in bytes.
    static let fileKeyCount = 16

    /// The encrypted file key and its tag, 32 bytes.
    let bytes: [UInt8]

    /// All zeros, because every wrap key comes from fresh randomness and is used once.
    private static let nonce = [UInt8](repeating: 0, count: ChaCha20Poly1305.nonceCount)

    /// Takes the body of a stanza.
    ///
    /// - Throws: `malformedHeader(wrappedKeySize)`. The size is checked before anything is decrypted:
    ///   a longer body could be made to open under many keys at once (a partitioning oracle).
    init(body: [UInt8]) throws(AgeError) {
        guard body.count == Self.fileKeyCount + ChaCha20Poly1305.tagCount else {
            throw .malformedHeader(.wrappedKeySize)
        }
        bytes = body
    }

    /// Wraps `fileKey` under `wrapKey` (32 bytes).
    init(_ fileKey: borrowing SecretBytes, under wrapKey: borrowing SecretBytes) {
        precondition(fileKey.count == Self.fileKeyCount, "a file key has 16 bytes")
        bytes = fileKey.withBytes { message in
            wrapKey.withBytes { ChaCha20Poly1305.seal(message, key: $0, nonce: Self.nonce) }
        }
    }

    /// The file key, or `nil` where `wrapKey` is not the one.
    func unwrap(with wrapKey: borrowing SecretBytes) -> SecretBytes? {
        wrapKey.withBytes { key in bytes.withBytes { try? ChaCha20Poly1305.open($0, key: key, nonce: Self.nonce) } }
    }
}
