package import KeyfobModel

/// The lines by which git asks Keyfob, between two remarks that find them again.
///
/// They come first in the file, so that of several helpers Keyfob is the first that is asked; or behind the line that takes
/// back all helpers before it.
package struct GitSetup: Sendable {
    private static let section = "[credential]"
    private static let path = "\tuseHttpPath = true"
    private static let variable = "\thelper = "

    /// The words for git's own helper in the program.
    private static let words = " " + ToolCall.git.words.joined(separator: " ")

    /// What `credential.helper` is to be.
    private let value: String

    /// The lines that name a helper.
    package init(_ way: ToolCall.Way) {
        switch way {
        case .named: value = "keyfob"
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
    package func adding(to text: [UInt8]) throws(SetupFlaw) -> SetupPlan {
        let configuration = Self.configuration(text)
        guard configuration.isSound else { throw .unreadable(check: "git config --global --list") }
        let remarks = Self.remarks(configuration.entries, text)
        guard try Self.marked(text).blocks.isEmpty else { return SetupPlan(.none, remarks: remarks) }
        if let own = configuration.entries.first(where: { $0.subsection == nil && Self.isOwn($0) }) {
            let number = Self.number(of: own.range, text)
            return SetupPlan(.none, remarks: ["line \(number) names Keyfob, which setup did not write"] + remarks)
        }
        let lines = [Self.section, Self.variable + escaped(value), Self.path]
        // What takes helpers back must come before.
        let reset = configuration.entries.last { $0.subsection == nil && $0.name == "helper" && $0.value == "" }
        let place = reset?.range.upperBound ?? GitConfigurationText.start(of: text)
        return SetupPlan(MarkedLines.adding(lines, to: text, at: place), remarks: remarks)
    }

    /// How they go again; what else stands between the remarks by now stays, and the section with it.
    ///
    /// - Throws: `changed` where one of the remarks is gone.
    package static func removing(from text: [UInt8]) throws(SetupFlaw) -> SetupPlan {
        let marked = try marked(text)
        return SetupPlan(
            marked.removing(
                marked.blocks, isOwn: { $0 == path || isHelper($0) }, isHead: { line, _ in line == section }))
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

    private static func isOwn(_ value: String) -> Bool {
        let bare = value.replacing("'", with: "")
        return value == "keyfob" || bare.hasSuffix("/" + ToolCall.git.program) || bare.hasSuffix("/keyfob" + words)
            || bare == "!keyfob" + words
    }

    /// What else the file says that changes what the lines do.
    private static func remarks(_ entries: [GitConfigurationText.Entry], _ text: [UInt8]) -> [String] {
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
        for entry in helpers where entry.subsection != nil && entry.value == "" {
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
        guard !ShellWord.isPlain(value) else { return value }
        return "\"" + value.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#) + "\""
    }

    private static func isHelper(_ line: String) -> Bool {
        guard line.hasPrefix(variable) else { return false }
        return configuration(Array("[credential]\n\(line)\n".utf8)).entries.first.map(isOwn) ?? false
    }
}
