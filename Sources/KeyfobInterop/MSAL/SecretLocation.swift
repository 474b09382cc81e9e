internal import KeyfobModel
package import KeyfobSodium

/// Where a secret is in the bytes of a cache.
package struct SecretLocation: Hashable, Sendable {
    /// The bytes between the quotation marks of a text of JSON or YAML, or those of a text that has none.
    package let range: Range<Int>
    private let form: Form

    /// How the secret is written there.
    private enum Form: Hashable, Sendable {
        case plain
        /// A JSON text with escapes.
        case escaped(JSONText)
        /// A text of YAML with escapes, or over several lines.
        case folded(YAMLText)
        /// With percent-encoding, this many bytes of it.
        case percentEncoded(count: Int)
        /// The rest of what is in base64, from this byte on.
        case base64(from: Int)
    }

    init(_ text: JSONText) {
        range = text.range
        form = text.hasEscapes ? .escaped(text) : .plain
    }

    init(_ text: YAMLText, in bytes: RawSpan) {
        let isSpelled = text.isSpelled && text.decodedCount(in: bytes) > 0
        range = text.isSpelled && !isSpelled ? text.range.lowerBound..<text.range.lowerBound : text.range
        form = isSpelled ? .folded(text) : .plain
    }

    /// A secret that is in the bytes as it is.
    init(plain range: Range<Int>) {
        self.range = range
        form = .plain
    }

    /// A secret in percent-encoding; nil where a percent sign has no two hexadecimal digits behind it.
    init?(percentEncoded range: Range<Int>, in bytes: RawSpan) {
        var (index, count) = (range.lowerBound, 0)
        while index < range.upperBound {
            if bytes.byte(at: index) == UInt8(ascii: "%") {
                guard Self.encoded(at: index, before: range.upperBound, in: bytes) != nil else { return nil }
                index += 2
            }
            index += 1
            count += 1
        }
        self.range = range
        form = count == range.count ? .plain : .percentEncoded(count: count)
    }

    /// What stands in a text of base64 from byte `start` of what it means; nil where the text has escapes.
    func inBase64(from start: Int) -> SecretLocation? {
        guard case .plain = form else { return nil }
        return SecretLocation(range: range, form: .base64(from: start))
    }

    private init(range: Range<Int>, form: Form) {
        self.range = range
        self.form = form
    }

    /// Whether the bytes are another spelling of the secret; otherwise they are the secret already.
    package var hasEscapes: Bool { form != .plain }

    /// The secret, copied from the bytes in which it was found straight into guarded memory.
    ///
    /// Empty where base64 was none.
    package func secret(in bytes: RawSpan) -> SecretBytes {
        switch form {
        case .plain: SecretBytes(copying: bytes.extracting(range), placement: .recycled)
        case .escaped(let text):
            SecretBytes(count: text.decodedCount(in: bytes), placement: .recycled) { output in
                text.decode(from: bytes, into: &output)
            }
        case .folded(let text):
            SecretBytes(count: text.decodedCount(in: bytes), placement: .recycled) { output in
                text.decode(from: bytes, into: &output)
            }
        case .percentEncoded(let count):
            SecretBytes(count: count, placement: .recycled) { output in
                var index = range.lowerBound
                for offset in 0..<count {
                    let value = Self.encoded(at: index, before: range.upperBound, in: bytes)
                    output.storeBytes(of: value ?? bytes.byte(at: index), toByteOffset: offset, as: UInt8.self)
                    index += value == nil ? 1 : 3
                }
            }
        case .base64(let start): Self.base64(bytes.extracting(range), from: start)
        }
    }

    private static func base64(_ text: RawSpan, from start: Int) -> SecretBytes {
        switch Base64.standard.decodeSecret(text) {
        case .some(let all) where all.count >= start: all.extracting(start..<all.count, placement: .recycled)
        default: SecretBytes(count: 0, placement: .recycled) { _ in }
        }
    }

    /// The byte that a percent sign and two digits at `index` stand for; nil where there are none.
    private static func encoded(at index: Int, before end: Int, in bytes: RawSpan) -> UInt8? {
        guard bytes.byte(at: index) == UInt8(ascii: "%"), index + 2 < end,
            let high = Hexadecimal.value(of: bytes.byte(at: index + 1)),
            let low = Hexadecimal.value(of: bytes.byte(at: index + 2))
        else { return nil }
        return high << 4 | low
    }

    /// Whether the secret is written exactly as `other`; for constants only, since the time it takes tells.
    func isWritten(as other: String, in bytes: RawSpan) -> Bool {
        guard range.count == other.utf8.count else { return false }
        let octets = Span<UInt8>(_bytes: bytes)
        return zip(range, other.utf8).allSatisfy { octets[$0] == $1 }
    }
}
