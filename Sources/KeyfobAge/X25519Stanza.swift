internal import KeyfobSodium

/// The file key, wrapped for one X25519 recipient (C2SP age, "The X25519 recipient type").
struct X25519Stanza: Equatable, Sendable {
    static let type = "X25519"
    private static let info = Array("age-encryption.org/v1/X25519".utf8)

    /// The public key of a key pair made for this stanza, 32 bytes.
    private let share: [UInt8]
    private let wrapped: WrappedFileKey

    /// Reads a stanza of this type.
    ///
    /// - Throws: `malformedHeader` with `x25519Arguments` or `wrappedKeySize`.
    init(_ stanza: Stanza) throws(AgeError) {
        guard stanza.arguments.count == 2,
            let share = Base64.unpadded.decode(stanza.arguments[1].utf8), share.count == X25519.count
        else { throw .malformedHeader(.x25519Arguments) }
        self.share = share
        self.wrapped = try WrappedFileKey(body: stanza.body)
    }

    /// Wraps `fileKey` for `recipient` with an ephemeral secret (32 bytes) that is used nowhere else.
    init(wrapping fileKey: borrowing SecretBytes, for recipient: AgeRecipient, ephemeralSecret: RawSpan) {
        share = X25519.publicKey(of: ephemeralSecret)
        guard
            let wrapKey = Self.wrapKey(
                secret: ephemeralSecret, peer: recipient.publicKey, share: share, recipient: recipient)
        else { preconditionFailure("a recipient is never a point of small order") }
        wrapped = WrappedFileKey(fileKey, under: wrapKey)
    }

    var stanza: Stanza {
        Stanza([Self.type, Base64.unpadded.text(share)], body: wrapped.bytes)
    }

    /// The file key, or `nil` where the stanza is for somebody else.
    ///
    /// - Throws: `malformedHeader(lowOrderShare)`.
    func unwrap(secret: RawSpan, recipient: AgeRecipient) throws(AgeError) -> SecretBytes? {
        guard let wrapKey = Self.wrapKey(secret: secret, peer: share, share: share, recipient: recipient) else {
            throw .malformedHeader(.lowOrderShare)
        }
        return wrapped.unwrap(with: wrapKey)
    }

    /// The key that both sides arrive at, or `nil` where `peer` is a point of small order.
    private static func wrapKey(
        secret: RawSpan, peer: [UInt8], share: [UInt8], recipient: AgeRecipient
    ) -> SecretBytes? {
        guard let shared = peer.withBytes({ try? X25519.sharedSecret(of: secret, with: $0) }) else { return nil }
        return shared.withBytes { HKDFSHA256.derive(from: $0, salt: share + recipient.publicKey, info: info) }
    }
}
