/// Lines in aligned columns; on a terminal none is longer than that is wide, and what is cut ends with "…".
package struct Table {
    /// What a column keeps at least; what one keeps that may be left out; and what one keeps before others are left out.
    private static let (narrowest, worthwhile, readable) = (6, 12, 24)

    private var rows: [[String]]
    /// The places of the columns that may be left out, the first of them first.
    private let yielding: [Int]
    private let columns: Int?

    /// A table without lines.
    ///
    /// - Parameters:
    ///   - header: The names of the columns; without them there is no such line.
    ///   - yielding: The names of those that are cut and then left out where the terminal is too narrow for the others, the
    ///     least important first.
    ///   - columns: How wide the terminal is; nil where the lines go elsewhere, and are whole.
    package init(header: [String], yielding: [String] = [], columns: Int? = StandardOutput.columns) {
        rows = header.isEmpty ? [] : [header]
        self.yielding = yielding.compactMap(header.firstIndex)
        self.columns = columns
    }

    /// Adds a line.
    package mutating func add(_ row: [String]) {
        rows.append(row.map(TerminalText.line).map { columns == nil ? $0 : TerminalCharset.shown($0) })
    }

    /// The table, each line ended.
    package var text: String {
        let count = rows.map(\.count).max() ?? 0
        let widths = fitting(
            (0..<count).map { column in
                rows.reduce(0) { $1.indices.contains(column) ? max($0, DisplayWidth.of($1[column])) : $0 }
            })
        let last = widths.lastIndex { $0 != nil }
        var text = ""
        for row in rows {
            var line = ""
            for (column, whole) in row.enumerated() {
                guard let width = widths[column] else { continue }
                // What tells one path from another is at its end.
                let cell =
                    whole.hasPrefix("/") ? DisplayWidth.cutStart(whole, to: width) : DisplayWidth.cut(whole, to: width)
                line += cell
                if column != last { line += String(repeating: " ", count: width - DisplayWidth.of(cell) + 2) }
            }
            while line.utf8.last == UInt8(ascii: " ") { line.unicodeScalars.removeLast() }
            text += columns.map { DisplayWidth.cut(line, to: $0) } ?? line
            text += "\n"
        }
        return text
    }

    /// The widths with which a line fits where that can be; nil for a column that is left out.
    private func fitting(_ natural: [Int]) -> [Int?] {
        guard let columns else { return natural }
        let least = natural.enumerated().map { column, width in
            min(width, yielding.contains(column) ? Self.worthwhile : Self.readable)
        }
        var widths = natural.map(Optional.some)
        func excess(_ sizes: [Int]) -> Int {
            let shown = widths.indices.filter { widths[$0] != nil }.map { sizes[$0] }
            return shown.reduce(2 * (shown.count - 1), +) - columns
        }
        for column in yielding where excess(least) > 0 { widths[column] = nil }
        for floor in [least, natural.map { min($0, Self.narrowest) }] {
            var rest = excess(widths.map { $0 ?? 0 })
            while rest > 0 {
                let wide = widths.indices.filter { (widths[$0] ?? 0) > floor[$0] }
                guard let widest = wide.max(by: { widths[$0] ?? 0 < widths[$1] ?? 0 }) else { break }
                widths[widest]? -= 1
                rest -= 1
            }
        }
        return widths
    }
}
