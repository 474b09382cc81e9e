/// Lines in aligned columns; on a terminal none is longer than that is wide, and what is cut ends with "…".
struct Table {
    /// What a column keeps at least.
    private static let narrowest = 6

    private var rows: [[String]]
    private let columns: Int?

    /// - Parameters:
    ///   - header: The names of the columns; without them there is no such line.
    ///   - columns: How wide the terminal is; nil where the lines go elsewhere, and are whole.
    init(header: [String], columns: Int? = StandardOutput.columns) {
        rows = header.isEmpty ? [] : [header]
        self.columns = columns
    }

    mutating func add(_ row: [String]) {
        rows.append(row.map(TerminalText.line))
    }

    /// The table, each line ended.
    var text: String {
        let count = rows.map(\.count).max() ?? 0
        let widths = fitting(
            (0..<count).map { column in
                rows.map { $0.indices.contains(column) ? DisplayWidth.of($0[column]) : 0 }.max() ?? 0
            })
        return rows.map { row in
            var line = ""
            for (column, whole) in row.enumerated() {
                // What tells one path from another is at its end.
                let cell =
                    whole.hasPrefix("/")
                    ? DisplayWidth.cutStart(whole, to: widths[column]) : DisplayWidth.cut(whole, to: widths[column])
                line += cell
                if column < row.count - 1 {
                    line += String(repeating: " ", count: widths[column] - DisplayWidth.of(cell) + 2)
                }
            }
            while line.last == " " { line.removeLast() }
            return (columns.map { DisplayWidth.cut(line, to: $0) } ?? line) + "\n"
        }.joined()
    }

    /// The widths, the widest of them less, so that a line fits where that can be.
    private func fitting(_ widths: [Int]) -> [Int] {
        guard let columns else { return widths }
        var widths = widths
        var excess = widths.reduce(2 * (widths.count - 1), +) - columns
        while excess > 0, let widest = widths.max(), widest > Self.narrowest, let index = widths.firstIndex(of: widest)
        {
            widths[index] -= 1
            excess -= 1
        }
        return widths
    }
}
