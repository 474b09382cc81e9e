/// A line on the screen: texts at columns, each with its look.
struct PickerLine: Hashable, Sendable {
    /// How a text looks where there is colour.
    enum Look: String, Hashable, Sendable {
        case plain = ""
        case dim = "\u{1B}[2m"
        case accent = "\u{1B}[1;36m"
        case marked = "\u{1B}[7m"
    }

    /// A text and where it begins.
    struct Part: Hashable, Sendable {
        /// From 0.
        let column: Int
        let text: String
        let look: Look

        /// Whether every terminal gives the text the same cells.
        fileprivate var isCertain: Bool { text.utf8.allSatisfy { $0 < 0x80 } }
    }

    /// From left to right, none over another.
    private(set) var parts: [Part] = []
    /// The column after the last part.
    private(set) var width = 0

    init() {}

    /// A line of one text, cut to fit.
    init(_ text: String, _ look: Look, at column: Int = 0, columns: Int) {
        add(text, look, at: column, cells: columns - column)
    }

    /// Adds a text that takes at most `cells`, cut with "…" where it is longer.
    mutating func add(_ text: String, _ look: Look, at column: Int, cells: Int) {
        let shown = DisplayWidth.cut(text, to: cells)
        guard cells > 0, !shown.isEmpty else { return }
        parts.append(Part(column: column, text: shown, look: look))
        width = column + DisplayWidth.of(shown)
    }

    /// The line as plain text.
    var text: String {
        var text = ""
        var column = 0
        for part in parts {
            text += String(repeating: " ", count: max(0, part.column - column)) + part.text
            column = part.column + DisplayWidth.of(part.text)
        }
        return text
    }

    /// What draws the line in a row of the terminal, both from 0.
    ///
    /// Where a text is not plain ASCII the column after it is set anew, because terminals differ in how many cells such a
    /// text takes.
    func drawing(row: Int, columns: Int, color: Bool) -> String {
        let isMarked = color && parts.contains { $0.look == .marked }
        var drawing = "\u{1B}[\(row + 1);1H" + (isMarked ? Look.marked.rawValue : "")
        // Where it is not known which cells are drawn, none may keep what it had.
        if !parts.allSatisfy(\.isCertain) { drawing += "\u{1B}[K" }
        var column = 0
        var isCertain = true
        for part in parts {
            drawing += String(repeating: " ", count: max(0, part.column - column))
            if !isCertain { drawing += "\u{1B}[\(part.column + 1)G" }
            let isStyled = color && !isMarked && part.look != .plain
            drawing += isStyled ? part.look.rawValue + part.text + "\u{1B}[0m" : part.text
            column = part.column + DisplayWidth.of(part.text)
            isCertain = part.isCertain
        }
        // In the last column, erasing to the end would erase what was just drawn.
        let isFull = width >= columns
        if !isCertain && !isFull { drawing += "\u{1B}[\(width + 1)G" }
        if isMarked { return drawing + String(repeating: " ", count: max(0, columns - width)) + "\u{1B}[0m" }
        return isFull ? drawing : drawing + "\u{1B}[K"
    }
}
