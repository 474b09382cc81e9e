internal import KeyfobSodium

/// A public key that files can be written for.
///
/// A value of this type is a key that can be wrapped for, so that writing for it cannot fail later.
package struct AgeRecipient: Hashable, Sendable {
    /// 32 bytes of X25519, or 1,216 of X-Wing.
    package let publicKey: [UInt8]

    /// What wraps for it, where it is of X-Wing.
    private let hybrid: AgeHybrid?

    /// Whether what is written for it withstands a quantum computer.
    package var isHybrid: Bool { hybrid != nil }

    /// Creates a recipient, or `nil` where `publicKey` is neither 32 bytes of X25519 nor 1,216 of X-Wing, or no key.
    package init?(publicKey: [UInt8], hybrid: AgeHybrid) {
        if publicKey.count == AgeHybrid.publicKeyCount {
            guard hybrid.isPublicKey(publicKey) else { return nil }
            self.hybrid = hybrid
        } else {
            guard publicKey.count == X25519.count, X25519.isKey(publicKey) else { return nil }
            self.hybrid = nil
        }
        self.publicKey = publicKey
    }

    /// Creates the recipient of an identity, whose public key is one.
    init(ofIdentity publicKey: [UInt8], hybrid: AgeHybrid? = nil) {
        (self.publicKey, self.hybrid) = (publicKey, hybrid)
    }

    /// Creates the recipient written as `text`: `age1…` (62 characters) or `age1pq1…` (1,959), lower case only, nothing
    /// around it.
    package init?(parsing text: String, hybrid: AgeHybrid) {
        let text = Array(text.utf8)
        guard let key = text.withBytes({ Bech32.recipient.decode($0) ?? Bech32.hybridRecipient.decode($0) }) else {
            return nil
        }
        self.init(publicKey: key.withBytes { [UInt8]($0) }, hybrid: hybrid)
    }

    /// The key in Bech32.
    package var text: String {
        let bech32 = isHybrid ? Bech32.hybridRecipient : Bech32.recipient
        let text = publicKey.withBytes { key in
            [UInt8](count: bech32.textCount) { bech32.encode(key, into: &$0) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    package static func == (left: AgeRecipient, right: AgeRecipient) -> Bool { left.publicKey == right.publicKey }

    package func hash(into hasher: inout Hasher) { hasher.combine(publicKey) }

    /// The stanza that holds `fileKey` for this recipient.
    ///
    /// - Parameter ephemeralSecret: 32 bytes that are used nowhere else, for X25519.
    func stanza(wrapping fileKey: borrowing SecretBytes, ephemeralSecret: RawSpan) -> Stanza {
        if let hybrid { return HybridStanza(wrapping: fileKey, for: publicKey, by: hybrid).stanza }
        return X25519Stanza(wrapping: fileKey, for: self, ephemeralSecret: ephemeralSecret).stanza
    }

    /// The file key in `stanza`, or `nil` where it is for somebody else.
    ///
    /// - Parameter secret: The secret key of this recipient.
    /// - Throws: `malformedHeader(lowOrderShare)`.
    func unwrap(_ stanza: AgeHeader.RecipientStanza, secret: RawSpan) throws(AgeError) -> SecretBytes? {
        switch (stanza, hybrid) {
        case (.x25519(let stanza), nil): try stanza.unwrap(secret: secret, recipient: self)
        case (.hybrid(let stanza), let hybrid?): try stanza.unwrap(seed: secret, by: hybrid)
        default: nil
        }
    }
}

extension X25519 {
    /// Whether a public key is not a point of small order, whose product with any scalar is zero.
    static func isKey(_ publicKey: [UInt8]) -> Bool {
        let probe = [UInt8](repeating: 1, count: count)
        return probe.withBytes { scalar in
            publicKey.withBytes { (try? sharedSecret(of: scalar, with: $0)) != nil }
        }
    }
}
