/// The codewords that let a reader mend a QR code: a Reed-Solomon code over GF(256).
enum QRCodeCorrection {
    /// Data and correction in the order in which they are drawn: block after block in turn.
    static func interleaved(_ data: [UInt8], in version: QRCodeVersion) -> [UInt8] {
        let divisor = divisor(version.checkCount)
        let shortCount = version.dataCodewordCount / version.blockCount
        // The last blocks have one codeword more.
        let shortBlocks = version.blockCount - version.dataCodewordCount % version.blockCount
        var blocks: [ArraySlice<UInt8>] = []
        var start = 0
        for index in 0..<version.blockCount {
            let end = start + shortCount + (index < shortBlocks ? 0 : 1)
            blocks.append(data[start..<end])
            start = end
        }
        let checks = blocks.map { remainder(of: $0, by: divisor) }
        var result: [UInt8] = []
        for place in 0...shortCount {
            for block in blocks where place < block.count { result.append(block[block.startIndex + place]) }
        }
        for place in 0..<version.checkCount { for check in checks { result.append(check[place]) } }
        return result
    }

    /// The factors of the product of `x - 2^i` for `i` below `degree`, without the highest, which is 1.
    private static func divisor(_ degree: Int) -> [UInt8] {
        var factors = [UInt8](repeating: 0, count: degree - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in factors.indices {
                factors[index] = product(factors[index], root)
                if index + 1 < factors.count { factors[index] ^= factors[index + 1] }
            }
            root = product(root, 2)
        }
        return factors
    }

    private static func remainder(of data: ArraySlice<UInt8>, by divisor: [UInt8]) -> [UInt8] {
        var remainder = [UInt8](repeating: 0, count: divisor.count)
        for byte in data {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for index in remainder.indices { remainder[index] ^= product(divisor[index], factor) }
        }
        return remainder
    }

    /// Multiplies in the field modulo `x^8 + x^4 + x^3 + x^2 + 1`.
    private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var result: UInt8 = 0
        for bit in (0..<8).reversed() {
            result = result << 1 ^ (result >> 7 == 1 ? 0x1D : 0)
            if right >> UInt8(bit) & 1 == 1 { result ^= left }
        }
        return result
    }
}
