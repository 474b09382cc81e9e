/// Percent-encoding (RFC 3986, section 2.1).
package enum PercentEncoding {
    /// `text` with everything encoded but letters, digits and `-._~`.
    package static func encode(_ text: String) -> String { encode(text, where: { !isUnreserved($0) }) }

    /// `text` with the percent sign and the characters of `marks`, which are ASCII, encoded.
    package static func encode(_ text: String, only marks: String) -> String {
        encode(text) { $0 == UInt8(ascii: "%") || marks.utf8.contains($0) }
    }

    private static func encode(_ text: String, where isEncoded: (UInt8) -> Bool) -> String {
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if !isEncoded(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// The bytes that `text` stands for; nil where a percent sign has no two hexadecimal digits behind it.
    package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(Hexadecimal.value), let low = rest.next().flatMap(Hexadecimal.value)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Whether RFC 3986, section 2.3 leaves the byte as it is.
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte)
    }

    /// The capital hexadecimal digit of a value under 16.
    package static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
}
