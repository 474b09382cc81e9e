internal import KeyfobSodium

/// An X25519 public key that files can be written for.
///
/// A value of this type is 32 bytes long and not a point of small order, so that writing for it
/// cannot fail later.
package struct AgeRecipient: Equatable, Hashable, Sendable {
    /// 32 bytes.
    package let publicKey: [UInt8]

    /// Creates a recipient, or `nil` where `publicKey` is not 32 bytes or a point of small order.
    package init?(publicKey: [UInt8]) {
        // The product of such a point is zero whatever the scalar is, so that any scalar tells.
        let probe = [UInt8](repeating: 1, count: X25519.count)
        let product = probe.withBytes { scalar in
            publicKey.withBytes { try? X25519.sharedSecret(of: scalar, with: $0) }
        }
        guard product != nil else { return nil }
        self.publicKey = publicKey
    }

    /// Creates the recipient written as `text`: `age1…`, 62 characters, lower case only, nothing around it.
    package init?(parsing text: String) {
        guard let key = Array(text.utf8).withBytes({ Bech32.recipient.decode($0) }) else { return nil }
        self.init(publicKey: key.withBytes { [UInt8]($0) })
    }

    /// The key in Bech32: `age1…`, 62 characters.
    package var text: String {
        let text = publicKey.withBytes { key in
            [UInt8](count: Bech32.recipient.textCount) { Bech32.recipient.encode(key, into: &$0) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
