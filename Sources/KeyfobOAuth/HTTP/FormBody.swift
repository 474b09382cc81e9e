internal import KeyfobModel
package import KeyfobSodium

/// A body of `application/x-www-form-urlencoded` (RFC 6749, appendix B) that may hold secrets.
///
/// It is written in guarded memory from the first byte on.
package struct FormBody: ~Copyable, Sendable {
    private var buffer: SecretBuffer

    /// A body without fields.
    package init() {
        self.buffer = SecretBuffer(capacity: 1_024)
    }

    /// Adds a field.
    package mutating func append(_ name: String, _ value: String) {
        Array(value.utf8).withBytes { append(name, $0) }
    }

    /// Adds a field whose value is secret.
    package mutating func append(_ name: String, _ value: borrowing SecretBytes) {
        value.withBytes { append(name, $0) }
    }

    /// The body.
    package consuming func encoded() -> SecretBytes {
        buffer.withBytes { SecretBytes(copying: $0, placement: .recycled) }
    }

    /// The media type of such bodies.
    package static let contentType = "application/x-www-form-urlencoded"

    private mutating func append(_ name: String, _ value: RawSpan) {
        var start = buffer.count > 0 ? [UInt8(ascii: "&")] : []
        start += PercentEncoding.encode(name).utf8
        start.append(UInt8(ascii: "="))
        let encoded = Self.encode(value)
        reserve(start.count + encoded.count)
        start.withBytes { buffer.append($0) }
        encoded.withBytes { buffer.append($0) }
    }

    private mutating func reserve(_ count: Int) {
        guard buffer.capacity - buffer.count < count else { return }
        var larger = SecretBuffer(capacity: max(2 * buffer.capacity, buffer.count + count))
        buffer.withBytes { larger.append($0) }
        buffer = larger
    }

    /// A value as it stands in a body: a space becomes `+`, and all but letters, digits and `*-._` is encoded.
    static func encode(_ value: RawSpan) -> SecretBytes {
        var count = 0
        for index in 0..<value.byteCount { count += isPlain(value.byte(at: index)) ? 1 : 3 }
        return SecretBytes(count: count, placement: .recycled) { output in
            var offset = 0
            for index in 0..<value.byteCount {
                let byte = value.byte(at: index)
                guard !isPlain(byte) else {
                    let written = byte == 0x20 ? UInt8(ascii: "+") : byte
                    output.storeBytes(of: written, toByteOffset: offset, as: UInt8.self)
                    offset += 1
                    continue
                }
                output.storeBytes(of: UInt8(ascii: "%"), toByteOffset: offset, as: UInt8.self)
                output.storeBytes(of: PercentEncoding.digit(byte >> 4), toByteOffset: offset + 1, as: UInt8.self)
                output.storeBytes(of: PercentEncoding.digit(byte & 15), toByteOffset: offset + 2, as: UInt8.self)
                offset += 3
            }
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == UInt8(ascii: "*") || byte != UInt8(ascii: "~") && PercentEncoding.isUnreserved(byte)
    }
}
