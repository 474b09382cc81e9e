package import KeyfobModel

/// The lines by which git asks Keyfob, between two remarks that find them again.
///
/// They come first in the file, so that of several helpers Keyfob is the first that is asked; or behind the line that takes
/// back all helpers before it. Where others would be told Keyfob's tokens, or come before it, lines for single addresses at the
/// end of the file take those back: what comes later counts.
package struct GitSetup: Sendable {
    private static let section = "[credential]"
    private static let path = "\tuseHttpPath = true"
    private static let variable = "\thelper = "
    private static let reset = "\thelper ="
    /// What the lines for single addresses are called.
    private static let alone = "alone"

    /// The words for git's own helper in the program.
    private static let words = " " + ToolCall.git.words.joined(separator: " ")

    /// What `credential.helper` is to be.
    private let value: String

    /// The lines that name a helper.
    package init(_ way: ToolCall.Way) {
        switch way {
        // With the mark git starts the program itself; by the name "keyfob" it starts another git first, for each call.
        case .named: value = "!" + ToolCall.git.program
        case .at(let path): value = (ShellWord.isPlain(path) ? "" : "!") + ShellWord.quoted(path)
        case .word(of: let path): value = "!" + ShellWord.quoted(path) + Self.words
        }
    }

    /// What a file says of credentials.
    ///
    /// Files that it includes are not looked at. A subsection is the address that a variable is for.
    private static func configuration(_ text: [UInt8]) -> GitConfigurationText {
        GitConfigurationText(text, sections: ["credential"])
    }

    /// How the lines come into a file.
    ///
    /// - Parameter addresses: Where git is to ask Keyfob and nobody else.
    package func adding(to text: [UInt8], alone addresses: [String] = []) throws(SetupFlaw) -> SetupPlan {
        let configuration = Self.configuration(text)
        guard configuration.isSound else { throw .unreadable(check: "git config --global --list") }
        var remarks = Self.remarks(configuration.entries, text, alone: addresses)
        let marked = try Self.marked(text)
        let own = configuration.entries.first { $0.subsection == nil && Self.isOwn($0) }
        var edit = TextEdit.none
        if let own, !marked.blocks.contains(where: { $0.name.isEmpty }) {
            remarks.insert("line \(Self.number(of: own.range, text)) names Keyfob, which setup did not write", at: 0)
        } else if own == nil, !marked.blocks.contains(where: { $0.name.isEmpty }) {
            let lines = [Self.section, Self.variable + escaped(value), Self.path]
            // What takes helpers back must come before.
            let reset = configuration.entries.last { $0.subsection == nil && $0.name == "helper" && $0.value == "" }
            let place = reset?.range.upperBound ?? GitConfigurationText.start(of: text)
            edit = MarkedLines.adding(lines, to: text, at: place)
        }
        let more = adding(addresses, to: text, marked).changes
        if let place = edit.changes.first?.range.lowerBound,
            let whole = more.first(where: { $0.range.lowerBound < place && place < $0.range.upperBound })
        {
            throw .changed(line: Self.number(of: whole.range, text))
        }
        let changes = (edit.changes + more).sorted {
            ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
        }
        return SetupPlan(TextEdit(changes), remarks: remarks)
    }

    /// How the lines for single addresses come to the end of a file, those before them included that stand elsewhere.
    private func adding(_ addresses: [String], to text: [UInt8], _ marked: MarkedLines) -> TextEdit {
        guard !addresses.isEmpty else { return .none }
        func lines(_ addresses: [String]) -> [String] {
            addresses.flatMap { [Self.head($0), Self.reset, Self.variable + escaped(value)] }
        }
        let blocks = marked.blocks.filter { $0.name == Self.alone }
        guard !blocks.isEmpty else {
            return MarkedLines.adding(lines(addresses), for: Self.alone, to: text, at: text.count)
        }
        let there = blocks.flatMap { block in
            marked.lines[block.lines].compactMap { line in Self.address(line.text) }
        }
        let going = Self.removing(blocks, of: marked)
        let all = there + addresses.filter { !there.contains($0) }
        return TextEdit(
            going.changes + MarkedLines.adding(lines(all), for: Self.alone, to: text, at: text.count).changes)
    }

    /// The head of the section for an address.
    private static func head(_ address: String) -> String { "[credential \"\(address)\"]" }

    /// The address that the head of a section is for.
    private static func address(_ line: String) -> String? {
        guard line.hasPrefix("[credential \""), line.hasSuffix("\"]") else { return nil }
        return String(line.dropFirst("[credential \"".count).dropLast(2))
    }

    private static func removing(_ blocks: [MarkedLines.Block], of marked: MarkedLines) -> TextEdit {
        marked.removing(
            blocks, isOwn: { $0 == path || $0 == reset || isHelper($0) },
            isHead: { line, block in block.name == alone ? address(line) != nil : line == section })
    }

    /// How they go again; what else stands between the remarks by now stays, and the section with it.
    ///
    /// - Throws: `changed` where one of the remarks is gone.
    package static func removing(from text: [UInt8]) throws(SetupFlaw) -> SetupPlan {
        let marked = try marked(text)
        return SetupPlan(removing(marked.blocks, of: marked))
    }

    private static func marked(_ text: [UInt8]) throws(SetupFlaw) -> MarkedLines {
        try MarkedLines(text, from: GitConfigurationText.start(of: text))
    }

    /// Whether git calls Keyfob by what a file says for all addresses, whoever wrote that.
    package static func isThere(in text: [UInt8]) -> Bool {
        configuration(text).entries.contains { $0.subsection == nil && isOwn($0) }
    }

    /// Whether setup's lines stand in a file.
    package static func hasLines(in text: [UInt8]) -> Bool { MarkedLines.areThere(in: text) }

    private static func isOwn(_ entry: GitConfigurationText.Entry) -> Bool {
        entry.name == "helper" && isOwn(entry.value ?? "")
    }

    /// Whether a value of `credential.helper` is Keyfob.
    static func isOwn(_ value: String) -> Bool {
        let bare = value.replacing("'", with: "")
        return ["keyfob", "!" + ToolCall.git.program, "!keyfob" + words].contains(bare)
            || bare.hasSuffix("/" + ToolCall.git.program) || bare.hasSuffix("/keyfob" + words)
    }

    /// What else the file says that changes what the lines do.
    private static func remarks(
        _ entries: [GitConfigurationText.Entry], _ text: [UInt8], alone: [String]
    ) -> [String] {
        var remarks: [String] = []
        let helpers = entries.filter { $0.name == "helper" && !isOwn($0) }
        let reset = helpers.lastIndex { $0.subsection == nil && $0.value == "" } ?? -1
        let others = helpers[(reset + 1)...].filter { $0.subsection == nil && $0.value != "" }
        if !others.isEmpty {
            let lines = others.map { "\(number(of: $0.range, text))" }.joined(separator: ", ")
            remarks.append(
                "the other credential helpers (line \(lines)) are asked for what Keyfob has no account for; with "
                    + "useHttpPath they are told the path too, and may ask again for each repository")
        }
        for entry in helpers where entry.subsection.map({ !alone.contains($0) }) ?? false && entry.value == "" {
            // Keyfob's own line may follow.
            guard
                !entries.contains(where: {
                    $0.subsection == entry.subsection && isOwn($0) && $0.range.lowerBound > entry.range.lowerBound
                })
            else { continue }
            remarks.append(
                "for \(entry.subsection ?? "") git asks only the helpers that line \(number(of: entry.range, text)) and those after "
                    + "it name; Keyfob is not asked there")
        }
        for entry in entries where entry.name == "usehttppath" && entry.subsection == nil && !isTrue(entry.value) {
            remarks.append(
                "line \(number(of: entry.range, text)) keeps the path from helpers: owners are not told apart")
        }
        return remarks
    }

    private static func isTrue(_ value: String?) -> Bool {
        value.map { ["true", "yes", "on", "1"].contains($0.lowercased()) } ?? true
    }

    private static func number(of range: Range<Int>, _ text: [UInt8]) -> Int {
        text[..<range.lowerBound].count { $0 == 0x0A } + 1
    }

    /// A value as it stands in the file.
    private func escaped(_ value: String) -> String {
        guard value.contains(where: "\\\"#; \t\n".contains) else { return value }
        return "\"" + value.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#) + "\""
    }

    private static func isHelper(_ line: String) -> Bool {
        guard line.hasPrefix(variable) else { return false }
        return configuration(Array("[credential]\n\(line)\n".utf8)).entries.first.map(isOwn) ?? false
    }
}
