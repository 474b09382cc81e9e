package import KeyfobAge

/// What a file that is to be imported looks like, by its first bytes.
package enum BundleKind: Hashable, Sendable {
    /// An age file; whether a passphrase opens it, where that can be seen.
    case age(Age.Encoding, isForPassphrase: Bool)
    /// A JSON object: perhaps an MSAL cache.
    case jsonObject
    /// Neither.
    case unknown

    /// How many bytes are enough to tell; a shorter file is told by what there is.
    package static let prefixCount = 4_096

    private static let magic = Array("age-encryption.org/v1\n".utf8)
    private static let passphraseMark = Array("-> scrypt ".utf8)
    private static let armor = Array("-----BEGIN AGE ENCRYPTED FILE-----".utf8)
    /// The beginning of ``magic`` and ``passphraseMark`` in base64, as far as nothing else bears on it.
    private static let armoredPassphraseMark = Array("YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlw".utf8)

    /// What a file with these first bytes is.
    ///
    /// Only a look: what follows may still be wrong.
    package static func recognise(prefix: [UInt8]) -> BundleKind {
        if prefix.starts(with: magic) {
            return .age(.binary, isForPassphrase: prefix[magic.count...].starts(with: passphraseMark))
        }
        let start = prefix.starts(with: [0xEF, 0xBB, 0xBF]) ? prefix[3...] : prefix[...]
        let text = start.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
        if text.starts(with: armor) {
            let body = text.dropFirst(armor.count).drop { $0 == 0x0D || $0 == 0x0A }
            return .age(.armored, isForPassphrase: body.starts(with: armoredPassphraseMark))
        }
        return text.first == UInt8(ascii: "{") ? .jsonObject : .unknown
    }
}
