extension QRCode {
    /// How hard the code is to read: the less the better (section 7.8.3 of the standard).
    var penalty: Int {
        let rows = (0..<size).map { row in (0..<size).map { isDark(row, $0) } }
        let columns = (0..<size).map { column in (0..<size).map { isDark($0, column) } }
        return (rows + columns).reduce(0) { $0 + Self.linePenalty($1) } + blockPenalty + balancePenalty
    }

    /// For runs of five and more of one colour, and for what looks like a finder pattern.
    private static func linePenalty(_ line: [Bool]) -> Int {
        var penalty = 0
        var run = 0
        for index in line.indices {
            run = index > 0 && line[index] == line[index - 1] ? run + 1 : 1
            penalty += run == 5 ? 3 : run > 5 ? 1 : 0
        }
        // Dark 1, light 1, dark 3, light 1, dark 1, with four light ones on either side.
        var window = 0
        for (index, isDark) in line.enumerated() {
            window = (window << 1 | (isDark ? 1 : 0)) & 0x7FF
            if index >= 10, window == 0b000_0101_1101 || window == 0b101_1101_0000 { penalty += 40 }
        }
        return penalty
    }

    /// For squares of two by two of one colour.
    private var blockPenalty: Int {
        var penalty = 0
        for row in 1..<size {
            for column in 1..<size {
                let color = isDark(row, column)
                if isDark(row - 1, column) == color, isDark(row, column - 1) == color,
                    isDark(row - 1, column - 1) == color
                {
                    penalty += 3
                }
            }
        }
        return penalty
    }

    /// For more of one colour than of the other.
    private var balancePenalty: Int {
        let dark = (0..<size).reduce(0) { sum, row in sum + (0..<size).count { isDark(row, $0) } }
        return abs(20 * dark - 10 * size * size) / (size * size) * 10
    }
}
