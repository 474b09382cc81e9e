internal import CSodium

/// Base64 (RFC 4648), in which each value has one spelling: white space, missing or needless padding, and bits behind
/// the end are refused.
///
/// libsodium's code has no tables, so that no access to memory tells of a secret.
package enum Base64: Sendable {
    /// The ordinary alphabet, with padding.
    case standard
    /// The ordinary alphabet, without padding.
    case unpadded
    /// The alphabet for URLs, without padding.
    case url

    /// The letters of `bytes`: for what is no secret.
    package func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        Array(bytes).withBytes { source in
            var text = [UInt8](count: count(of: source)) { write(source, into: &$0) }
            text.removeLast()
            return text
        }
    }

    /// The bytes that `text` stands for, or nil: for what is no secret.
    package func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        Array(text).withBytes { text in
            var isWhole = false
            let bytes = [UInt8](count: decodedCount(text)) { isWhole = read(text, into: &$0) }
            return isWhole ? bytes : nil
        }
    }

    /// The text of `bytes`: for what is no secret.
    package func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: encode(bytes), as: UTF8.self) }

    /// The bytes of a text in either alphabet, with or without padding, as it comes from other programs.
    package static func decodeAny(_ text: some Collection<UInt8>) -> [UInt8]? {
        var letters = text.map { letter in
            switch letter {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: letter
            }
        }
        while letters.last == UInt8(ascii: "=") { letters.removeLast() }
        return url.decode(letters)
    }

    /// The text of a secret, with `start` before and `end` behind it.
    package func encodeSecret(_ bytes: RawSpan, from start: [UInt8] = [], to end: [UInt8] = []) -> SecretBytes {
        let count = count(of: bytes)
        var text = SecretBuffer(capacity: start.count + count + end.count)
        start.withBytes { text.append($0) }
        _ = unsafe text.fill { free in
            var room = unsafe MutableRawSpan(_unsafeBytes: free)
            write(bytes, into: &room)
            return count - 1
        }
        end.withBytes { text.append($0) }
        return text.withBytes { SecretBytes(copying: $0, placement: .recycled) }
    }

    /// The secret that `text` stands for, or nil.
    package func decodeSecret(_ text: RawSpan, placement: SecretBytes.Placement = .recycled) -> SecretBytes? {
        var isWhole = false
        let secret = SecretBytes(count: decodedCount(text), placement: placement) { isWhole = read(text, into: &$0) }
        guard isWhole else { return nil }
        return secret
    }

    private var variant: CInt {
        switch self {
        case .standard: sodium_base64_VARIANT_ORIGINAL
        case .unpadded: sodium_base64_VARIANT_ORIGINAL_NO_PADDING
        case .url: sodium_base64_VARIANT_URLSAFE_NO_PADDING
        }
    }

    /// The length of a text, with the zero that libsodium ends it with.
    private func count(of bytes: RawSpan) -> Int { sodium_base64_encoded_len(bytes.byteCount, variant) }

    private func write(_ bytes: RawSpan, into text: inout MutableRawSpan) {
        unsafe text.withUnsafeMutableBytes { target in
            unsafe bytes.withUnsafeBytes { source in
                let characters = unsafe UnsafeMutableRawPointer(target.octets).assumingMemoryBound(to: CChar.self)
                _ = unsafe sodium_bin2base64(characters, target.count, source.octets, source.count, variant)
            }
        }
    }

    /// How many bytes a text stands for, if it is one.
    private func decodedCount(_ text: RawSpan) -> Int {
        var letters = text.byteCount
        for _ in 0..<2 where self == .standard && letters > 0 && text.byte(at: letters - 1) == UInt8(ascii: "=") {
            letters -= 1
        }
        return letters / 4 * 3 + max(0, letters % 4 - 1)
    }

    private func read(_ text: RawSpan, into bytes: inout MutableRawSpan) -> Bool {
        // libsodium 1.0.18 takes some bytes above ASCII for letters.
        var seen: UInt8 = 0
        for index in 0..<text.byteCount { seen |= text.byte(at: index) }
        guard seen < 0x80 else { return false }
        return unsafe bytes.withUnsafeMutableBytes { target in
            unsafe text.withUnsafeBytes { source in
                var written = 0
                let result = unsafe sodium_base642bin(
                    target.octets, target.count, source.characters, source.count, nil, &written, nil, variant)
                return result == 0 && written == target.count
            }
        }
    }
}
