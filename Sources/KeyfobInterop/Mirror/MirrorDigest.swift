package import KeyfobModel
internal import KeyfobSodium

/// What stands in a mirror's note for a token, an account or an entry: 16 bytes of its hash.
package struct MirrorDigest: Hashable, Sendable, CustomStringConvertible {
    private let bytes: [UInt8]

    /// The digest of some bytes.
    init(hashing content: RawSpan) { bytes = BLAKE2b.hash(content, count: Self.count) }

    /// The digest of some texts, in their order.
    init(_ texts: [String]) {
        let joined = Array(texts.map { "\($0.utf8.count) \($0)" }.joined().utf8)
        self = joined.withBytes { MirrorDigest(hashing: $0) }
    }

    /// The digest of some texts, in their order.
    init(_ texts: String...) { self.init(texts) }

    /// The digest of an account.
    package init(_ account: AccountID) { self.init(account.canonical) }

    /// The digest of what a client has of an account.
    package init(_ account: AccountID, clientID: String) {
        self.init(account.canonical, Identifier.folded(clientID))
    }

    /// The digest that is written so.
    init?(written text: String) {
        guard let bytes = Hexadecimal.bytes(text), bytes.count == Self.count else { return nil }
        self.bytes = bytes
    }

    private static let count = 16

    /// As it is written: 32 hexadecimal digits.
    package var description: String { Hexadecimal.text(bytes) }
}
