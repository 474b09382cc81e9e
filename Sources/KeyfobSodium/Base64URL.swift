internal import CSodium

/// The URL-safe alphabet of Base64 without padding (RFC 4648, section 5), for secrets.
///
/// libsodium's code has no tables, so that no access to memory tells of the secret.
package enum Base64URL {
    /// The text of `bytes`.
    package static func encode(_ bytes: RawSpan) -> SecretBytes {
        // libsodium ends the text with a zero, which is not part of it.
        let count = sodium_base64_encoded_len(bytes.byteCount, variant)
        var buffer = SecretBuffer(capacity: count)
        _ = unsafe buffer.fill { free in
            unsafe bytes.withUnsafeBytes { source in
                let text = unsafe UnsafeMutableRawPointer(free.octets).assumingMemoryBound(to: CChar.self)
                _ = unsafe sodium_bin2base64(text, count, source.octets, source.count, variant)
            }
            return count - 1
        }
        return buffer.withBytes { SecretBytes(copying: $0, placement: .recycled) }
    }

    /// The bytes that `text` stands for; nil unless it is exactly what ``encode(_:)`` writes.
    package static func decode(_ text: RawSpan, placement: SecretBytes.Placement = .recycled) -> SecretBytes? {
        let count = text.byteCount / 4 * 3 + max(0, text.byteCount % 4 - 1)
        var isWhole = false
        let secret = SecretBytes(count: count, placement: placement) { output in
            isWhole = unsafe output.withUnsafeMutableBytes { target in
                unsafe text.withUnsafeBytes { source in
                    var written = 0
                    let result = unsafe sodium_base642bin(
                        target.octets, target.count, source.characters, source.count, nil, &written, nil, variant)
                    return result == 0 && written == count
                }
            }
        }
        guard isWhole else { return nil }
        return secret
    }

    private static let variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING
}
