internal import KeyfobSodium

/// A header that is well-formed: for whom the file key is wrapped, and the MAC under it (C2SP age, "Header").
///
/// Native stanzas are read strictly whoever opens the file; others are skipped.
struct AgeHeader {
    static let versionLine = Array("age-encryption.org/v1".utf8)
    static let macMark = Array("---".utf8)

    /// How the file key can be had.
    enum Lock {
        /// One of these stanzas, perhaps none, beside others that are unknown here.
        case recipients([RecipientStanza])
        /// A passphrase; there is no other stanza.
        case passphrase(ScryptStanza)
    }
    let lock: Lock

    /// A file key that an identity unwraps.
    enum RecipientStanza {
        case x25519(X25519Stanza)
        case hybrid(HybridStanza)
    }

    /// The bytes under the MAC: everything up to and including the `---`.
    private let transcript: [UInt8]
    private let mac: [UInt8]

    /// Recognises the native stanzas.
    ///
    /// - Throws: `malformedHeader`.
    init(stanzas: [Stanza], transcript: [UInt8], mac: [UInt8]) throws(AgeError) {
        guard let first = stanzas.first else { throw .malformedHeader(.noStanza) }
        if stanzas.contains(where: { $0.type == ScryptStanza.type }) {
            guard stanzas.count == 1 else { throw .malformedHeader(.scryptNotAlone) }
            lock = .passphrase(try ScryptStanza(first))
        } else {
            var recipients: [RecipientStanza] = []
            for stanza in stanzas {
                switch stanza.type {
                case X25519Stanza.type: recipients.append(.x25519(try X25519Stanza(stanza)))
                case HybridStanza.type: recipients.append(.hybrid(try HybridStanza(stanza)))
                default: break
                }
            }
            lock = .recipients(recipients)
        }
        self.transcript = transcript
        self.mac = mac
    }

    /// Whether the header is the one that was written with `fileKey`; the comparison is constant-time.
    func isAuthentic(under fileKey: borrowing SecretBytes) -> Bool {
        let expected = Self.mac(of: transcript, under: fileKey)
        return mac.withBytes { mac in expected.withBytes { ConstantTime.areEqual(mac, $0) } }
    }

    /// A header with `stanzas`, ready to be written.
    static func serialise(_ stanzas: [Stanza], fileKey: borrowing SecretBytes) -> [UInt8] {
        let transcript = versionLine + [UInt8(ascii: "\n")] + stanzas.flatMap { $0.serialised } + macMark
        let mac = Base64.unpadded.encode(mac(of: transcript, under: fileKey))
        return transcript + [UInt8(ascii: " ")] + mac + [UInt8(ascii: "\n")]
    }

    private static func mac(of transcript: [UInt8], under fileKey: borrowing SecretBytes) -> [UInt8] {
        fileKey.withBytes { fileKey in
            HKDFSHA256.derive(from: fileKey, salt: [], info: Array("header".utf8), placement: .recycled)
                .withBytes { key in transcript.withBytes { HMACSHA256.mac($0, key: key) } }
        }
    }
}
