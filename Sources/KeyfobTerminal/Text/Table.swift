/// Lines in aligned columns; on a terminal none is longer than that is wide, and what is cut ends with "…".
///
/// There columns that say nothing are left out. Where room lacks, what may wrap is broken between words; then what may yield is
/// cut, and left out; and at last all is cut.
package struct Table {
    /// What a column keeps at least; what one keeps that may be left out; and what one keeps before others are left out.
    private static let (narrowest, worthwhile, readable) = (6, 12, 24)

    private let header: [String]
    private var rows: [[String]] = []
    /// The places of the columns that may be left out, the first of them first.
    private let yielding: [Int]
    private let wrapping: [Int]
    private let usual: [Int: String]
    private let columns: Int?

    /// A table without lines.
    ///
    /// - Parameters:
    ///   - header: The names of the columns; without them there is no such line, and the last column wraps.
    ///   - yielding: The names of those that are cut and then left out where the terminal is too narrow for the others, the
    ///     least important first.
    ///   - wrapping: The names of those that are never cut, but take several lines.
    ///   - usual: By name, what a column has where it says no more than "-" does: where all lines have that, a terminal is
    ///     not shown it.
    ///   - columns: How wide the terminal is; nil where the lines go elsewhere, and are whole.
    package init(
        header: [String], yielding: [String] = [], wrapping: [String] = [], usual: [String: String] = [:],
        columns: Int? = StandardOutput.columns
    ) {
        self.header = header
        self.yielding = yielding.compactMap(header.firstIndex)
        self.wrapping = wrapping.compactMap(header.firstIndex)
        self.usual = usual.reduce(into: [:]) { places, column in
            header.firstIndex(of: column.key).map { places[$0] = column.value }
        }
        self.columns = columns
    }

    /// Adds a line.
    package mutating func add(_ row: [String]) {
        rows.append(row.map(TerminalText.line).map { columns == nil ? $0 : TerminalCharset.shown($0) })
    }

    /// The table, each line ended.
    package var text: String {
        let rows = header.isEmpty ? rows : [header] + rows
        let count = rows.map(\.count).max() ?? 0
        let wrapping = header.isEmpty ? [count - 1] : wrapping
        let widths = fitting(
            (0..<count).map { column in cells(column, of: rows).map(DisplayWidth.of).max() ?? 0 }, wrapping)
        let last = widths.lastIndex { $0 != nil }
        var text = ""
        for row in rows {
            let parts = row.enumerated().map { column, cell in
                widths[column].map { Self.lines(cell, to: $0, wraps: wrapping.contains(column)) } ?? []
            }
            for number in 0..<max(1, parts.map(\.count).max() ?? 0) {
                var line = ""
                for (column, lines) in parts.enumerated() {
                    guard let width = widths[column] else { continue }
                    let cell = lines.indices.contains(number) ? lines[number] : ""
                    line += cell
                    if column != last { line += String(repeating: " ", count: width - DisplayWidth.of(cell) + 2) }
                }
                while line.utf8.last == UInt8(ascii: " ") { line.unicodeScalars.removeLast() }
                text += columns.map { DisplayWidth.cut(line, to: $0) } ?? line
                text += "\n"
            }
        }
        return text
    }

    /// A cell in its column: several lines, or the part of one that has room.
    private static func lines(_ cell: String, to width: Int, wraps: Bool) -> [String] {
        if wraps { return TextWrapping.lines(cell, to: width, hanging: 0) }
        // What tells one path from another is at its end.
        return [isPath(cell) ? DisplayWidth.cutStart(cell, to: width) : DisplayWidth.cut(cell, to: width)]
    }

    private static func isPath(_ cell: String) -> Bool { cell.hasPrefix("/") }

    /// What the lines have in a column.
    private func cells(_ column: Int, of rows: [[String]]) -> [String] {
        rows.compactMap { $0.indices.contains(column) ? $0[column] : nil }
    }

    /// Whether a column has in all lines what it says where there is nothing to say.
    private func saysNothing(_ column: Int) -> Bool {
        cells(column, of: rows).allSatisfy { ["", "-", usual[column]].contains($0) }
    }

    /// What a column has where it is neither cut nor broken badly: a path its last part, and what wraps its longest word, if that
    /// takes no more than half of a line.
    private func comfortable(_ column: Int, _ natural: Int, wraps: Bool, _ columns: Int) -> Int {
        let cells = cells(column, of: rows)
        let paths = cells.filter(Self.isPath).map { DisplayWidth.of(String($0.split(separator: "/").last ?? "")) + 2 }
        let words = wraps ? cells.flatMap { $0.split(separator: " ") }.map { DisplayWidth.of(String($0)) } : []
        let usual = yielding.contains(column) || !paths.isEmpty ? Self.worthwhile : Self.readable
        return min(natural, max(usual, min(columns / 2, (paths + words).max() ?? 0)))
    }

    /// The widths with which a line fits where that can be; nil for a column that is left out.
    private func fitting(_ natural: [Int], _ wrapping: [Int]) -> [Int?] {
        guard let columns else { return natural }
        var widths = natural.map(Optional.some)
        func excess(_ sizes: [Int]) -> Int {
            let shown = widths.indices.filter { widths[$0] != nil }.map { sizes[$0] }
            return shown.reduce(2 * (shown.count - 1), +) - columns
        }
        for column in Set(yielding + usual.keys) where !rows.isEmpty && saysNothing(column) { widths[column] = nil }
        guard excess(natural) > 0 else { return widths }
        let comfort = natural.enumerated().map { comfortable($0, $1, wraps: wrapping.contains($0), columns) }
        let least = comfort.enumerated().map {
            wrapping.contains($0) && !yielding.contains($0) ? min($1, Self.readable) : $1
        }
        for column in yielding where excess(least) > 0 { widths[column] = nil }
        let wrapped = natural.enumerated().map { wrapping.contains($0) ? comfort[$0] : $1 }
        for floor in [wrapped, comfort, least, natural.map { min($0, Self.narrowest) }] {
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
