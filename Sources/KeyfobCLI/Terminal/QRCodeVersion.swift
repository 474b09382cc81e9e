/// The size of a QR code and how much of it corrects errors.
struct QRCodeVersion: Hashable {
    /// How much damage the reader can mend.
    enum Correction: Int, Hashable {
        /// About 15 % of the code; its number is what stands in the code.
        case medium = 0
        /// About 7 %.
        case low = 1
    }

    /// From 1 to 20; each has four modules more on a side than the one before.
    let number: Int
    let correction: Correction

    /// The versions from small to large.
    static func all(_ correction: Correction) -> [QRCodeVersion] {
        (1...20).map { QRCodeVersion(number: $0, correction: correction) }
    }

    var size: Int { 17 + 4 * number }

    // Table 9 of the standard.
    private static let lowCheckCounts = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28]
    private static let mediumCheckCounts = [
        10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
    ]
    private static let lowBlockCounts = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8]
    private static let mediumBlockCounts = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16]

    /// How many codewords of each block correct errors.
    var checkCount: Int {
        (correction == .low ? Self.lowCheckCounts : Self.mediumCheckCounts)[number - 1]
    }

    /// Into how many blocks the data is divided.
    var blockCount: Int {
        (correction == .low ? Self.lowBlockCounts : Self.mediumBlockCounts)[number - 1]
    }

    /// Where alignment patterns have their middles, in rows and in columns.
    var alignmentPlaces: [Int] {
        guard number > 1 else { return [] }
        let count = number / 7 + 2
        let step = (4 * number + 2 * count + 1) / (2 * count - 2) * 2
        return [6] + (0..<count - 1).reversed().map { size - 7 - $0 * step }
    }

    /// How many codewords there are, for data and for correction.
    var codewordCount: Int {
        // All modules but the three finder patterns with their margins and the format, and the timing patterns.
        var bits = size * size - 3 * 64 - 31 - 2 * (size - 16)
        if number > 1 {
            let count = alignmentPlaces.count
            // Those on a timing pattern share five modules with it.
            bits -= (count * count - 3) * 25 - (count - 2) * 2 * 5
        }
        if number >= 7 { bits -= 36 }
        return bits / 8
    }

    var dataCodewordCount: Int { codewordCount - checkCount * blockCount }
    var dataBitCount: Int { 8 * dataCodewordCount }
}
