internal import KeyfobSodium

/// Bech32 (BIP 173) of keys, as age writes them: `age1…` in lower case, `AGE-SECRET-KEY-1…` in upper case, each refused
/// in the other.
///
/// Keys are read and written symbol by symbol, so that no copy of a secret one is left behind.
struct Bech32 {
    /// What stands before the separator, in lower case: the checksum is over lower case always.
    private let prefix: [UInt8]
    private let isUppercase: Bool
    /// The length of a key in bytes.
    private let keyCount: Int

    /// The text of a recipient's public key.
    static let recipient = Bech32(prefix: Array("age".utf8), isUppercase: false, keyCount: X25519.count)
    /// The text of an identity's secret scalar.
    static let identity = Bech32(prefix: Array("age-secret-key-".utf8), isUppercase: true, keyCount: X25519.count)
    /// The text of a public key of X-Wing.
    static let hybridRecipient = Bech32(
        prefix: Array("age1pq".utf8), isUppercase: false, keyCount: AgeHybrid.publicKeyCount)
    /// The text of a seed of X-Wing.
    static let hybridIdentity = Bech32(
        prefix: Array("age-secret-key-pq-".utf8), isUppercase: true, keyCount: AgeHybrid.seedCount)

    private static let symbols = [UInt8]("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let separator = UInt8(ascii: "1")
    private static let checksumCount = 6
    /// The bits in groups of 5, the last one filled up with zeros.
    private var dataCount: Int { (keyCount * 8 + 4) / 5 }

    private struct Malformed: Error {}

    /// The length of a key's text in bytes.
    var textCount: Int { prefix.count + 1 + dataCount + Self.checksumCount }

    /// Writes the text of `key` into `text`, which has ``textCount`` bytes.
    func encode(_ key: RawSpan, into text: inout MutableRawSpan) {
        precondition(key.byteCount == keyCount && text.byteCount == textCount)
        var checksum = Checksum(prefix: prefix)
        var end = 0
        for character in prefix + [Self.separator] { write(character, into: &text, at: &end) }
        var pending: UInt32 = 0
        var bits = 0
        for offset in 0..<keyCount {
            pending = pending << 8 | UInt32(key.byte(at: offset))
            bits += 8
            while bits >= 5 {
                bits -= 5
                let value = UInt8(truncatingIfNeeded: pending >> bits) & 0x1F
                checksum.add(value)
                write(Self.symbols[Int(value)], into: &text, at: &end)
            }
        }
        if bits > 0 {
            let last = UInt8(truncatingIfNeeded: pending << (5 - bits)) & 0x1F
            checksum.add(last)
            write(Self.symbols[Int(last)], into: &text, at: &end)
        }
        for value in checksum.values() { write(Self.symbols[Int(value)], into: &text, at: &end) }
    }

    /// The key that `text` stands for, or `nil` where prefix, case, length, checksum or the unused
    /// bits at the end are not as they must be.
    func decode(_ text: RawSpan) -> SecretBytes? {
        guard text.byteCount == textCount else { return nil }
        for (offset, character) in (prefix + [Self.separator]).enumerated() {
            guard text.byte(at: offset) == cased(character) else { return nil }
        }
        return try? SecretBytes(count: keyCount) { (key: inout MutableRawSpan) throws(Malformed) in
            var checksum = Checksum(prefix: prefix)
            var end = 0
            var pending: UInt32 = 0
            var bits = 0
            for index in 0..<(dataCount + Self.checksumCount) {
                let character = text.byte(at: prefix.count + 1 + index)
                guard let value = Self.symbols.firstIndex(where: { cased($0) == character }) else { throw Malformed() }
                checksum.add(UInt8(value))
                guard index < dataCount else { continue }
                pending = pending << 5 | UInt32(value)
                bits += 5
                if bits >= 8 {
                    bits -= 8
                    key.storeBytes(
                        of: UInt8(truncatingIfNeeded: pending >> bits), toByteOffset: end, as: UInt8.self)
                    end += 1
                }
            }
            guard pending & ((1 << bits) - 1) == 0, checksum.isValid else { throw Malformed() }
        }
    }

    private func write(_ character: UInt8, into text: inout MutableRawSpan, at end: inout Int) {
        text.storeBytes(of: cased(character), toByteOffset: end, as: UInt8.self)
        end += 1
    }

    private func cased(_ character: UInt8) -> UInt8 {
        isUppercase && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character) ? character - 0x20 : character
    }

    /// The remainder of BIP 173, fed with one 5-bit value after the other.
    private struct Checksum {
        private static let generator: [UInt32] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]
        private var remainder: UInt32 = 1

        init(prefix: [UInt8]) {
            for character in prefix { add(character >> 5) }
            add(0)
            for character in prefix { add(character & 0x1F) }
        }

        mutating func add(_ value: UInt8) {
            let top = remainder >> 25
            remainder = (remainder & 0x1FF_FFFF) << 5 ^ UInt32(value)
            for (bit, term) in Self.generator.enumerated() where top >> bit & 1 == 1 { remainder ^= term }
        }

        /// The six values that make what was fed so far valid.
        func values() -> [UInt8] {
            var completed = self
            for _ in 0..<checksumCount { completed.add(0) }
            let target = completed.remainder ^ 1
            return (0..<checksumCount).map { UInt8(truncatingIfNeeded: target >> (5 * (5 - $0))) & 0x1F }
        }

        /// Whether what was fed, checksum included, is valid.
        var isValid: Bool { remainder == 1 }
    }
}
