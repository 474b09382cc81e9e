internal import KeyfobModel
package import KeyfobSodium

/// Where the fields of an `application/x-www-form-urlencoded` text are.
///
/// Read strictly: no field without `=`, no name twice, no bare percent sign, nothing but UTF-8. As with a JSON
/// tape, values stay in the source until somebody asks for one, and passes the same bytes again.
package struct FormFields: Sendable {
    /// One field.
    struct Field: Sendable {
        let name: String
        let value: Range<Int>
    }

    let fields: [Field]

    /// Why a text was not read; no case holds any of it.
    package enum Flaw: String, Error, Hashable, Sendable, CustomStringConvertible {
        case tooLarge = "the form is too large"
        case malformed = "the form is not written as a form"
        case repeated = "the form has a field twice"

        package var description: String { rawValue }
    }

    /// The longest text that is read, in bytes.
    package static let maximumCount = 1 << 16

    /// Reads where the fields of `bytes` are; an empty text has none.
    package init(reading bytes: RawSpan) throws(Flaw) {
        guard bytes.byteCount <= Self.maximumCount else { throw .tooLarge }
        var fields: [Field] = []
        var start = 0
        while start < bytes.byteCount {
            var end = start
            var equals: Int?
            while end < bytes.byteCount, bytes.byte(at: end) != UInt8(ascii: "&") {
                if equals == nil, bytes.byte(at: end) == UInt8(ascii: "=") { equals = end }
                end += 1
            }
            guard let equals, equals > start, end + 1 != bytes.byteCount else { throw .malformed }
            try Self.check(bytes, equals + 1..<end)
            try Self.check(bytes, start..<equals)
            let name = Self.string(bytes, start..<equals)
            guard fields.count < 64 else { throw .tooLarge }
            guard !fields.contains(where: { $0.name == name }) else { throw .repeated }
            fields.append(Field(name: name, value: equals + 1..<end))
            start = end + 1
        }
        self.fields = fields
    }

    /// Whether there is a field called `name`.
    package func has(_ name: String) -> Bool { range(of: name) != nil }

    /// The value of a field as text: not for secrets.
    package func string(_ name: String, in bytes: RawSpan) -> String? {
        range(of: name).map { Self.string(bytes, $0) }
    }

    /// The value of a field, copied straight to guarded memory.
    package func secret(_ name: String, in bytes: RawSpan) -> SecretBytes? {
        guard let range = range(of: name) else { return nil }
        return SecretBytes(count: Self.count(bytes, range), placement: .recycled) { output in
            var position = range.lowerBound
            var offset = 0
            while position < range.upperBound {
                output.storeBytes(of: Self.next(bytes, &position), toByteOffset: offset, as: UInt8.self)
                offset += 1
            }
        }
    }

    private func range(of name: String) -> Range<Int>? { fields.first { $0.name == name }?.value }

    private static func next(_ bytes: RawSpan, _ position: inout Int) -> UInt8 {
        let byte = bytes.byte(at: position)
        guard byte == UInt8(ascii: "%") else {
            position += 1
            return byte == UInt8(ascii: "+") ? 0x20 : byte
        }
        let high = Hexadecimal.value(of: bytes.byte(at: position + 1)) ?? 0
        let low = Hexadecimal.value(of: bytes.byte(at: position + 2)) ?? 0
        position += 3
        return high << 4 | low
    }

    private static func count(_ bytes: RawSpan, _ range: Range<Int>) -> Int {
        var position = range.lowerBound
        var count = 0
        while position < range.upperBound {
            _ = next(bytes, &position)
            count += 1
        }
        return count
    }

    private static func string(_ bytes: RawSpan, _ range: Range<Int>) -> String {
        var position = range.lowerBound
        var decoded: [UInt8] = []
        while position < range.upperBound { decoded.append(next(bytes, &position)) }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// Refuses what is not printable ASCII or badly encoded, and what is no UTF-8 once decoded.
    private static func check(_ bytes: RawSpan, _ range: Range<Int>) throws(Flaw) {
        var position = range.lowerBound
        while position < range.upperBound {
            let byte = bytes.byte(at: position)
            guard (0x21...0x7E).contains(byte) else { throw .malformed }
            if byte == UInt8(ascii: "%") {
                guard position + 2 < range.upperBound,
                    Hexadecimal.value(of: bytes.byte(at: position + 1)) != nil,
                    Hexadecimal.value(of: bytes.byte(at: position + 2)) != nil
                else { throw .malformed }
            }
            _ = next(bytes, &position)
        }
        guard isUTF8(bytes, range) else { throw .malformed }
    }

    private static func isUTF8(_ bytes: RawSpan, _ range: Range<Int>) -> Bool {
        let decoded = SecretBytes(count: count(bytes, range), placement: .recycled) { output in
            var position = range.lowerBound
            var offset = 0
            while position < range.upperBound {
                output.storeBytes(of: next(bytes, &position), toByteOffset: offset, as: UInt8.self)
                offset += 1
            }
        }
        return decoded.withBytes { (try? UTF8Span(validating: Span<UInt8>(_bytes: $0))) != nil }
    }
}
