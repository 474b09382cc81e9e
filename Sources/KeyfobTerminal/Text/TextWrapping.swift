/// Breaks lines between words, so that a terminal need not break them within one.
package enum TextWrapping {
    /// How far the text of an option stands from the left in what the parser writes, and where a terminal is narrow.
    private static let (column, narrowColumn) = (26, 6)
    /// Below how many columns the text of an option stands below it.
    private static let narrow = 60

    /// A line as lines of at most `columns` cells, all but the first behind so many spaces.
    ///
    /// What is quoted or in brackets stays together where it fits into a line; a word that does not fit is broken.
    package static func lines(_ line: String, to columns: Int, hanging: Int) -> [String] {
        guard DisplayWidth.of(line) > columns else { return [line] }
        // A label stays as it is before its text.
        let label = line.prefix(hanging)
        let start = hanging <= columns / 2 && label.last == " " ? label : line.prefix { $0 == " " }
        let hang = String(repeating: " ", count: min(hanging, columns / 2))
        var lines = [String(start)]
        var isFresh = true
        for word in pieces(line.dropFirst(start.count), room: columns - hang.count) {
            var word = word
            let last = lines.count - 1
            let joined = isFresh ? lines[last] + word : lines[last] + " " + word
            if DisplayWidth.of(joined) <= columns {
                lines[last] = joined
                isFresh = false
                continue
            }
            if !isFresh { lines.append(hang) }
            while DisplayWidth.of(lines[lines.count - 1] + word) > columns {
                var (room, head) = (columns - DisplayWidth.of(lines[lines.count - 1]), "")
                while let character = word.first, DisplayWidth.of(character) <= room {
                    room -= DisplayWidth.of(character)
                    head.append(word.removeFirst())
                }
                guard !head.isEmpty else { break }
                lines[lines.count - 1] += head
                lines.append(hang)
            }
            lines[lines.count - 1] += word
            isFresh = false
        }
        return lines
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

    /// The words; those between quotes or brackets together, unless they are longer than the room for a line.
    private static func pieces(_ text: Substring, room: Int) -> [String] {
        var pieces: [String] = []
        var (group, closing): ([String], Character?) = ([], nil)
        for word in text.split(separator: " ").map(String.init) {
            group.append(word)
            if closing == nil {
                let opening = word.first { $0 != "(" }
                closing = opening == "'" ? "'" : opening == "[" ? "]" : nil
            }
            if let end = closing, !word.dropFirst().contains(end) { continue }
            pieces += joined(&group, room)
            closing = nil
        }
        return pieces + joined(&group, room)
    }

    private static func joined(_ group: inout [String], _ room: Int) -> [String] {
        defer { group = [] }
        let whole = group.joined(separator: " ")
        return DisplayWidth.of(whole) <= room && !group.isEmpty ? [whole] : group
    }
}
