internal import KeyfobModel
internal import KeyfobSodium

/// The line of a record that ends with its secret, in guarded memory.
enum SecretLine {
    private static let textName = Array(#""secret":""#.utf8)
    private static let base64Name = Array(#""secretBase64":""#.utf8)
    private static let end = Array(#""}"#.utf8)

    /// How long ``line(_:then:)`` is.
    static func count(_ start: [UInt8], then secret: borrowing SecretBytes) -> Int {
        secret.withBytes { bytes in
            let isText = bytes.isUTF8
            let inner = isText ? JSONEscape.count(of: bytes) : (bytes.byteCount + 2) / 3 * 4
            return start.count + 1 + (isText ? textName : base64Name).count + inner + end.count + 1
        }
    }

    /// The line that `start`, an open object with members, and `secret` make, with its line feed.
    ///
    /// A secret that is UTF-8 is written as text, any other in base64.
    static func line(_ start: [UInt8], then secret: borrowing SecretBytes) -> SecretBytes {
        secret.withBytes { bytes in
            let isText = (try? UTF8Span(validating: Span(_bytes: bytes))) != nil
            let head = start + [UInt8(ascii: ",")] + (isText ? textName : base64Name)
            let tail = end + [UInt8(ascii: "\n")]
            guard isText else { return Base64.standard.encodeSecret(bytes, from: head, to: tail) }
            let count = JSONEscape.count(of: bytes)
            return SecretBytes(count: head.count + count + tail.count, placement: .recycled) { output in
                output.copy(from: RawSpan(_elements: head.span))
                JSONEscape.write(bytes, into: &output, at: head.count)
                output.copy(from: RawSpan(_elements: tail.span), at: head.count + count)
            }
        }
    }
}
