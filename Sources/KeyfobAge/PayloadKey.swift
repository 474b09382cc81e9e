internal import KeyfobSodium

/// The key of one payload, which seals and opens its chunks (C2SP age, "Payload").
struct PayloadKey: ~Copyable {
    /// The length of the random nonce before the chunks, in bytes.
    static let nonceCount = 16
    /// The length of the plaintext of every chunk but the last, in bytes.
    static let chunkCount = 65_536
    /// The length of such a chunk when sealed, in bytes.
    static let sealedChunkCount = chunkCount + ChaCha20Poly1305.tagCount

    private let key: SecretBytes

    /// Derives the key from the file key and the payload's nonce (16 bytes).
    init(fileKey: borrowing SecretBytes, nonce: [UInt8]) {
        key = fileKey.withBytes { HKDFSHA256.derive(from: $0, salt: nonce, info: Array("payload".utf8)) }
    }

    /// Where a chunk stands: which one it is, counted from 0, and whether it is the last.
    struct Position {
        var number: UInt64 = 0
        var isFinal = false

        /// An 11-byte counter, of which 8 are enough for 2^80 bytes, and a flag.
        fileprivate var nonce: [UInt8] {
            let counter = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
            return [0, 0, 0] + counter + [isFinal ? 1 : 0]
        }
    }

    func seal(_ chunk: RawSpan, at position: Position) -> [UInt8] {
        key.withBytes { ChaCha20Poly1305.seal(chunk, key: $0, nonce: position.nonce) }
    }

    /// The plaintext of `chunk`, or `nil` where it is not authentic at `position`.
    func open(_ chunk: RawSpan, at position: Position) -> SecretBytes? {
        key.withBytes {
            try? ChaCha20Poly1305.open(chunk, key: $0, nonce: position.nonce, placement: .recycled)
        }
    }
}
