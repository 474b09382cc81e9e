internal import KeyfobSodium

/// The identities of one file, in its order: the first that matches opens.
///
/// The file is text, as `age-keygen` writes it: one identity a line, empty lines, and comments that
/// start with `#`. Lines end with LF or CRLF. Nothing else is accepted, identities of plugins neither.
package struct AgeIdentityFile: ~Copyable, Sendable {
    /// The most identities in a file.
    package static let identityLimit = 1_024

    /// The public keys, in the order of the file.
    package let recipients: [AgeRecipient]

    /// The scalars, 32 bytes each, in the same order.
    private let secrets: SecretBytes

    /// Reads the identities in `text`.
    ///
    /// - Throws: `malformedIdentity` with the number of the line that is not one, or 0 where there is
    ///   none at all; `tooManyIdentities` past ``identityLimit``.
    package init(parsing text: RawSpan) throws(AgeError) {
        var recipients: [AgeRecipient] = []
        var found = SecretBuffer(capacity: Self.identityLimit * X25519.count)
        var start = 0
        var number = 0
        while start < text.byteCount {
            var end = start
            while end < text.byteCount && text.byte(at: end) != UInt8(ascii: "\n") { end += 1 }
            number += 1
            let next = end + 1
            if end > start && text.byte(at: end - 1) == UInt8(ascii: "\r") { end -= 1 }
            if end > start && text.byte(at: start) != UInt8(ascii: "#") {
                guard let secret = Bech32.identity.decode(text.extracting(start..<end)),
                    let identity = AgeIdentity(secret: secret)
                else { throw .malformedIdentity(line: number) }
                guard recipients.count < Self.identityLimit else { throw .tooManyIdentities(limit: Self.identityLimit) }
                recipients.append(identity.recipient)
                identity.withSecret { found.append($0) }
            }
            start = next
        }
        guard !recipients.isEmpty else { throw .malformedIdentity(line: 0) }
        self.recipients = recipients
        self.secrets = found.withBytes { SecretBytes(copying: $0) }
    }

    /// Creates a list of one, with a copy of the secret.
    init(_ identity: borrowing AgeIdentity) {
        recipients = [identity.recipient]
        secrets = identity.withSecret { SecretBytes(copying: $0) }
    }

    /// Creates a copy.
    init(copying other: borrowing AgeIdentityFile) {
        recipients = other.recipients
        secrets = other.secrets.withBytes { SecretBytes(copying: $0) }
    }

    /// The file key in the first of `stanzas` that one of the identities opens, or `nil`.
    ///
    /// - Throws: `malformedHeader(lowOrderShare)`.
    func unwrap(_ stanzas: [X25519Stanza]) throws(AgeError) -> SecretBytes? {
        for (index, recipient) in recipients.enumerated() {
            for stanza in stanzas {
                let fileKey = try secrets.withBytes { (all: RawSpan) throws(AgeError) in
                    let secret = all.extracting(index * X25519.count..<(index + 1) * X25519.count)
                    return try stanza.unwrap(secret: secret, recipient: recipient)
                }
                if let fileKey { return fileKey }
            }
        }
        return nil
    }

    /// Calls `body` with the 32 bytes of the scalar that goes with a public key, which must not outlive the call; nil
    /// where the file has no such identity.
    package borrowing func withSecret<Result>(of publicKey: [UInt8], _ body: (RawSpan) -> Result) -> Result? {
        guard let index = recipients.firstIndex(where: { $0.publicKey == publicKey }) else { return nil }
        return secrets.withBytes { body($0.extracting(index * X25519.count..<(index + 1) * X25519.count)) }
    }
}
