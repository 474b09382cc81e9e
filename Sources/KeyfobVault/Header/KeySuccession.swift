package import KeyfobModel
internal import KeyfobSodium

/// That a vault has got a new key, or has taken the place of one, said by the key before: whoever knows that can follow it.
///
///     former public key 32 ‖ sequence of the last header with the former key u64 ‖ time i64 ‖ signature 64
///
/// The signature is the former key's, of `keyfob succession v1` ‖ id of the vault with the new key ‖ the former public key ‖
/// the new one ‖ sequence ‖ time.
package struct KeySuccession: Equatable, Sendable {
    /// The public key of the signatures before.
    package let former: [UInt8]
    /// The sequence of the last header with the former key.
    package let sequence: UInt64
    /// When the key was replaced.
    package let time: Timestamp
    private let signature: [UInt8]

    /// What the holder of `former` says of `signer`, the public key that comes next.
    init(of vault: VaultID, from former: VaultKeys, to signer: [UInt8], sequence: UInt64, time: Timestamp) {
        (self.former, self.sequence, self.time) = (former.signer(), sequence, time)
        signature = former.sign(
            SealingContext.succession(vault, self.former, signer, sequence: sequence, time: time.seconds))
    }

    /// Whether the former key says so of `signer`.
    package func isValid(for signer: [UInt8], of vault: VaultID) -> Bool {
        SealingContext.succession(vault, former, signer, sequence: sequence, time: time.seconds)
            .withBytes { Ed25519.isValid(signature, of: $0, publicKey: former) }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(former)
        writer.write(sequence)
        writer.write(time.seconds)
        writer.write(signature)
    }

    init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        former = try reader.read(Ed25519.keyCount)
        sequence = try reader.read()
        time = Timestamp(seconds: try reader.read())
        signature = try reader.read(Ed25519.signatureCount)
    }
}
