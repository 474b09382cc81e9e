internal import KeyfobAge
internal import KeyfobAgeHybrid
internal import KeyfobSodium
internal import KeyfobSync

/// What opens a bundle.
public enum BundleOpener: ~Copyable {
    /// The text of an age identity file (`AGE-SECRET-KEY-1…`, `AGE-SECRET-KEY-PQ-1…`); the first that fits is used.
    case identities(SecretBytes)
    /// A passphrase, as it was given when the bundle was written.
    case passphrase(SecretBytes)
}

/// Whom a bundle is written for.
public enum BundleSeal: ~Copyable {
    /// The owners of these age recipients, all `age1…` or all `age1pq1…`; 1 to 63.
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
        case .identities(let text): return .identities(try AgeIdentityFile.usable(in: text))
        case .passphrase(let text):
            return .passphrase(text.withBytes { SecretBytes(copying: $0) })
        }
    }
}

extension AgeRecipient {
    /// The recipients written as `texts`.
    ///
    /// As `age` does, one that withstands a quantum computer is refused beside one that does not, which would undo it.
    ///
    /// - Throws: `usage` for one that is none, for none at all, and for both kinds.
    static func parsing(_ texts: [String]) throws(KeyringError) -> [AgeRecipient] {
        var recipients: [AgeRecipient] = []
        for text in texts {
            guard let recipient = AgeRecipient(parsing: text) else {
                throw KeyringError(
                    .usage, "that is not an age recipient", advice: .giveRecipient)
            }
            if !recipients.contains(recipient) { recipients.append(recipient) }
        }
        guard !recipients.isEmpty else { throw KeyringError(.usage, "a bundle must be for somebody") }
        guard Set(recipients.map(\.isHybrid)).count == 1 else {
            throw KeyringError(
                .usage,
                "post-quantum recipients (age1pq1…) and others (age1…) cannot be mixed: the others could be broken")
        }
        return recipients
    }
}

extension KeyringError {
    init(_ error: BundleError) {
        switch error {
        case .wrongPassphrase: self.init(.wrongKey, error.description)
        case .wrongIdentity: self.init(.wrongKey, error.description, advice: .giveBundleIdentity)
        case .limitExceeded: self.init(.limitExceeded, error.description)
        case .outOfMemory: self.init(.unavailable, error.description)
        case .newerVersion: self.init(.newerVersion, error.description, advice: .update(isReadable: false))
        case .wrongPurpose, .noRecipients: self.init(.usage, error.description)
        default: self.init(.damaged, error.description)
        }
    }
}
