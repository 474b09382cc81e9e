/// Draws a QR code.
struct QRCodeMatrix {
    private let size: Int
    private var modules: [Bool]
    /// Modules that are no data.
    private var isFixed: [Bool]

    /// The drawing of codewords under one of the eight masks.
    init(_ version: QRCodeVersion, _ codewords: [UInt8], mask: Int) {
        size = version.size
        modules = Array(repeating: false, count: size * size)
        isFixed = modules
        drawTimingPatterns()
        for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] { drawFinder(row, column) }
        drawAlignmentPatterns(version.alignmentPlaces)
        drawFormat(version.correction, mask)
        if version.number >= 7 { drawNumber(version.number) }
        drawData(codewords, mask)
    }

    /// What was drawn.
    var code: QRCode { QRCode(size: size, modules: modules) }

    private mutating func set(_ row: Int, _ column: Int, _ isDark: Bool) {
        guard (0..<size).contains(row), (0..<size).contains(column) else { return }
        modules[row * size + column] = isDark
        isFixed[row * size + column] = true
    }

    private mutating func drawTimingPatterns() {
        for place in 0..<size {
            set(6, place, place % 2 == 0)
            set(place, 6, place % 2 == 0)
        }
    }

    /// Squares inside each other around a middle, with a light margin.
    private mutating func drawFinder(_ row: Int, _ column: Int) {
        for (down, right) in Self.square(4) {
            let distance = max(abs(down), abs(right))
            set(row + down, column + right, distance != 2 && distance != 4)
        }
    }

    private mutating func drawAlignmentPatterns(_ places: [Int]) {
        for row in places {
            for column in places {
                let corners = [(6, 6), (6, size - 7), (size - 7, 6)]
                guard !corners.contains(where: { $0 == (row, column) }) else { continue }
                for (down, right) in Self.square(2) {
                    set(row + down, column + right, max(abs(down), abs(right)) != 1)
                }
            }
        }
    }

    /// Correction and mask with their check bits, twice.
    private mutating func drawFormat(_ correction: QRCodeVersion.Correction, _ mask: Int) {
        let data = correction.rawValue << 3 | mask
        let bits = (data << 10 | Self.checkBits(data, generator: 0x537, count: 10)) ^ 0x5412
        for place in 0..<15 {
            let isDark = bits >> place & 1 == 1
            // Around the finder at the top left, past the timing patterns.
            switch place {
            case 0..<6: set(place, 8, isDark)
            case 6, 7: set(place + 1, 8, isDark)
            case 8: set(8, 7, isDark)
            default: set(8, 14 - place, isDark)
            }
            // Half beside the finder at the top right, half beside that at the bottom left.
            if place < 8 { set(8, size - 1 - place, isDark) } else { set(size - 15 + place, 8, isDark) }
        }
        set(size - 8, 8, true)
    }

    /// The number of the version with its check bits, twice.
    private mutating func drawNumber(_ number: Int) {
        let bits = number << 12 | Self.checkBits(number, generator: 0x1F25, count: 12)
        for place in 0..<18 {
            let isDark = bits >> place & 1 == 1
            set(place / 3, size - 11 + place % 3, isDark)
            set(size - 11 + place % 3, place / 3, isDark)
        }
    }

    /// The codewords in columns of two from right to left, up and down in turn.
    private mutating func drawData(_ codewords: [UInt8], _ mask: Int) {
        var bit = 0
        var isUpward = true
        for right in stride(from: size - 1, to: 0, by: -2) {
            // The column of the timing pattern is passed over.
            let right = right <= 6 ? right - 1 : right
            for step in 0..<size {
                let row = isUpward ? size - 1 - step : step
                for column in [right, right - 1] where !isFixed[row * size + column] {
                    let isSet = bit < 8 * codewords.count && codewords[bit / 8] >> UInt8(7 - bit % 8) & 1 == 1
                    modules[row * size + column] = isSet != Self.isMasked(mask, row, column)
                    bit += 1
                }
            }
            isUpward.toggle()
        }
    }

    private static func isMasked(_ mask: Int, _ row: Int, _ column: Int) -> Bool {
        switch mask {
        case 0: (row + column) % 2 == 0
        case 1: row % 2 == 0
        case 2: column % 3 == 0
        case 3: (row + column) % 3 == 0
        case 4: (row / 2 + column / 3) % 2 == 0
        case 5: row * column % 2 + row * column % 3 == 0
        case 6: (row * column % 2 + row * column % 3) % 2 == 0
        default: ((row + column) % 2 + row * column % 3) % 2 == 0
        }
    }

    /// The remainder of a BCH code.
    private static func checkBits(_ data: Int, generator: Int, count: Int) -> Int {
        var remainder = data
        for _ in 0..<count { remainder = remainder << 1 ^ (remainder >> (count - 1)) * generator }
        return remainder
    }

    private static func square(_ reach: Int) -> [(Int, Int)] {
        (-reach...reach).flatMap { down in (-reach...reach).map { (down, $0) } }
    }
}
