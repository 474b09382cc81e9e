/// A text in the bits of a QR code: two characters in 11 bits where it has none but capitals, digits and a few signs,
/// else bytes of UTF-8.
struct QRCodeSegment {
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)

    private let bytes: [UInt8]
    /// The number of each character in the alphabet; nil where one is not in it.
    private let characters: [Int]?

    init(_ text: String) {
        bytes = Array(text.utf8)
        let numbers = bytes.compactMap { Self.alphabet.firstIndex(of: $0) }
        characters = numbers.count == bytes.count ? numbers : nil
    }

    /// How many bits the text takes, with its head.
    func bitCount(in version: QRCodeVersion) -> Int {
        let content = characters.map { $0.count / 2 * 11 + $0.count % 2 * 6 } ?? 8 * bytes.count
        return 4 + lengthBitCount(version) + content
    }

    /// The codewords of the text, filled up with padding.
    func codewords(in version: QRCodeVersion) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) {
            for bit in (0..<count).reversed() { bits.append(value >> bit & 1 == 1) }
        }
        append(characters == nil ? 0b0100 : 0b0010, 4)
        append(bytes.count, lengthBitCount(version))
        if let characters {
            for start in stride(from: 0, to: characters.count, by: 2) {
                if start + 1 < characters.count {
                    append(characters[start] * 45 + characters[start + 1], 11)
                } else {
                    append(characters[start], 6)
                }
            }
        } else {
            for byte in bytes { append(Int(byte), 8) }
        }
        append(0, min(4, version.dataBitCount - bits.count))
        append(0, (8 - bits.count % 8) % 8)
        var codewords = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        var padding: UInt8 = 0xEC
        while codewords.count < version.dataCodewordCount {
            codewords.append(padding)
            padding ^= 0xEC ^ 0x11
        }
        return codewords
    }

    private func lengthBitCount(_ version: QRCodeVersion) -> Int {
        characters == nil ? (version.number < 10 ? 8 : 16) : (version.number < 10 ? 9 : 11)
    }
}
