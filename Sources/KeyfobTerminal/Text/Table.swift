/// Lines in aligned columns; on a terminal none is longer than that is wide, and what is cut ends with "…".
///
/// There columns that say nothing are left out. Where room lacks, what may wrap is broken between words; then what may yield is
/// cut, and left out. Where what is left has no room either, as no name is cut, each row is a block: what it is about, and
/// below it a line for each other column.
package struct Table {
    /// What a column keeps that may be left out; and what one keeps before others are left out.
    private static let (worthwhile, readable) = (16, 24)

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

    /// Whether it has no line but the names of the columns.
    package var isEmpty: Bool { rows.isEmpty }

    /// Adds a line.
    package mutating func add(_ row: [String]) {
        rows.append(row.map(TerminalText.line).map { columns == nil ? $0 : TerminalCharset.shown($0) })
    }

    /// The table, each line ended.
    package var text: String {
        let all = header.isEmpty ? rows : [header] + rows
        let count = all.map(\.count).max() ?? 0
        let wrapping = header.isEmpty ? [count - 1] : wrapping
        let natural = (0..<count).map { column in cells(column, of: all).map(DisplayWidth.of).max() ?? 0 }
        guard let columns else { return lines(all, natural, wrapping) }
        guard let widths = fitting(natural, wrapping, columns) else { return blocks(columns) }
        return lines(all, widths, wrapping)
    }

    /// The rows in columns of these widths; nil for a column that is left out.
    private func lines(_ rows: [[String]], _ widths: [Int?], _ wrapping: [Int]) -> String {
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
                    if column != last {
                        line += String(repeating: " ", count: max(1, width - DisplayWidth.of(cell) + 2))
                    }
                }
                while line.utf8.last == UInt8(ascii: " ") { line.unicodeScalars.removeLast() }
                text += line + "\n"
            }
        }
        return text
    }

    /// Each row as lines of its own: what it is about, and set in below it what else it has, by the names of the columns; first
    /// what may not be left out.
    private func blocks(_ columns: Int) -> String {
        let shown = header.indices.filter { !mayGo($0) || !saysNothing($0) }
        let order = shown.filter { !yielding.contains($0) } + shown.filter(yielding.contains)
        let room = order.dropFirst().map { DisplayWidth.of(header[$0]) }.max() ?? 0
        var lines: [String] = []
        func says(_ column: Int, _ row: [String]) -> Bool {
            row.indices.contains(column) && !["", "-"].contains(row[column])
        }
        for row in rows {
            // What one row is about may stand in another column than what others are about.
            guard let title = order.first(where: { says($0, row) }) ?? order.first else {
                lines += Self.block(row, columns)
                continue
            }
            // What is set in belongs to the row above, whatever words its name is made of.
            let names = TextWrapping.lines(row[title], to: columns, hanging: 4)
            lines += names.prefix(1) + names.dropFirst().map { $0.hasPrefix(" ") ? $0 : " " + $0 }
            for column in order where column != title && says(column, row) {
                let name = header[column].lowercased()
                let gap = String(repeating: " ", count: room - DisplayWidth.of(name) + 2)
                lines += TextWrapping.lines("  \(name)\(gap)\(row[column])", to: columns, hanging: room + 4)
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// A row without names of columns: its number, if it begins with one, and what it is about, and the rest set in below.
    private static func block(_ row: [String], _ columns: Int) -> [String] {
        let count = row.count > 2 ? 2 : 1
        let title = row.prefix(count).joined(separator: "  ")
        let indent = title.prefix { $0 == " " }.count + 2
        return TextWrapping.lines(title, to: columns, hanging: indent)
            + row.dropFirst(count).filter { !$0.isEmpty }.flatMap {
                TextWrapping.lines(String(repeating: " ", count: indent) + $0, to: columns, hanging: indent)
            }
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

    /// Whether a terminal is not shown a column that says nothing.
    private func mayGo(_ column: Int) -> Bool { yielding.contains(column) || usual.keys.contains(column) }

    /// The fewest cells of a column in which no word and no name is broken or cut; of one that yields, no last part of a path.
    private func narrowest(_ column: Int, _ natural: Int, wraps: Bool) -> Int {
        let cells = cells(column, of: header.isEmpty ? rows : [header] + rows)
        if wraps {
            let longest = cells.map(TextWrapping.longest).max() ?? 0
            return max(longest, min(natural, yielding.contains(column) ? Self.worthwhile : Self.readable))
        }
        guard yielding.contains(column) else { return natural }
        let paths = cells.filter(Self.isPath).map { DisplayWidth.of(String($0.split(separator: "/").last ?? "")) + 2 }
        return min(natural, max(Self.worthwhile, paths.max() ?? 0))
    }

    /// The widths with which a line fits, nil for a column that is left out; nil where a name would have to be cut.
    private func fitting(_ natural: [Int], _ wrapping: [Int], _ columns: Int) -> [Int?]? {
        var widths = natural.map(Optional.some)
        func excess(_ sizes: [Int]) -> Int {
            let shown = widths.indices.filter { widths[$0] != nil }.map { sizes[$0] }
            return shown.reduce(2 * (shown.count - 1), +) - columns
        }
        for column in widths.indices where !rows.isEmpty && mayGo(column) && saysNothing(column) {
            widths[column] = nil
        }
        guard excess(natural) > 0 else { return widths }
        let least = natural.enumerated().map { narrowest($0, $1, wraps: wrapping.contains($0)) }
        for column in yielding where excess(least) > 0 { widths[column] = nil }
        guard excess(least) <= 0 else { return nil }
        let wrapped = natural.enumerated().map { wrapping.contains($0) ? least[$0] : $1 }
        for floor in [wrapped, least] {
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
