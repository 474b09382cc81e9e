/// A byte of UTF-8 as it stands in a JSON string: itself, or the shortest escape where one must be.
package struct JSONEscape: Sendable {
    private let packed: UInt64
    /// How many bytes it takes: 1, 2 or 6.
    package let count: Int

    /// Whether a byte cannot stand for itself.
    package static func isNeeded(for byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// The byte, escaped where RFC 8259, section 7, wants it.
    package init(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): self.init(letter: byte)
        case 0x08: self.init(letter: UInt8(ascii: "b"))
        case 0x0C: self.init(letter: UInt8(ascii: "f"))
        case 0x0A: self.init(letter: UInt8(ascii: "n"))
        case 0x0D: self.init(letter: UInt8(ascii: "r"))
        case 0x09: self.init(letter: UInt8(ascii: "t"))
        case 0..<0x20:
            let digits: UInt64 = 0x6665_6463_6261_3938
            let low = byte & 15
            let digit = low < 8 ? 0x30 + UInt64(low) : digits >> (UInt64(low - 8) * 8) & 0xFF
            let high = 0x30 + UInt64(byte >> 4)
            self.init(packed: 0x3030_755C | high << 32 | digit << 40, count: 6)
        default:
            self.init(packed: UInt64(byte), count: 1)
        }
    }

    private init(letter: UInt8) {
        self.init(packed: 0x5C | UInt64(letter) << 8, count: 2)
    }

    private init(packed: UInt64, count: Int) {
        self.packed = packed
        self.count = count
    }

    /// The byte at `index`.
    package subscript(index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: packed >> UInt64(index * 8))
    }
}

extension JSONEscape {
    /// How many bytes `text` takes within a JSON string.
    package static func count(of text: RawSpan) -> Int {
        let bytes = Span<UInt8>(_bytes: text)
        var count = bytes.count
        for index in bytes.indices where isNeeded(for: bytes[index]) { count += JSONEscape(bytes[index]).count - 1 }
        return count
    }

    /// Writes `text`, escaped, into `output`, which has ``count(of:)`` bytes from `start` on.
    package static func write(_ text: RawSpan, into output: inout MutableRawSpan, at start: Int) {
        let bytes = Span<UInt8>(_bytes: text)
        // A token has nothing to escape.
        if count(of: text) == bytes.count {
            unsafe output.withUnsafeMutableBytes { target in
                unsafe text.withUnsafeBytes { source in
                    let place = unsafe target[start..<start + source.count]
                    unsafe UnsafeMutableRawBufferPointer(rebasing: place).copyMemory(from: source)
                }
            }
            return
        }
        var offset = start
        for index in bytes.indices {
            let escape = JSONEscape(bytes[index])
            for part in 0..<escape.count {
                output.storeBytes(of: escape[part], toByteOffset: offset, as: UInt8.self)
                offset += 1
            }
        }
    }
}
