/// What the picker looks like, whatever the size of the terminal.
///
/// Texts are made harmless and measured once, so that drawing costs no more for many accounts than for few.
struct PickerScreen {
    /// A screen full.
    struct Frame: Hashable, Sendable {
        /// From the top, at most as many as there are rows, none wider than the columns.
        let lines: [PickerLine]
        /// Where the next character is typed, from 0.
        let cursorRow: Int
        let cursorColumn: Int
    }

    /// Where the first column of the list begins, after the marker.
    private static let indent = 2
    private static let help = [
        "Enter choose · Esc cancel · ↑ ↓ move · type to filter · Ctrl-U clear",
        "Enter choose · Esc cancel · ↑ ↓ move · type to filter",
        "Enter choose · Esc cancel · ↑ ↓ move",
        "Enter choose · Esc cancel",
        "Enter · Esc",
    ].map { TerminalCharset.shown($0) }
    /// The same where a choice can be remembered, for what stands between.
    private static func help(remembering subject: String) -> [String] {
        [
            "Enter choose · Ctrl-R always for \(subject) · Esc cancel · ↑ ↓ move · type to filter",
            "Enter choose · Ctrl-R always for \(subject) · Esc cancel", "Enter choose · Ctrl-R always · Esc cancel",
            "Enter · Ctrl-R · Esc",
        ].map { TerminalCharset.shown($0) }
    }
    private static let separator = TerminalCharset.shown(" · ")

    private let texts: [[PickerColumns.Kind: String]]
    private let natural: [PickerColumns.Kind: Int]
    /// What the longest title takes that stands without a user name.
    private let unlabelled: Int
    private let purpose: String
    private let help: [String]

    /// A picker of these items, for a purpose such as "for git.example/contoso/app".
    ///
    /// - Parameter subject: For what it offers to remember the choice; nil where it does not.
    init(_ items: [PickerItem], purpose: String, remembering subject: String? = nil) {
        help = (subject.map { Self.help(remembering: TerminalText.line($0)) } ?? []) + Self.help
        texts = items.map { item in
            let all: [PickerColumns.Kind: String] = [
                .title: item.title, .details: item.details ?? "", .tenant: item.tenant ?? "", .group: item.group,
                .state: item.state, .reason: item.reason,
            ]
            return all.mapValues { TerminalCharset.shown(TerminalText.line($0)) }
        }
        (natural, unlabelled) = Self.natural(texts)
        self.purpose = TerminalCharset.shown(TerminalText.line(purpose))
    }

    /// What the longest text of each kind takes.
    ///
    /// A title without a user name goes on where the user name would be.
    private static func natural(_ texts: [[PickerColumns.Kind: String]]) -> ([PickerColumns.Kind: Int], Int) {
        var natural: [PickerColumns.Kind: Int] = [:]
        var unlabelled = 0
        for texts in texts {
            for (kind, text) in texts {
                let width = DisplayWidth.of(text)
                if kind == .title, texts[.details]?.isEmpty == true {
                    unlabelled = max(unlabelled, width)
                } else {
                    natural[kind] = max(natural[kind] ?? 0, width)
                }
            }
        }
        guard let details = natural[.details], details > 0 else {
            natural[.title] = unlabelled
            return (natural, unlabelled)
        }
        natural[.details] = max(details, unlabelled - (natural[.title] ?? 0) - PickerColumns.gap)
        return (natural, unlabelled)
    }

    /// How many accounts are seen at once in a terminal of that size.
    func page(columns: Int, rows: Int) -> Int {
        layout(columns, rows).rows.list
    }

    /// Draws a state, whose page is that of this size.
    func frame(_ state: PickerState, columns: Int, rows count: Int) -> Frame {
        let columns = max(1, columns)
        let (fields, rows) = layout(columns, max(1, count))
        var lines: [PickerLine] = []
        if rows.hasPurpose {
            lines.append(
                PickerLine("Choose an account" + (purpose.isEmpty ? "" : " \(purpose)"), .plain, columns: columns))
        }
        var cursor = (row: 0, column: 0)
        if rows.hasPrompt {
            let (line, column) = prompt(state, columns)
            cursor = (lines.count, column)
            lines.append(line)
        }
        if rows.hasHeading { lines.append(heading(fields, columns)) }
        var list = state.visible.prefix(rows.list).map { position in
            line(of: state.matches[position], isMarked: position == state.marked, fields, columns)
        }
        if state.matches.isEmpty {
            list = [PickerLine("No account matches.", .dim, at: min(2, columns - 1), columns: columns)]
        }
        lines += list
        let end = lines.count - list.count + rows.list + (rows.hasGap ? 1 : 0)
        let about = state.choice.map { self.about($0, fields, columns, rows.about) } ?? []
        if rows.about > 0 || rows.hasHelp {
            lines += Array(repeating: PickerLine(), count: end - lines.count) + about
            lines += Array(repeating: PickerLine(), count: rows.about - about.count)
        }
        if rows.hasHelp, let help = help.first(where: { DisplayWidth.of($0) <= columns }) {
            lines.append(PickerLine(help, .dim, columns: columns))
        }
        return Frame(lines: lines, cursorRow: cursor.row, cursorColumn: cursor.column)
    }

    private func layout(_ columns: Int, _ rows: Int) -> (fields: PickerColumns, rows: PickerRows) {
        var wanted = natural
        if rows >= 12 {
            // The heading needs room too, where there is anything below it.
            for (kind, width) in natural where width > 0 { wanted[kind] = max(width, kind.heading.utf8.count) }
        }
        let fields = PickerColumns(natural: wanted, unlabelled: unlabelled, from: Self.indent, to: columns)
        let needsAbout = natural.contains { fields.width(of: $0.key) < $0.value }
        return (fields, PickerRows(rows, needsAbout: needsAbout, isNarrow: columns < 60))
    }

    // MARK: - Lines

    private func prompt(_ state: PickerState, _ columns: Int) -> (PickerLine, cursor: Int) {
        let count = "\(state.matches.count)/\(state.total)"
        let label = columns >= 24 ? "Account> " : "> "
        // The count is there when what is typed has half of the line, at least.
        let isCounted = columns - label.utf8.count - count.utf8.count - 2 >= max(8, columns / 3)
        // One cell is left for the cursor.
        let room = columns - label.utf8.count - (isCounted ? count.utf8.count + 1 : 0) - 1
        let query = DisplayWidth.cutStart(TerminalCharset.shown(TerminalText.line(state.query)), to: max(0, room))
        var line = PickerLine(label, .accent, columns: columns)
        line.add(query, .plain, at: label.utf8.count, cells: columns - label.utf8.count)
        let cursor = min(columns - 1, label.utf8.count + DisplayWidth.of(query))
        if isCounted { line.add(count, .dim, at: columns - count.utf8.count, cells: count.utf8.count) }
        return (line, cursor)
    }

    private func heading(_ fields: PickerColumns, _ columns: Int) -> PickerLine {
        var line = PickerLine()
        for field in fields.columns { line.add(field.kind.heading, .dim, at: field.start, cells: field.width) }
        return line
    }

    private func line(of index: Int, isMarked: Bool, _ fields: PickerColumns, _ columns: Int) -> PickerLine {
        var line = PickerLine()
        if isMarked { line.add(">", .marked, at: 0, cells: columns) }
        for field in fields.columns {
            let isFaint = field.kind != .title && field.kind != .details
            let look: PickerLine.Look = isMarked ? .marked : isFaint ? .dim : .plain
            line.add(
                texts[index][field.kind] ?? "", look, at: field.start, cells: room(for: field.kind, of: index, fields))
        }
        return line
    }

    /// The cells that a text of an account has in the list.
    private func room(for kind: PickerColumns.Kind, of index: Int, _ fields: PickerColumns) -> Int {
        let isAlone = kind == .title && texts[index][.details]?.isEmpty == true
        return isAlone ? fields.wideTitle : fields.width(of: kind)
    }

    /// What the list leaves out of the marked account, in at most `count` lines.
    private func about(_ index: Int, _ fields: PickerColumns, _ columns: Int, _ count: Int) -> [PickerLine] {
        guard count > 0 else { return [] }
        let hidden = PickerColumns.Kind.allCases.filter { kind in
            DisplayWidth.of(texts[index][kind] ?? "") > room(for: kind, of: index, fields)
        }
        let reason = hidden.contains(.reason) ? texts[index][.reason] ?? "" : ""
        let others = hidden.filter { $0 != .reason }.compactMap { texts[index][$0] }
        let bar = columns >= 30 ? TerminalCharset.shown("│ ") : ""
        let cells = columns - DisplayWidth.of(bar)
        var told: [String]
        if count == 1 {
            told = [(others + [reason]).filter { !$0.isEmpty }.joined(separator: Self.separator)]
        } else {
            told = PickerText.wrapped(others, Self.separator, to: cells, lines: reason.isEmpty ? count : count - 1)
            let words = reason.split(separator: " ").map(String.init)
            told += PickerText.wrapped(words, " ", to: cells, lines: count - told.count)
        }
        return told.map { PickerLine(bar + $0, .plain, columns: columns) }
    }
}
