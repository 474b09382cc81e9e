internal import CSodium

/// Comparisons whose duration tells nothing about the bytes.
package enum ConstantTime {
    /// Whether both hold the same bytes; the lengths are not secret.
    package static func areEqual(_ left: RawSpan, _ right: RawSpan) -> Bool {
        guard left.byteCount == right.byteCount else { return false }
        return unsafe left.withUnsafeBytes { a in
            unsafe right.withUnsafeBytes { b in
                unsafe sodium_memcmp(a.baseAddress, b.baseAddress, a.count) == 0
            }
        }
    }
}
