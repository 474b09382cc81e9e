package import KeyfobSodium

/// The random bytes that go into one file: fresh for each, unless a test vector gives them.
///
/// > Important: two files written with the same value share their file key and their nonces.
package struct AgeRandomness: ~Copyable {
    /// 16 bytes.
    let fileKey: SecretBytes
    /// 16 bytes.
    let payloadNonce: [UInt8]
    /// The scalars of the X25519 stanzas: 32 bytes for each recipient, used or not.
    let ephemeralSecrets: SecretBytes
    /// The salt of the scrypt stanza, 16 bytes.
    let salt: [UInt8]

    /// Creates the bytes for a vector; `ephemeralSecrets` holds 32 for each recipient.
    package init(
        fileKey: consuming SecretBytes, payloadNonce: [UInt8], ephemeralSecrets: consuming SecretBytes, salt: [UInt8]
    ) {
        precondition(fileKey.count == WrappedFileKey.fileKeyCount && payloadNonce.count == PayloadKey.nonceCount)
        precondition(ephemeralSecrets.count % X25519.count == 0 && salt.count == ScryptStanza.saltCount)
        self.fileKey = fileKey
        self.payloadNonce = payloadNonce
        self.ephemeralSecrets = ephemeralSecrets
        self.salt = salt
    }

    /// Creates fresh bytes for a file for `recipientCount` recipients.
    package static func fresh(recipientCount: Int) -> AgeRandomness {
        AgeRandomness(
            fileKey: .random(count: WrappedFileKey.fileKeyCount),
            payloadNonce: Randomness.bytes(PayloadKey.nonceCount),
            ephemeralSecrets: .random(count: recipientCount * X25519.count),
            salt: Randomness.bytes(ScryptStanza.saltCount))
    }
}
