internal import KeyfobAge
internal import KeyfobAgeHybrid
internal import KeyfobSodium

/// The text of an age identity file, as `age -i` takes it: what of it Keyfob cannot use, and one that is encrypted.
///
/// X25519 (`AGE-SECRET-KEY-1…`) and X-Wing (`AGE-SECRET-KEY-PQ-1…`) are used. Identities of plugins and of SSH are not.
public enum IdentityText {
    /// What stands in it and cannot be used, one line each: where and what, nothing of its content.
    ///
    /// - Throws: `damaged` where nothing in it can be used, which says what there is instead; `limitExceeded`.
    public static func unusable(in text: borrowing SecretBytes) throws(KeyringError) -> [String] {
        try AgeIdentityFile.usable(in: text).unusable.map(\.description)
    }

    /// The recipient of the one identity in it, `age1…`: the public key.
    ///
    /// - Throws: As ``unusable(in:)``; `usage` for several identities.
    public static func recipient(of text: borrowing SecretBytes) throws(KeyringError) -> String {
        guard let identity = try AgeIdentityFile.usable(in: text).only(hybrid: .swiftCrypto) else {
            throw KeyringError(.usage, "the file holds several identities")
        }
        return identity.recipient.text
    }

    /// Whether it is encrypted as a whole, as `age -p` does it.
    public static func isEncrypted(_ text: borrowing SecretBytes) -> Bool {
        do {
            _ = try AgeIdentityFile(text)
        } catch .noUsableIdentity(let identities) {
            return identities.map(\.kind) == [.encrypted]
        } catch {}
        return false
    }

    /// What an encrypted one holds.
    ///
    /// - Throws: `wrongKey`, `damaged`, `unavailable` where there is not enough memory, `limitExceeded`.
    public static func decrypted(
        _ text: borrowing SecretBytes, passphrase: borrowing SecretBytes
    ) throws(KeyringError) -> SecretBytes {
        do {
            return try text.withBytes { (bytes) throws(AgeError) in try Age.open(bytes, passphrase: passphrase) }
        } catch .noMatch {
            throw KeyringError(.wrongKey, "the passphrase does not open the identity file")
        } catch .outOfMemory {
            throw KeyringError(.unavailable, "there is not enough memory to open the identity file")
        } catch .workFactorTooHigh {
            throw KeyringError(.limitExceeded, "testing the passphrase of the identity file would cost too much")
        } catch {
            throw KeyringError(.damaged, "the encrypted identity file is damaged")
        }
    }
}

extension AgeIdentityFile {
    init(_ text: borrowing SecretBytes) throws(AgeError) {
        self = try text.withBytes { (bytes) throws(AgeError) in try AgeIdentityFile(parsing: bytes) }
    }

    /// The identities in `text`, of which at least one can be used.
    ///
    /// - Throws: `damaged`, which says what there is instead.
    static func usable(in text: borrowing SecretBytes) throws(KeyringError) -> AgeIdentityFile {
        do {
            return try AgeIdentityFile(text)
        } catch .noUsableIdentity(let identities) {
            let found = identities.prefix(3).map(\.description).joined(separator: "; ")
            throw KeyringError(.damaged, "the identity file holds nothing that Keyfob can use: \(found)")
        } catch .malformedIdentity(let line) where line > 0 {
            throw KeyringError(.damaged, "line \(line) of the identity file is not an age identity (AGE-SECRET-KEY-…)")
        } catch .tooManyIdentities(let limit) {
            throw KeyringError(.limitExceeded, "the identity file holds more than \(limit) identities")
        } catch {
            throw KeyringError(.damaged, "the identity file holds no age identity (AGE-SECRET-KEY-…)")
        }
    }
}

extension UnusableIdentity {
    var description: String {
        switch kind {
        case .plugin: "line \(line) is a plugin's (AGE-PLUGIN-…)"
        case .ssh: "line \(line) begins a private key of SSH"
        case .encrypted: "line \(line) begins an encrypted identity file"
        }
    }
}
