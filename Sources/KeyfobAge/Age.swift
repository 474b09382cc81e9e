package import KeyfobSodium

/// The age file format, version 1, for X25519, X-Wing and passphrases (C2SP age), as the `age` program reads and writes
/// it.
///
/// Here: limits, and files that fit in memory. ``AgeEncryptor`` and ``AgeDecryptor`` stream.
package enum Age {
    /// How a file is written.
    package enum Encoding: Equatable, Hashable, Sendable {
        /// As bytes.
        case binary
        /// As text, in ASCII armor.
        case armored
    }

    /// The base-two logarithm of the scrypt work factor that is written: 256 MiB.
    package static let writtenWorkFactor = 18
    /// The base-two logarithm of the highest scrypt work factor that is computed: 1 GiB.
    package static let acceptedWorkFactor = 20
    /// The longest header that is read, in bytes: enough for as many recipients of X-Wing as there can be.
    package static let headerLimit = 131_072
    /// The most stanzas that are read, and the most recipients that are written for.
    package static let recipientLimit = 64

    /// The file that holds `message` for each of `recipients`.
    ///
    /// - Throws: `noRecipients`, or `tooManyRecipients` past ``recipientLimit``.
    package static func seal(
        _ message: RawSpan, to recipients: [AgeRecipient], encoding: Encoding = .binary
    ) throws(AgeError) -> [UInt8] {
        var encryptor = try AgeEncryptor(recipients: recipients, encoding: encoding)
        let start = encryptor.update(message)
        return start + encryptor.finish()
    }

    /// The file that holds `message` for `passphrase`; takes about a second and 256 MiB.
    ///
    /// - Throws: `outOfMemory`.
    package static func seal(
        _ message: RawSpan, passphrase: borrowing SecretBytes, encoding: Encoding = .binary
    ) throws(AgeError) -> [UInt8] {
        var encryptor = try AgeEncryptor(passphrase: passphrase, encoding: encoding)
        let start = encryptor.update(message)
        return start + encryptor.finish()
    }

    /// The message in `file`, binary or armored, once all of it is authenticated.
    ///
    /// - Throws: what is wrong, as ``AgeError`` has it; `plaintextTooLarge` past `limit` bytes.
    package static func open(
        _ file: RawSpan, with identity: borrowing AgeIdentity, limit: Int = 1 << 20
    ) throws(AgeError) -> SecretBytes {
        try open(file, AgeDecryptor(identity: identity), limit: limit)
    }

    /// The message in `file`, binary or armored, for the first of `identities` that matches.
    ///
    /// - Throws: as ``open(_:with:limit:)``.
    package static func open(
        _ file: RawSpan, withAnyOf identities: borrowing AgeIdentityFile, limit: Int = 1 << 20
    ) throws(AgeError) -> SecretBytes {
        try open(file, AgeDecryptor(identities: identities), limit: limit)
    }

    /// The message in `file`, binary or armored, for `passphrase`.
    ///
    /// - Throws: as ``open(_:with:limit:)``.
    package static func open(
        _ file: RawSpan, passphrase: borrowing SecretBytes, limit: Int = 1 << 20
    ) throws(AgeError) -> SecretBytes {
        try open(file, AgeDecryptor(passphrase: passphrase), limit: limit)
    }

    private static func open(
        _ file: RawSpan, _ decryptor: consuming AgeDecryptor, limit: Int
    ) throws(AgeError) -> SecretBytes {
        // The plaintext is never longer than the file.
        var message = SecretBuffer(capacity: min(limit, file.byteCount))
        func append(_ plaintext: RawSpan) throws(AgeError) {
            guard plaintext.byteCount <= limit - message.count else { throw .plaintextTooLarge(limit: limit) }
            message.append(plaintext)
        }
        try decryptor.update(file, append)
        try decryptor.finish(append)
        return message.withBytes { SecretBytes(copying: $0) }
    }
}
