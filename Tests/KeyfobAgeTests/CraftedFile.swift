@testable import KeyfobAge
import KeyfobAgeHybrid
import KeyfobSodium

/// A file put together by hand, so that it can be wrong in one place and right in all others.
struct CraftedFile {
    static let fileKey = [UInt8](repeating: 0x46, count: 16)
    static let passphrase = "correct horse"
    static let identityText = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
    static let recipientText = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"

    /// The lines before the MAC, each with its line feed.
    var lines: String
    /// The MAC line without its line feed; the right one where there is none.
    var macLine: String?
    var nonce = [UInt8](repeating: 0x4E, count: 16)
    /// The chunks as they stand in the file.
    var chunks: [UInt8]

    /// A file with `stanzas` and a payload of one chunk, all of it right.
    init(_ stanzas: String, message: String = "message") {
        lines = "age-encryption.org/v1\n" + stanzas
        chunks = []
        chunks = sealed([UInt8](message.utf8), number: 0, isFinal: true)
    }

    /// The identity of ``identityText``.
    static func identity() -> AgeIdentity {
        let secret = [UInt8](repeating: 0x42, count: 32).withBytes { SecretBytes(copying: $0) }
        guard let identity = AgeIdentity(secret: secret) else { preconditionFailure("the scalar has 32 bytes") }
        return identity
    }

    var bytes: [UInt8] {
        let macLine = macLine ?? "--- " + text(mac)
        return [UInt8](lines.utf8) + [UInt8](macLine.utf8) + [0x0A] + nonce + chunks
    }

    var mac: [UInt8] {
        let transcript = [UInt8]((lines + "---").utf8)
        return Self.fileKey.withBytes { fileKey in
            HKDFSHA256.derive(from: fileKey, salt: [], info: [UInt8]("header".utf8)).withBytes { key in
                transcript.withBytes { HMACSHA256.mac($0, key: key) }
            }
        }
    }

    /// A chunk sealed with the payload's key, wherever it may then be put.
    func sealed(_ plaintext: [UInt8], number: UInt64, isFinal: Bool) -> [UInt8] {
        let key = PayloadKey(fileKey: Self.fileKey.withBytes { SecretBytes(copying: $0) }, nonce: nonce)
        return plaintext.withBytes { key.seal($0, at: PayloadKey.Position(number: number, isFinal: isFinal)) }
    }

    /// The parts of an X25519 stanza for ``identity``: its share and its body in base64.
    static var x25519: (share: String, body: String) {
        guard let recipient = AgeRecipient(parsing: recipientText) else { return ("", "") }
        let fileKey = fileKey.withBytes { SecretBytes(copying: $0) }
        let stanza = [UInt8](repeating: 0x45, count: 32).withBytes {
            X25519Stanza(wrapping: fileKey, for: recipient, ephemeralSecret: $0).stanza
        }
        return (stanza.arguments[1], text(stanza.body))
    }

    /// A stanza for ``identity``, with its last line feed.
    static var x25519Stanza: String { "-> X25519 \(x25519.share)\n\(x25519.body)\n" }

    /// The salt and body of an scrypt stanza for ``passphrase`` with work factor 4, in base64.
    static var scrypt: (salt: String, body: String) {
        let fileKey = fileKey.withBytes { SecretBytes(copying: $0) }
        guard
            let stanza = try? ScryptStanza(
                wrapping: fileKey, under: secret(passphrase), salt: [UInt8](repeating: 0x53, count: 16), workFactor: 4)
        else { return ("", "") }
        return (stanza.stanza.arguments[1], text(stanza.stanza.body))
    }

    /// A stanza for ``passphrase``, with its last line feed.
    static var scryptStanza: String { "-> scrypt \(scrypt.salt) 4\n\(scrypt.body)\n" }

    /// Canonical base64 without padding.
    static func text(_ bytes: [UInt8]) -> String { Base64.unpadded.text(bytes) }

    private func text(_ bytes: [UInt8]) -> String { Self.text(bytes) }
}
