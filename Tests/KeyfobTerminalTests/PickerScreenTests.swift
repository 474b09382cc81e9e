import KeyfobTestSupport
import Testing

@testable import KeyfobTerminal

@Suite("The screen of the picker")
struct PickerScreenTests {
    private static let purpose = "for git.example/contoso/app"
    /// Names that want to be obeyed, or that are measured in other ways than by counting.
    private static let hostile = [
        PickerItem(
            title: "evil\u{1B}[2J\u{9B}1m\r\n\u{7}\u{202E}", details: "e\u{8}ve\u{7F}", tenant: "\u{1B}]0;x\u{7}",
            group: "\u{2066}g\t", state: "\u{0}", reason: "\u{1B}c"),
        PickerItem(
            title: "👨‍👩‍👧‍👦 family", details: "山田太郎@例え.example", tenant: "🇩🇪", group: "❤️", state: "각", reason: "한국어로 된 이유"),
        PickerItem(
            title: String(repeating: "a\u{301}\u{323}", count: 70), details: String(repeating: "山", count: 70),
            tenant: String(repeating: "x", count: 130), group: "", state: "",
            reason: String(repeating: "why ", count: 40)),
        PickerItem(title: "", details: "", tenant: "", group: "", state: "", reason: ""),
        PickerItem(title: "\u{301}", details: nil, tenant: nil, group: "\u{200D}", state: "\u{FE0F}", reason: "\u{AD}"),
    ]

    /// The lines as plain text.
    private func lines(
        _ items: [PickerItem], _ columns: Int, _ rows: Int, purpose: String = purpose, _ keys: PickerKey...
    ) -> [String] {
        let screen = PickerScreen(items, purpose: purpose)
        var state = PickerState(items)
        state.setPage(screen.page(columns: columns, rows: rows))
        for key in keys { _ = state.handle(key) }
        return screen.frame(state, columns: columns, rows: rows).lines.map(\.text)
    }

    /// From 14 on all has its place, and more rows are the list's.
    private static let rows = TestLength.isFull ? Array(1...40) : Array(1...15) + [24, 40]
    private static let widths: [Int] =
        TestLength.isFull ? Array(1...120) : Array(1...30) + [39, 40, 60, 79, 80, 100, 120]

    @Test("it fits every terminal, and shows the marked account and where to type", arguments: widths)
    func sizes(columns: Int) {
        let sets = [PickerItem.samples, Self.hostile]
        let screens = sets.map { PickerScreen($0, purpose: Self.purpose + "\u{1B}[2J") }
        for (items, screen) in zip(sets, screens) {
            for rows in Self.rows {
                var state = PickerState(items)
                state.setPage(screen.page(columns: columns, rows: rows))
                for key: PickerKey in [
                    .redraw, .end, .paste("a山 \u{202E}"), .paste(String(repeating: "é", count: 130)),
                ] {
                    _ = state.handle(key)
                    let frame = screen.frame(state, columns: columns, rows: rows)
                    let texts = frame.lines.map(\.text)
                    #expect(
                        texts.count <= rows && texts.allSatisfy { DisplayWidth.of($0) <= columns }, "\(rows): \(texts)")
                    #expect(frame.lines.allSatisfy { $0.width == DisplayWidth.of($0.text) }, "\(rows): \(texts)")
                    #expect(!texts.joined().unicodeScalars.contains(where: Self.isObeyed), "\(rows): \(texts)")
                    #expect((0..<rows).contains(frame.cursorRow) && (0..<columns).contains(frame.cursorColumn))
                    let marked = frame.lines.count { $0.parts.contains { $0.look == .marked } }
                    #expect(marked == (state.choice == nil ? 0 : 1), "\(rows): \(texts)")
                }
            }
        }
    }

    private static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || (0x202A...0x202E).contains(scalar.value)
            || (0x2066...0x2069).contains(scalar.value)
    }

    @Test(
        "columns begin at the same cell in every line, whatever the names are made of",
        arguments: [60, 80, 100, 120, 200])
    func alignment(columns: Int) {
        let items = PickerItem.samples + Self.hostile.prefix(2)
        let screen = PickerScreen(items, purpose: "")
        var state = PickerState(items)
        state.setPage(8)
        let frame = screen.frame(state, columns: columns, rows: 24)
        let heading = frame.lines[2].parts
        #expect(heading.map(\.text).starts(with: ["ACCOUNT", "USER NAME"]))
        for line in frame.lines[3..<(3 + items.count)] {
            for part in line.parts where part.text != ">" {
                #expect(heading.contains { $0.column == part.column }, "\(line.text)")
            }
            for (left, right) in zip(line.parts, line.parts.dropFirst()) where left.text != ">" {
                #expect(left.column + DisplayWidth.of(left.text) + 2 <= right.column, "\(line.text)")
            }
        }
    }

    @Test("for what a choice can be remembered stands below, as far as there is room")
    func remembering() {
        let screen = PickerScreen(PickerItem.samples, purpose: "", remembering: "git.example/con\u{1B}toso")
        let state = PickerState(PickerItem.samples, offersToRemember: true)
        for (columns, words) in [
            (120, "Ctrl-R always for git.example/con"), (80, "Ctrl-R always for git.example/con"),
            (44, "Ctrl-R always ·"), (24, "Ctrl-R ·"), (12, "Enter · Esc"),
        ] {
            let text = screen.frame(state, columns: columns, rows: 20).lines.last?.text ?? ""
            #expect(text.contains(words) && !text.contains("\u{1B}"), "\(text)")
        }
    }

    @Test("in 80 columns all is in the list but the reason, which stands below")
    func wide() {
        #expect(
            lines(PickerItem.samples, 80, 14, .down) == [
                "Choose an account for git.example/contoso/app",
                "Account>                                                                     6/6",
                "  ACCOUNT   USER NAME              TENANT     GROUP    STATE",
                "  work      ada@contoso.example    contoso    default  signed in",
                "> ada@fabrikam.example             fabrikam   default  signed in",
                "  bob@contoso.example              contoso    default  signed out",
                "  personal  ada.l@outlook.example  consumers  home     signed in",
                "  山田太郎@例え.example            例え       default  signed in",
                "  Jose\u{301}      jose@fabrikam.example  fabrikam   ci       tokens only", "",
                "│ used 2 of the last 14 times for git.example/contoso/app", "", "",
                "Enter choose · Esc cancel · ↑ ↓ move · type to filter · Ctrl-U clear",
            ])
    }

    @Test("in 40 columns and 10 rows the marked account is told below")
    func narrow() {
        #expect(
            lines(PickerItem.samples, 40, 10, .paste("con")) == [
                "Choose an account for git.example/conto…", "Account> con                         3/6",
                "> work      ada@contoso.exa…  signed in", "  bob@contoso.example         signed out",
                "  personal  ada.l@outlook.e…  signed in", "", "│ ada@contoso.example · contoso",
                "│ default", "│ used 12 of the last 14 times for git.…",
                "Enter choose · Esc cancel · ↑ ↓ move",
            ])
    }

    @Test("in 20 columns and 5 rows there is a list, and the account and its reason in short")
    func tiny() {
        #expect(
            lines(PickerItem.samples, 20, 5, .down) == [
                ">                6/6", "  work", "> ada@fabrikam.exam…", "ada@fabrikam.exampl…",
                "used 2 of the last …",
            ])
        #expect(lines(PickerItem.samples, 20, 1, .down) == ["> ada@fabrikam.exam…"])
    }

    @Test("where all fits in the list, nothing is said twice")
    func widest() {
        let text = lines(PickerItem.samples, 160, 24).joined(separator: "\n")
        for item in PickerItem.samples { #expect(text.split(separator: "  \(item.reason)\n").count == 2) }
        #expect(text.contains("  WHY"))
    }

    @Test("no match is said, and nothing is told of any account")
    func nothing() {
        let lines = lines(PickerItem.samples, 80, 24, .paste("nobody"))
        #expect(lines.contains("  No account matches.") && lines[1].hasSuffix("0/6"))
        #expect(!lines.joined().contains("@"))
    }

    @Test("without colour nothing but positions is sent; with colour every look is ended", arguments: [false, true])
    func drawing(color: Bool) {
        let screen = PickerScreen(PickerItem.samples + Self.hostile, purpose: Self.purpose)
        let state = PickerState(PickerItem.samples + Self.hostile)
        for (row, line) in screen.frame(state, columns: 80, rows: 24).lines.enumerated() {
            let drawing = line.drawing(row: row, columns: 80, color: color)
            let sequences = drawing.split(separator: "\u{1B}").map {
                $0.prefix { !$0.isLetter } + $0.drop { !$0.isLetter }.prefix(1)
            }
            #expect(sequences.first == "[\(row + 1);1H")
            let looks = sequences.filter { $0.hasSuffix("m") }
            #expect(color || looks.isEmpty, "\(drawing.debugDescription)")
            #expect(looks.isEmpty || looks.last == "[0m", "\(drawing.debugDescription)")
            #expect(sequences.allSatisfy { "HGKm".contains($0.last ?? " ") }, "\(drawing.debugDescription)")
        }
    }

    @Test("after a text that terminals measure differently the next column is set anew", arguments: ["山", "é", "👨‍👩‍👧‍👦"])
    func columns(text: String) {
        var line = PickerLine()
        line.add(text, .plain, at: 2, cells: 10)
        line.add("next", .plain, at: 14, cells: 10)
        let drawing = line.drawing(row: 0, columns: 80, color: false)
        #expect(drawing.hasPrefix("\u{1B}[1;1H\u{1B}[K  \(text)") && drawing.hasSuffix(" \u{1B}[15Gnext\u{1B}[K"))
        // What fills the line is not erased again: the last cell would go.
        #expect(line.drawing(row: 0, columns: 18, color: false).hasSuffix("next"))
    }
}
