/// What can go wrong in a libsodium call.
package enum SodiumError: Error, Equatable, Sendable {
    /// The key does not fit: the commitment, checked before decryption, differs.
    case wrongKey
    /// The authentication tag differs: the bytes were altered.
    case forged
    /// A length or cost is outside what the primitive or this product accepts.
    case invalidParameters
    /// The allocation of guarded memory, or of a KDF's working memory, failed.
    case outOfMemory
    /// Reading the secret failed; `errno` is the system's reason.
    case unreadable(errno: CInt)
    /// More bytes were offered than the caller allowed.
    case tooLong(limit: Int)
}
