internal import KeyfobSodium

/// The file key, wrapped for one recipient of X-Wing (C2SP age, "mlkem768x25519 recipient stanza").
struct HybridStanza: Equatable, Sendable {
    static let type = "mlkem768x25519"

    private let wrapped: AgeHybrid.Wrapped

    /// Reads a stanza of this type.
    ///
    /// - Throws: `malformedHeader` with `hybridArguments` or `wrappedKeySize`.
    init(_ stanza: Stanza) throws(AgeError) {
        guard stanza.arguments.count == 2,
            let share = Base64.unpadded.decode(stanza.arguments[1].utf8), share.count == AgeHybrid.shareCount
        else { throw .malformedHeader(.hybridArguments) }
        // Checked before anything is decrypted, as for the other types.
        wrapped = AgeHybrid.Wrapped(share: share, body: try WrappedFileKey(body: stanza.body).bytes)
    }

    /// Wraps `fileKey` for the owner of `publicKey`.
    init(wrapping fileKey: borrowing SecretBytes, for publicKey: [UInt8], by hybrid: AgeHybrid) {
        guard let wrapped = fileKey.withBytes({ hybrid.wrap($0, publicKey) }) else {
            preconditionFailure("a recipient's public key is one")
        }
        self.wrapped = wrapped
    }

    var stanza: Stanza {
        Stanza([Self.type, Base64.unpadded.text(wrapped.share)], body: wrapped.body)
    }

    /// The file key, or `nil` where the stanza is for somebody else.
    ///
    /// - Throws: `malformedHeader(lowOrderShare)`.
    func unwrap(seed: RawSpan, by hybrid: AgeHybrid) throws(AgeError) -> SecretBytes? {
        guard X25519.isKey(Array(wrapped.share.suffix(X25519.count))) else { throw .malformedHeader(.lowOrderShare) }
        return hybrid.unwrap(wrapped, seed)
    }
}
