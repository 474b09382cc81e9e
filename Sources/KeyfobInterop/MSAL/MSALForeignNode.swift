package import KeyfobSodium

/// Something in a cache that Keyfob does not know and keeps as it is.
package struct MSALForeignNode: Hashable, Sendable {
    /// The section it is in, or nil for a top-level node.
    package let section: MSALSection?
    /// Its key.
    ///
    /// May name a person; not for reports.
    package let key: String
    /// The bytes of its JSON value.
    package let range: Range<Int>

    /// The JSON value, which may hold secrets, from the bytes in which it was found.
    package func json(in bytes: RawSpan) -> SecretBytes {
        SecretBytes(copying: bytes.extracting(range), placement: .recycled)
    }
}
