internal import KeyfobSodium

/// The secret of an item as other programs read it: a token as it is, where it is text that every service keeps as it is.
enum ItemSecret {
    /// How a secret stands in its item; the attribute `encoding` says it where it is not plain.
    enum Encoding: String {
        case plain, base64url
    }

    /// What stands in an item for a record without a secret: some services keep no empty one.
    private static let nothing = Array("-".utf8)
    /// What is left in an item that the service does not remove without asking somebody.
    private static let emptied = Array("KFD1".utf8)

    /// The text for a record without a secret.
    static func ofNothing() -> SecretBytes { nothing.withBytes { SecretBytes(copying: $0) } }

    /// The text for an item that is to hold nothing any more.
    static func ofEmptied() -> SecretBytes { emptied.withBytes { SecretBytes(copying: $0) } }

    /// Whether this is ``ofEmptied()``, or what a service leaves that ended while it made an item: nothing, which the end of
    /// a line is as well.
    static func isEmptied(_ text: borrowing SecretBytes) -> Bool {
        text.withBytes { bytes in
            let count = trimmedCount(bytes)
            return count == 0 || bytes.extracting(0..<count).equals(emptied)
        }
    }

    /// How the secret of an item is written, as it says itself; as it is where it says nothing.
    static func encoding(_ attributes: [String: String]) -> Encoding {
        attributes["encoding"].flatMap(Encoding.init) ?? .plain
    }

    /// How a secret is written.
    ///
    /// Plain is what tokens are made of (RFC 6749, appendix A.12: printable ASCII), unless KeePassXC could take it for a
    /// placeholder, which begins with a brace, or it ends like a line that somebody has pasted.
    static func encoding(of secret: borrowing SecretBytes) -> Encoding {
        secret.withBytes { bytes in
            guard bytes.byteCount > 0, !bytes.equals(nothing), !bytes.equals(emptied) else { return .base64url }
            for index in 0..<bytes.byteCount {
                let byte = bytes.byte(at: index)
                guard (0x20...0x7E).contains(byte), byte != UInt8(ascii: "{") else { return .base64url }
            }
            let space = UInt8(ascii: " ")
            return bytes.byte(at: 0) == space || bytes.byte(at: bytes.byteCount - 1) == space ? .base64url : .plain
        }
    }

    /// The text for a secret.
    static func text(of secret: borrowing SecretBytes, _ encoding: Encoding) -> SecretBytes {
        secret.withBytes { bytes in
            switch encoding {
            case .plain: SecretBytes(copying: bytes, placement: .recycled)
            case .base64url: Base64.url.encodeSecret(bytes)
            }
        }
    }

    /// The secret that a text stands for; nil for what is not written so.
    static func secret(in text: borrowing SecretBytes, as encoding: Encoding) -> SecretBytes? {
        text.withBytes { bytes in
            let bytes = bytes.extracting(0..<trimmedCount(bytes))
            switch encoding {
            case .plain: return SecretBytes(copying: bytes, placement: .recycled)
            case .base64url: return Base64.url.decodeSecret(bytes)
            }
        }
    }

    /// The secret that is meant, in whichever way a text stands for it; nil where that is another.
    ///
    /// What the item says of that counts for nothing: it is no longer true where another program has changed the text.
    static func secret(
        in text: borrowing SecretBytes, where isMeant: (borrowing SecretBytes) -> Bool
    ) -> SecretBytes? {
        for encoding in [Encoding.plain, .base64url] {
            let secret = secret(in: text, as: encoding)
            if let secret, isMeant(secret) { return secret }
        }
        return nil
    }

    /// The count of bytes without the end of a line: who copies a secret into an item by hand often brings one.
    private static func trimmedCount(_ text: RawSpan) -> Int {
        var count = text.byteCount
        while count > 0, [0x0A, 0x0D, 0x20].contains(text.byte(at: count - 1)) { count -= 1 }
        return count
    }
}

extension RawSpan {
    /// Whether these bytes, which are no secret's, are the same.
    fileprivate func equals(_ bytes: [UInt8]) -> Bool {
        byteCount == bytes.count && bytes.indices.allSatisfy { byte(at: $0) == bytes[$0] }
    }
}
