/// SHA-256 (FIPS 180-4), for the hashes in vectors.
enum SHA256 {
    /// The hash of `message` in hexadecimal digits.
    static func hexadecimal(_ message: [UInt8]) -> String {
        hash(message).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private static let primes: [UInt32] = {
        var primes: [UInt32] = []
        var candidate: UInt32 = 2
        while primes.count < 64 {
            if !primes.contains(where: { candidate % $0 == 0 }) { primes.append(candidate) }
            candidate += 1
        }
        return primes
    }()

    /// The first 32 bits of the fractional part of the `power`-th root: the greatest r with r^power ≤ prime · 2^(32 power).
    private static func fraction(_ prime: UInt32, power: Int) -> UInt32 {
        var root: UInt64 = 0
        for bit in stride(from: 35, through: 0, by: -1) {
            let tried = root | 1 << bit
            if isPower(tried, power, atMost: prime) { root = tried }
        }
        return UInt32(truncatingIfNeeded: root)
    }

    private static func isPower(_ base: UInt64, _ power: Int, atMost prime: UInt32) -> Bool {
        // 36 bits to the third power need 108 bits.
        var product: UInt128 = 1
        for _ in 0..<power { product *= UInt128(base) }
        return product <= UInt128(prime) << UInt128(32 * power)
    }

    private static let start = primes.prefix(8).map { fraction($0, power: 2) }
    private static let round = primes.map { fraction($0, power: 3) }

    private static func hash(_ message: [UInt8]) -> [UInt8] {
        var padded = message + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        for shift in stride(from: 56, through: 0, by: -8) {
            padded.append(UInt8(truncatingIfNeeded: (UInt64(message.count) * 8) >> UInt64(shift)))
        }
        var state = start
        for block in stride(from: 0, to: padded.count, by: 64) { compress(padded[block..<block + 64], into: &state) }
        return state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
    }

    private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }
        var words: [UInt32] = []
        for index in 0..<64 {
            if index < 16 {
                let bytes = block.dropFirst(4 * index).prefix(4)
                words.append(bytes.reduce(0) { $0 << 8 | UInt32($1) })
            } else {
                let (far, near) = (words[index - 15], words[index - 2])
                let first = rotated(far, 7) ^ rotated(far, 18) ^ far >> 3
                let second = rotated(near, 17) ^ rotated(near, 19) ^ near >> 10
                words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
            }
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let choice = (e & f) ^ (~e & g)
            let first = h &+ (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) &+ choice &+ round[index] &+ words[index]
            let majority = (a & b) ^ (a & c) ^ (b & c)
            let second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ majority
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        state = zip(state, [a, b, c, d, e, f, g, h]).map { $0 &+ $1 }
    }
}
