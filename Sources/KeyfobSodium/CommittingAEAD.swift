internal import CSodium

/// XChaCha20-Poly1305 that commits to its key and to everything it is bound to.
///
/// Plain AEADs let one ciphertext open under two keys. Here a fresh key and a 32-byte commitment
/// come from one BLAKE2b-512 over the key, the context and the nonce; the commitment is compared
/// in constant time before anything is decrypted, and the context is the associated data as well.
///
///     key[32] ‖ commitment[32] = BLAKE2b-512(key: key, context ‖ nonce)
///     ciphertext = XChaCha20-Poly1305(key, nonce, message, associated data: context)
package enum CommittingAEAD {
    /// The length of a nonce in bytes; random nonces of this length do not collide.
    package static let nonceCount = 24
    /// The length of a commitment in bytes.
    package static let commitmentCount = 32
    /// The length of the authentication tag at the end of a ciphertext, in bytes.
    package static let tagCount = 16

    /// The length of a box's commitment and tag together, in bytes.
    package static let sealCount = commitmentCount + tagCount

    /// A sealed message.
    package struct Box: Equatable, Sendable {
        /// Random, 24 bytes.
        package var nonce: [UInt8] {
            get { Array(parts.nonce) }
            set { parts.nonce = newValue[...] }
        }
        /// 32 bytes.
        package var commitment: [UInt8] {
            get { Array(parts.commitment) }
            set { parts.commitment = newValue[...] }
        }
        /// The encrypted message and its 16-byte tag.
        package var ciphertext: [UInt8] {
            get { Array(parts.ciphertext) }
            set { parts.ciphertext = newValue[...] }
        }

        /// What the three are, as they were read: of one array mostly.
        fileprivate struct Parts: Equatable {
            var nonce, commitment, ciphertext: ArraySlice<UInt8>
        }

        fileprivate var parts: Parts

        package init(nonce: [UInt8], commitment: [UInt8], ciphertext: [UInt8]) {
            parts = Parts(nonce: nonce[...], commitment: commitment[...], ciphertext: ciphertext[...])
        }

        /// What ``stored`` gave; nil for what is too short.
        package init?(stored bytes: [UInt8]) {
            let front = nonceCount + commitmentCount
            guard bytes.count >= front + tagCount else { return nil }
            parts = Parts(
                nonce: bytes[..<nonceCount], commitment: bytes[nonceCount..<front], ciphertext: bytes[front...])
        }

        /// What tells this box from every other one: its commitment and its tag, ``sealCount`` bytes.
        package var seal: [UInt8] { Array(parts.commitment) + parts.ciphertext.suffix(tagCount) }

        /// Nonce, commitment and ciphertext in a row.
        package var stored: [UInt8] { Array(parts.nonce) + parts.commitment + parts.ciphertext }
    }

    /// Seals `message` under `key` (32 bytes), bound to `context`.
    ///
    /// `nonce` is random unless a test vector gives one.
    package static func seal(
        _ message: RawSpan, key: RawSpan, context: [UInt8], nonce: [UInt8]? = nil
    ) -> Box {
        let nonce = nonce ?? Randomness.bytes(nonceCount)
        precondition(nonce.count == nonceCount)
        var ciphertext = [UInt8](repeating: 0, count: message.byteCount + tagCount)
        let commitment = unsafe withDerivedKey(key, context: context, nonce: nonce[...]) { derived, commitment in
            let result = unsafe message.withUnsafeBytes { plain in
                unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
                    &ciphertext, nil, plain.octets, UInt64(plain.count),
                    context, UInt64(context.count), nil, nonce, derived.octets)
            }
            precondition(result == 0, "XChaCha20-Poly1305 was given lengths outside its range")
            return unsafe Array(commitment)
        }
        return Box(nonce: nonce, commitment: commitment, ciphertext: ciphertext)
    }

    /// Opens `box` into guarded memory.
    ///
    /// - Throws: `wrongKey` when the commitment differs (another key, context or nonce), `forged`
    ///   when the ciphertext was altered, `invalidParameters` when a part has the wrong length.
    package static func open(
        _ box: Box, key: RawSpan, context: [UInt8], placement: SecretBytes.Placement = .dedicated
    ) throws(SodiumError) -> SecretBytes {
        guard box.parts.ciphertext.count >= tagCount else { throw .invalidParameters }
        return try SecretBytes(count: box.parts.ciphertext.count - tagCount, placement: placement) {
            (span: inout MutableRawSpan) throws(SodiumError) in
            let failure = unsafe span.withUnsafeMutableBytes {
                unsafe open(box, key: key, context: context, into: $0)
            }
            if let failure { throw failure }
        }
    }

    /// Opens `box` into ordinary memory: for what is sealed but not a secret, such as names.
    ///
    /// - Throws: as ``open(_:key:context:placement:)``.
    package static func openAttributes(
        _ box: Box, key: RawSpan, context: [UInt8]
    ) throws(SodiumError) -> [UInt8] {
        guard box.parts.ciphertext.count >= tagCount else { throw .invalidParameters }
        var message = [UInt8](repeating: 0, count: box.parts.ciphertext.count - tagCount)
        let failure = unsafe message.withUnsafeMutableBytes {
            unsafe open(box, key: key, context: context, into: $0)
        }
        if let failure { throw failure }
        return message
    }

    private static func open(
        _ box: Box, key: RawSpan, context: [UInt8], into output: UnsafeMutableRawBufferPointer
    ) -> SodiumError? {
        let parts = box.parts
        guard parts.nonce.count == nonceCount, parts.commitment.count == commitmentCount else {
            return .invalidParameters
        }
        return unsafe withDerivedKey(key, context: context, nonce: parts.nonce) { derived, commitment in
            let isCommitted = unsafe parts.commitment.withUnsafeBytes { stored in
                unsafe sodium_memcmp(stored.baseAddress, commitment.baseAddress, commitmentCount) == 0
            }
            guard isCommitted else { return .wrongKey }
            let result = unsafe parts.ciphertext.withUnsafeBytes { ciphertext in
                unsafe parts.nonce.withUnsafeBytes { nonce in
                    unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
                        output.octets, nil, nil, ciphertext.octets, UInt64(ciphertext.count),
                        context, UInt64(context.count), nonce.octets, derived.octets)
                }
            }
            return result == 0 ? nil : .forged
        }
    }

    /// Derives key and commitment on the stack, lends them to `body`, and wipes them.
    private static func withDerivedKey<Result>(
        _ key: RawSpan, context: [UInt8], nonce: ArraySlice<UInt8>,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Result
    ) -> Result {
        Sodium.initialize()
        return unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { derived in
            defer { unsafe sodium_memzero(derived.baseAddress, 64) }
            let transcript = context + nonce
            unsafe key.withUnsafeBytes { unsafe BLAKE2b.compute(transcript.span.bytes, key: $0, into: derived) }
            let bytes = UnsafeRawBufferPointer(derived)
            return unsafe body(
                UnsafeRawBufferPointer(rebasing: bytes[..<32]), UnsafeRawBufferPointer(rebasing: bytes[32...]))
        }
    }
}
