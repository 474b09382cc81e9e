package import KeyfobAge
package import KeyfobSodium

/// What a bundle is opened with.
package enum BundleKey: ~Copyable {
    /// Identities, of which the first that matches opens.
    case identities(AgeIdentityFile)
    /// One identity.
    case identity(AgeIdentity)
    /// A passphrase.
    case passphrase(SecretBytes)
    /// The file's own key, of a bundle that was verified.
    case fileKey(SecretBytes)

    var isPassphrase: Bool {
        switch self {
        case .passphrase: true
        case .identities: false
        case .identity: false
        case .fileKey: false
        }
    }

    borrowing func decryptor() -> AgeDecryptor {
        switch self {
        case .identities(let identities): AgeDecryptor(identities: identities)
        case .identity(let identity): AgeDecryptor(identity: identity)
        case .passphrase(let passphrase): AgeDecryptor(passphrase: passphrase)
        case .fileKey(let key): AgeDecryptor(fileKey: key)
        }
    }
}
