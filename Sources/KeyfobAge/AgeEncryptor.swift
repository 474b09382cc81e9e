package import KeyfobSodium

/// Writes one age file while its plaintext arrives, in constant memory.
///
/// What ``update(_:)`` and ``finish()`` return, one after the other, is the file. Plaintext waits in guarded memory
/// until its chunk of 64 KiB is complete.
package struct AgeEncryptor: ~Copyable {
    private var payload: PayloadSealer
    private var armor: ArmorEncoder?
    /// What is to be written before the next chunk: the header and the nonce.
    private var pending: [UInt8]

    /// Begins a file that each of `recipients` can open.
    ///
    /// - Parameter remark: What it says to everybody.
    /// - Throws: `noRecipients`, or `tooManyRecipients` past ``Age/recipientLimit``, one fewer with a remark.
    package init(
        recipients: [AgeRecipient], encoding: Age.Encoding = .binary, remark: AgeRemark? = nil
    ) throws(AgeError) {
        try self.init(
            recipients: recipients, encoding: encoding, remark: remark,
            randomness: .fresh(recipientCount: recipients.count))
    }

    /// Begins a file with random bytes given by a test vector.
    ///
    /// - Throws: as ``init(recipients:encoding:remark:)``.
    package init(
        recipients: [AgeRecipient], encoding: Age.Encoding, remark: AgeRemark? = nil,
        randomness: consuming AgeRandomness
    ) throws(AgeError) {
        guard !recipients.isEmpty else { throw .noRecipients }
        var stanzas = [remark?.stanza].compactMap { $0 }
        let limit = Age.recipientLimit - stanzas.count
        guard recipients.count <= limit else { throw .tooManyRecipients(limit: limit) }
        for (index, recipient) in recipients.enumerated() {
            let stanza = randomness.ephemeralSecrets.withBytes { all in
                recipient.stanza(
                    wrapping: randomness.fileKey,
                    ephemeralSecret: all.extracting(index * X25519.count..<(index + 1) * X25519.count))
            }
            stanzas.append(stanza)
        }
        self.init(stanzas: stanzas, encoding: encoding, randomness: randomness)
    }

    /// Begins a file that `passphrase` opens, and nothing else.
    ///
    /// Takes about a second and 256 MiB. The passphrase is used as it is, byte by byte; whether it is good enough
    /// (or empty), the caller decides.
    ///
    /// - Throws: `outOfMemory`.
    package init(passphrase: borrowing SecretBytes, encoding: Age.Encoding = .binary) throws(AgeError) {
        try self.init(
            passphrase: passphrase, encoding: encoding, workFactor: Age.writtenWorkFactor,
            randomness: .fresh(recipientCount: 0))
    }

    /// Begins a file with another work factor, 1 to ``Age/acceptedWorkFactor``, or with random bytes given by a test
    /// vector.
    ///
    /// - Throws: as ``init(passphrase:encoding:)``.
    package init(
        passphrase: borrowing SecretBytes, encoding: Age.Encoding, workFactor: Int,
        randomness: consuming AgeRandomness = .fresh(recipientCount: 0)
    ) throws(AgeError) {
        let stanza = try ScryptStanza(
            wrapping: randomness.fileKey, under: passphrase, salt: randomness.salt, workFactor: workFactor)
        self.init(stanzas: [stanza.stanza], encoding: encoding, randomness: randomness)
    }

    private init(stanzas: [Stanza], encoding: Age.Encoding, randomness: borrowing AgeRandomness) {
        pending = AgeHeader.serialise(stanzas, fileKey: randomness.fileKey) + randomness.payloadNonce
        payload = PayloadSealer(
            key: PayloadKey(fileKey: randomness.fileKey, nonce: randomness.payloadNonce))
        armor = encoding == .armored ? ArmorEncoder() : nil
    }

    /// Takes more plaintext, any number of bytes; returns what can be written of the file, perhaps nothing.
    package mutating func update(_ plaintext: RawSpan) -> [UInt8] {
        payload.update(plaintext, into: &pending)
        return written()
    }

    /// Returns the rest of the file, without which it will be refused as truncated.
    package consuming func finish() -> [UInt8] {
        var rest = written()
        var last: [UInt8] = []
        payload.finish(into: &last)
        guard armor != nil else { return rest + last }
        armor?.update(last, into: &rest)
        armor?.finish(into: &rest)
        return rest
    }

    private mutating func written() -> [UInt8] {
        defer { pending.removeAll() }
        guard armor != nil else { return pending }
        var text: [UInt8] = []
        armor?.update(pending, into: &text)
        return text
    }
}
