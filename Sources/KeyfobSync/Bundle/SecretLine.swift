internal import KeyfobModel
internal import KeyfobSodium

/// The line of a record that ends with its secret, in guarded memory.
enum SecretLine {
    private static let textName = Array(#""secret":""#.utf8)
    private static let base64Name = Array(#""secretBase64":""#.utf8)
    private static let end = Array(#""}"#.utf8)

    /// The line that `start`, an open object with members, and `secret` make, with its line feed.
    ///
    /// A secret that is UTF-8 is written as text, any other in base64.
    static func line(_ start: [UInt8], then secret: borrowing SecretBytes) -> SecretBytes {
        secret.withBytes { bytes in
            let isText = (try? UTF8Span(validating: Span(_bytes: bytes))) != nil
            let head = start + [UInt8(ascii: ",")] + (isText ? textName : base64Name)
            let tail = end + [UInt8(ascii: "\n")]
            let count = isText ? escapedCount(bytes) : SecretBase64.encodedCount(bytes.byteCount)
            return SecretBytes(count: head.count + count + tail.count, placement: .recycled) { output in
                output.copy(from: RawSpan(_elements: head.span))
                if isText {
                    escape(bytes, into: &output, at: head.count)
                } else {
                    SecretBase64.encode(bytes, into: &output, at: head.count)
                }
                output.copy(from: RawSpan(_elements: tail.span), at: head.count + count)
            }
        }
    }

    private static func escapedCount(_ secret: RawSpan) -> Int {
        var count = 0
        for index in 0..<secret.byteCount {
            let byte = secret.byte(at: index)
            count += JSONEscape.isNeeded(for: byte) ? JSONEscape(byte).count : 1
        }
        return count
    }

    private static func escape(_ secret: RawSpan, into output: inout MutableRawSpan, at start: Int) {
        var offset = start
        for index in 0..<secret.byteCount {
            let escape = JSONEscape(secret.byte(at: index))
            for part in 0..<escape.count {
                output.storeBytes(of: escape[part], toByteOffset: offset, as: UInt8.self)
                offset += 1
            }
        }
    }
}
