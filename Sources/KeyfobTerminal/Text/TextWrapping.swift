internal import KeyfobModel

/// Breaks lines between words, so that a terminal need not break them within one.
package enum TextWrapping {
    /// How far the text of an option stands from the left in what the parser writes, and where a terminal is narrow.
    private static let (column, narrowColumn) = (26, 6)
    /// Below how many columns the text of an option stands below it.
    private static let narrow = 60
    /// Stands for a space at which no line is broken: of a use that is nobody's but this.
    private static let joint = "\u{E0FF}"

    /// A line as lines of at most `columns` cells, all but the first behind so many spaces; see ``LineBreaking``.
    package static func lines(_ line: String, to columns: Int, hanging: Int) -> [String] {
        LineBreaking.lines(line, to: columns, hanging: hanging, width: DisplayWidth.of)
    }

    /// The cells of the longest part of a line that is never broken.
    static func longest(in line: String) -> Int { LineBreaking.longest(in: line, width: DisplayWidth.of) }

    /// A message as lines of at most `columns` cells, all but the first behind spaces that reach its text.
    package static func message(_ line: String, to columns: Int) -> [String] {
        // An option is copied with its value, as a command is with its words.
        let kept = line.replacing("--account ", with: "--account" + joint)
        return lines(kept, to: max(1, columns), hanging: LineBreaking.hanging(ofMessage: line)).map {
            $0.replacing(joint, with: " ")
        }
    }

    /// The help that the parser wrote without breaking lines, broken for a terminal.
    package static func help(_ text: String, to columns: Int) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .flatMap { helpLines(String($0), columns) }.joined(separator: "\n")
    }

    private static func helpLines(_ line: String, _ columns: Int) -> [String] {
        let indentation = line.prefix { $0 == " " }.count
        if indentation >= column {
            let own = columns < narrow ? narrowColumn : column
            let text = String(repeating: " ", count: own) + line.dropFirst(indentation)
            return lines(text, to: columns, hanging: own)
        }
        guard DisplayWidth.of(line) > columns else { return [line] }
        let label = line.prefix(column)
        // An option or an argument may fill its column, up to one space; a command in an example begins with a letter.
        let gap = label.dropFirst(2).first.map { $0 == "-" || $0 == "<" } == true ? " " : "  "
        if indentation == 2, label.count == column, label.hasSuffix(gap), line.dropFirst(column).first != " " {
            guard columns < narrow else { return lines(line, to: columns, hanging: column) }
            let name = String(label.reversed().drop { $0 == " " }.reversed())
            let text = String(repeating: " ", count: narrowColumn) + line.dropFirst(column)
            return lines(name, to: columns, hanging: 4) + lines(text, to: columns, hanging: narrowColumn)
        }
        return lines(line, to: columns, hanging: line.hasPrefix("USAGE: ") ? 7 : indentation == 0 ? 0 : indentation + 2)
    }
}
