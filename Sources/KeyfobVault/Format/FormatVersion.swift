/// The versions of the on-disk format that this build knows.
package enum FormatVersion {
    /// The version written, and the newest read.
    package static let current: UInt16 = 3
    /// The one set of primitives: Argon2id, BLAKE2b, XChaCha20-Poly1305, age with X25519 or X-Wing.
    package static let suite: UInt16 = 1
    /// The first eight bytes of a header.
    static let magic = Array("KEYFOBV1".utf8)
}
