internal import KeyfobModel
package import KeyfobSodium

/// Where a secret is in the bytes of a cache.
package struct SecretLocation: Hashable, Sendable {
    /// The bytes between the quotation marks of a JSON text, or those of a text that has none.
    package let range: Range<Int>
    /// The JSON text, where the bytes hold escapes.
    private let escaped: JSONText?

    init(_ text: JSONText) {
        self.range = text.range
        self.escaped = text.hasEscapes ? text : nil
    }

    /// A secret that is in the bytes as it is.
    init(plain range: Range<Int>) {
        self.range = range
        self.escaped = nil
    }

    /// Whether the bytes hold escapes; otherwise they are the secret already.
    package var hasEscapes: Bool { escaped != nil }

    /// The secret, copied from the bytes in which it was found straight into guarded memory.
    package func secret(in bytes: RawSpan) -> SecretBytes {
        guard let escaped else {
            return SecretBytes(copying: bytes.extracting(range), placement: .recycled)
        }
        return SecretBytes(count: escaped.decodedCount(in: bytes), placement: .recycled) { output in
            escaped.decode(from: bytes, into: &output)
        }
    }

    /// Whether the secret is written exactly as `other`; for constants only, since the time it takes tells.
    func isWritten(as other: String, in bytes: RawSpan) -> Bool {
        guard range.count == other.utf8.count else { return false }
        let octets = Span<UInt8>(_bytes: bytes)
        return zip(range, other.utf8).allSatisfy { octets[$0] == $1 }
    }
}
