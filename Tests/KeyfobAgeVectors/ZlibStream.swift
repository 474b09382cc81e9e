/// Reads zlib streams (RFC 1950) of deflated data (RFC 1951), for vectors that are compressed.
struct ZlibStream {
    private let bytes: [UInt8]
    private var position = 2
    private var bits: UInt32 = 0
    private var bitCount: UInt32 = 0
    private var output: [UInt8] = []

    /// The content of a stream; nil where it is none, or is damaged.
    static func inflated(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= 6, bytes[0] & 15 == 8, bytes[1] & 32 == 0,
            (UInt16(bytes[0]) << 8 | UInt16(bytes[1])) % 31 == 0
        else { return nil }
        var stream = ZlibStream(bytes: bytes)
        guard stream.inflate() else { return nil }
        let sum = bytes.dropFirst(stream.position).prefix(4)
        guard sum.count == 4, sum.reduce(0, { $0 << 8 | UInt32($1) }) == adler32(stream.output) else { return nil }
        return stream.output
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }

    private mutating func inflate() -> Bool {
        while true {
            guard let isLast = take(1), let kind = take(2) else { return false }
            let isRead: Bool
            switch kind {
            case 0: isRead = copyStored()
            case 1: isRead = inflateBlock(.fixedLiterals, .fixedDistances)
            case 2: isRead = inflateDynamic()
            default: isRead = false
            }
            guard isRead else { return false }
            if isLast == 1 { return true }
        }
    }

    /// The next bits, the first the least significant.
    private mutating func take(_ count: UInt32) -> UInt32? {
        while bitCount < count {
            guard position < bytes.count else { return nil }
            bits |= UInt32(bytes[position]) << bitCount
            bitCount += 8
            position += 1
        }
        let value = bits & ((1 << count) - 1)
        bits >>= count
        bitCount -= count
        return value
    }

    private mutating func copyStored() -> Bool {
        (bits, bitCount) = (0, 0)
        guard let count = take(16), let inverse = take(16), count ^ 0xFFFF == inverse,
            position + Int(count) <= bytes.count
        else { return false }
        output += bytes[position..<position + Int(count)]
        position += Int(count)
        return true
    }

    private mutating func symbol(_ code: PrefixCode) -> Int? {
        var value = 0
        for length in 1...15 {
            guard let bit = take(1) else { return nil }
            value = value << 1 | Int(bit)
            if let symbol = code.symbol(value, length: length) { return symbol }
        }
        return nil
    }

    private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    private static let lengthBits: [UInt32] = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]

    private mutating func inflateBlock(_ literals: PrefixCode, _ distances: PrefixCode) -> Bool {
        while true {
            guard let symbol = symbol(literals) else { return false }
            if symbol < 256 {
                output.append(UInt8(symbol))
                continue
            }
            if symbol == 256 { return true }
            guard symbol < 286, let more = take(Self.lengthBits[symbol - 257]), let place = self.symbol(distances),
                place < 30
            else { return false }
            let width = UInt32(max(0, place / 2 - 1))
            guard let offset = take(width) else { return false }
            let base = place < 4 ? place + 1 : ((2 + place & 1) << Int(width)) + 1
            let distance = base + Int(offset)
            guard distance <= output.count else { return false }
            for _ in 0..<Self.lengthBases[symbol - 257] + Int(more) { output.append(output[output.count - distance]) }
        }
    }

    private mutating func inflateDynamic() -> Bool {
        guard let literalCount = take(5), let distanceCount = take(5), let codeCount = take(4) else { return false }
        let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
        var lengths = [Int](repeating: 0, count: 19)
        for place in order.prefix(Int(codeCount) + 4) {
            guard let length = take(3) else { return false }
            lengths[place] = Int(length)
        }
        let code = PrefixCode(lengths)
        let all = Int(literalCount) + 257 + Int(distanceCount) + 1
        lengths = []
        while lengths.count < all {
            guard let symbol = symbol(code) else { return false }
            switch symbol {
            case 16:
                guard let last = lengths.last, let more = take(2) else { return false }
                lengths += [Int](repeating: last, count: 3 + Int(more))
            case 17, 18:
                guard let more = take(symbol == 17 ? 3 : 7) else { return false }
                lengths += [Int](repeating: 0, count: (symbol == 17 ? 3 : 11) + Int(more))
            default: lengths.append(symbol)
            }
        }
        guard lengths.count == all else { return false }
        let literals = Int(literalCount) + 257
        return inflateBlock(PrefixCode(Array(lengths[..<literals])), PrefixCode(Array(lengths[literals...])))
    }
}

/// A prefix code, given by the lengths of its words (RFC 1951, 3.2.2).
private struct PrefixCode {
    /// The symbols with words of each length, in their order, and the first word.
    private var symbols = [[Int]](repeating: [], count: 16)
    private var first = [Int](repeating: 0, count: 16)

    static let fixedLiterals = PrefixCode(
        (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    static let fixedDistances = PrefixCode([Int](repeating: 5, count: 30))

    init(_ lengths: [Int]) {
        for (symbol, length) in lengths.enumerated() where length > 0 { symbols[length].append(symbol) }
        for length in 1...15 { first[length] = (first[length - 1] + symbols[length - 1].count) << 1 }
    }

    func symbol(_ word: Int, length: Int) -> Int? {
        let index = word - first[length]
        return symbols[length].indices.contains(index) ? symbols[length][index] : nil
    }
}
