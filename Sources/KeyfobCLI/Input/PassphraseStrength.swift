internal import KeyfobSodium

/// A rough guess at how hard a passphrase is to guess, for people who choose one.
///
/// Argon2id over 256 MiB makes each guess cost a good part of a second of a core; 2^45 of them are out of reach of somebody
/// with a thousand cores for decades.
enum PassphraseStrength {
    /// Fewer bits than these are weak, and fewer bytes: what people choose is shorter than it looks.
    private static let (enough, shortest) = (45.0, 12)

    /// Whether somebody with the vault could find it by trying.
    static func isWeak(_ passphrase: borrowing SecretBytes) -> Bool {
        passphrase.count < shortest || passphrase.withBytes(bits) < enough
    }

    /// The bits of a text whose characters were chosen at random; a character counts half as much each time that it comes
    /// again, and where it follows on the one before.
    private static func bits(_ text: RawSpan) -> Double {
        var (lower, upper, digit, other) = (false, false, false, false)
        var fresh = 0.0
        var seen: [UInt8: Int] = [:]
        var before: UInt8?
        for index in 0..<text.byteCount {
            let byte = text.byte(at: index)
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): lower = true
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): upper = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = true
            case UInt8(ascii: " "): break
            default: other = true
            }
            let isStep = before.map { abs(Int(byte) - Int($0)) <= 1 } ?? false
            let count = min(20, seen[byte, default: 0])
            fresh += (isStep ? 0.5 : 1) / Double(1 << count)
            seen[byte] = count + 1
            before = byte
        }
        let kinds = [(lower, 26), (upper, 26), (digit, 10), (other, 33)].reduce(0) { $0 + ($1.0 ? $1.1 : 0) }
        // Words are less than random letters.
        let letters = lower && !upper && !digit ? 0.6 : 1
        return fresh * log2(kinds) * letters
    }

    /// The whole bits of a number, and a fraction between.
    private static func log2(_ number: Int) -> Double {
        guard number > 1 else { return 0 }
        let whole = Int.bitWidth - 1 - number.leadingZeroBitCount
        return Double(whole) + Double(number - 1 << whole) / Double(1 << whole)
    }
}
