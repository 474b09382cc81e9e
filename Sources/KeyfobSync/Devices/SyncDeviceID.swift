internal import KeyfobModel

/// What names a device of a sync: a hash of its public keys, short enough to be compared by people.
///
/// 96 bits: nobody can make other keys with the id of given ones. People see six words of five letters (proquints), in
/// which a consonant stands for four bits and a vowel for two; files have hexadecimal digits.
package struct SyncDeviceID: Hashable, Comparable, Sendable {
    /// How many bytes there are.
    package static let count = 12
    private static let consonants = Array("bdfghjklmnprstvz".utf8)
    private static let vowels = Array("aiou".utf8)

    /// The bytes.
    package let bytes: [UInt8]

    /// The id with these bytes; nil for another number of them.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        self.bytes = Array(bytes)
    }

    /// The id whose hexadecimal digits these are.
    package init?(hexadecimal text: String) {
        guard text.utf8.count == 2 * Self.count, text.utf8.allSatisfy({ !(0x41...0x46).contains($0) }),
            let bytes = Hexadecimal.bytes(text)
        else { return nil }
        self.init(bytes)
    }

    /// The id whose words these are, parted by hyphens or spaces, in small or capital letters.
    package init?(words text: String) {
        let words = text.utf8.split { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: " ") }
        guard words.count == Self.count / 2 else { return nil }
        var bytes: [UInt8] = []
        for word in words {
            guard let value = Self.value(of: Array(word)) else { return nil }
            bytes += [UInt8(value >> 8), UInt8(value & 0xFF)]
        }
        self.init(bytes)
    }

    private static func value(of word: [UInt8]) -> UInt16? {
        guard word.count == 5 else { return nil }
        var value: UInt16 = 0
        for (index, letter) in word.enumerated() {
            let letters = index.isMultiple(of: 2) ? consonants : vowels
            guard let digit = letters.firstIndex(of: letter | 0x20) else { return nil }
            value = value << (index.isMultiple(of: 2) ? 4 : 2) | UInt16(digit)
        }
        return value
    }

    private static func word(_ value: UInt16) -> String {
        let letters = [
            consonants[Int(value >> 12)], vowels[Int(value >> 10 & 3)], consonants[Int(value >> 6 & 15)],
            vowels[Int(value >> 4 & 3)], consonants[Int(value & 15)],
        ]
        return String(decoding: letters, as: UTF8.self)
    }

    /// The six words, with hyphens between them.
    package var words: String {
        stride(from: 0, to: Self.count, by: 2)
            .map { Self.word(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])) }.joined(separator: "-")
    }

    /// Its hexadecimal digits, as the name of its folder has them.
    package var hexadecimal: String { Hexadecimal.text(bytes) }

    /// Orders by the bytes.
    package static func < (left: SyncDeviceID, right: SyncDeviceID) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
