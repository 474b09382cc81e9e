internal import KeyfobAge
internal import KeyfobSodium
internal import KeyfobSync

/// What opens a bundle.
public enum BundleOpener: ~Copyable {
    /// The text of an age identity file (`AGE-SECRET-KEY-1…`); the first that fits is used.
    case identities(SecretBytes)
    /// A passphrase, as it was given when the bundle was written.
    case passphrase(SecretBytes)
}

/// Whom a bundle is written for.
public enum BundleSeal: ~Copyable {
    /// The owners of these age recipients, `age1…`; 1 to 63.
    case recipients([String])
    /// Whoever knows the passphrase; takes about a second and 256 MiB.
    case passphrase(SecretBytes)
}

extension BundleOpener {
    /// The same in the codec's terms.
    ///
    /// - Throws: `damaged` for a text without an identity.
    borrowing func key() throws(KeyringError) -> BundleKey {
        switch self {
        case .identities(let text):
            do {
                return .identities(
                    try text.withBytes { (bytes) throws(AgeError) in try AgeIdentityFile(parsing: bytes) })
            } catch {
                throw KeyringError(.damaged, "the identity file holds no age identity (AGE-SECRET-KEY-1…)")
            }
        case .passphrase(let text):
            return .passphrase(text.withBytes { SecretBytes(copying: $0) })
        }
    }
}

extension AgeRecipient {
    /// The recipients written as `texts`.
    ///
    /// - Throws: `usage` for one that is none, and for none at all.
    static func parsing(_ texts: [String]) throws(KeyringError) -> [AgeRecipient] {
        var recipients: [AgeRecipient] = []
        for text in texts {
            guard let recipient = AgeRecipient(parsing: text) else {
                throw KeyringError(
                    .usage, "that is no age recipient", advice: .giveRecipient)
            }
            if !recipients.contains(recipient) { recipients.append(recipient) }
        }
        guard !recipients.isEmpty else { throw KeyringError(.usage, "a bundle must be for somebody") }
        return recipients
    }
}

extension KeyringError {
    init(_ error: BundleError) {
        switch error {
        case .wrongPassphrase, .wrongIdentity: self.init(.wrongKey, error.description)
        case .limitExceeded: self.init(.limitExceeded, error.description)
        case .outOfMemory: self.init(.unavailable, error.description)
        case .newerVersion: self.init(.newerVersion, error.description, advice: .update(isReadable: false))
        case .wrongPurpose, .noRecipients: self.init(.usage, error.description)
        default: self.init(.damaged, error.description)
        }
    }
}
