/// A public key of RSA, whose numbers have a size and a form that a sound key has.
struct RSAPublicKey: Sendable {
    /// The modulus, its highest byte first; that is not zero.
    let modulus: [UInt8]
    /// The exponent, in the same form.
    let exponent: [UInt8]

    /// The fewest and the most bits of a modulus; more would only cost time.
    static let bits = 2_048...8_192
    /// The fewest and the most bits of an exponent: 3 is the smallest of two bits that is odd.
    static let exponentBits = 2...32

    /// A key of these numbers, which may begin with zeros; nil where one is even, or of another size.
    init?(modulus: [UInt8], exponent: [UInt8]) {
        self.modulus = Array(modulus.drop { $0 == 0 })
        self.exponent = Array(exponent.drop { $0 == 0 })
        guard Self.bits.contains(Self.bitCount(self.modulus)), self.modulus.last.map({ $0 & 1 == 1 }) ?? false,
            Self.exponentBits.contains(Self.bitCount(self.exponent)), self.exponent.last.map({ $0 & 1 == 1 }) ?? false
        else { return nil }
    }

    /// Whether the modulus has the fingerprint of keys whose factors are easily found (ROCA, CVE-2017-15361).
    ///
    /// Chips by Infineon made each prime as k·M + (65537^a mod M), where M is the product of the first primes; for a key of 2048
    /// bits or more, of those up to 701 at least. So the modulus is a power of 65537 by each of these primes; a modulus of
    /// random primes is one by chance in fewer than 2^100. Nemec, Sys, Svenda, Klinec, Matyas: "The Return of Coppersmith's
    /// Attack: Practical Factorization of Widely Used RSA Moduli", ACM CCS 2017, sections 2 and 4.
    var hasROCAFingerprint: Bool {
        Self.primes.allSatisfy { prime in
            let remainder = modulus.reduce(0) { ($0 << 8 | Int($1)) % prime }
            var power = 1
            repeat {
                if power == remainder { return true }
                power = power * 65_537 % prime
            } while power != 1
            return false
        }
    }

    /// The odd primes up to 701.
    private static let primes = (3...701).filter { number in (2..<number).allSatisfy { number % $0 != 0 } }

    /// How many bits a number has whose first byte is not zero.
    private static func bitCount(_ number: [UInt8]) -> Int {
        number.first.map { number.count * 8 - $0.leadingZeroBitCount } ?? 0
    }
}
