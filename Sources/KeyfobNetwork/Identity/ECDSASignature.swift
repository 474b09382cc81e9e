/// Both numbers of a signature by ECDSA: JWS has them side by side (RFC 7518, section 3.4), OpenSSL in DER.
enum ECDSASignature {
    /// The signature in DER, of two numbers of `count` bytes each; nil for one of another length.
    static func der(_ joined: [UInt8], count: Int) -> [UInt8]? {
        guard joined.count == 2 * count else { return nil }
        let numbers = integer(joined[..<count]) + integer(joined[count...])
        return [0x30] + length(numbers.count) + numbers
    }

    /// Both numbers, of `count` bytes each, of a signature in DER; nil for what is none.
    static func joined(_ der: [UInt8], count: Int) -> [UInt8]? {
        // Only those of the longest curve have a length of two bytes.
        let start = der.count > 2 && der[1] == 0x81 ? 3 : 2
        guard der.count > start, der[0] == 0x30, Int(der[start - 1]) == der.count - start,
            (der[start - 1] >= 0x80) == (start == 3)
        else { return nil }
        var rest = der[start...]
        var joined: [UInt8] = []
        for _ in 0..<2 {
            guard rest.count > 2, rest[rest.startIndex] == 0x02 else { return nil }
            let size = Int(rest[rest.startIndex + 1])
            guard size > 0, size < 0x80, rest.count >= size + 2 else { return nil }
            let digits = rest.dropFirst(2).prefix(size).drop { $0 == 0 }
            guard digits.count <= count else { return nil }
            joined += [UInt8](repeating: 0, count: count - digits.count) + digits
            rest = rest.dropFirst(size + 2)
        }
        return rest.isEmpty ? joined : nil
    }

    /// A number that is not negative: without zeros before it, but for one where the highest bit is set or there is no other.
    private static func integer(_ number: ArraySlice<UInt8>) -> [UInt8] {
        let digits = number.drop { $0 == 0 }
        let bytes = (digits.first.map { $0 < 0x80 } ?? false ? [] : [0]) + digits
        return [0x02] + length(bytes.count) + bytes
    }

    private static func length(_ count: Int) -> [UInt8] {
        precondition(count < 0x100, "a signature by a curve of NIST is shorter")
        return count < 0x80 ? [UInt8(count)] : [0x81, UInt8(count)]
    }
}
