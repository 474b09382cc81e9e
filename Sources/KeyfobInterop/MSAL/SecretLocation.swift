internal import KeyfobModel
package import KeyfobSodium

/// Where a secret is in the bytes of a cache.
package struct SecretLocation: Hashable, Sendable {
    private let text: JSONText

    init(_ text: JSONText) {
        self.text = text
    }

    /// The bytes between the quotation marks.
    package var range: Range<Int> { text.range }

    /// Whether the bytes hold escapes; otherwise they are the secret already.
    package var hasEscapes: Bool { text.hasEscapes }

    /// The secret, copied from the bytes in which it was found straight into guarded memory.
    package func secret(in bytes: RawSpan) -> SecretBytes {
        guard text.hasEscapes else {
            return SecretBytes(copying: bytes.extracting(text.range), placement: .recycled)
        }
        return SecretBytes(count: text.decodedCount(in: bytes), placement: .recycled) { output in
            text.decode(from: bytes, into: &output)
        }
    }

    /// Whether the secret is written exactly as `other`; for constants only, since the time it takes tells.
    func isWritten(as other: String, in bytes: RawSpan) -> Bool {
        guard range.count == other.utf8.count else { return false }
        let octets = Span<UInt8>(_bytes: bytes)
        return zip(range, other.utf8).allSatisfy { octets[$0] == $1 }
    }
}
