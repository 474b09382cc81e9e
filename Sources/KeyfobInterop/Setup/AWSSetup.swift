internal import KeyfobModel

/// The profile in AWS's configuration whose credentials Keyfob gives.
package struct AWSSetup: Sendable {
    private static let variable = "credential_process = "

    /// What the profile is called.
    package let profile: String
    /// What AWS's tools start: words as a shell takes them.
    package let command: String

    /// A profile.
    ///
    /// - Parameter words: What AWS's tools start; they take a command apart as a shell does.
    package init(profile: String, words: [String]) {
        self.profile = profile
        command = words.map(ShellWord.quoted).joined(separator: " ")
    }

    /// Whether a profile can be called so, in every one of AWS's tools.
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 128
            && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "_-.@+/".utf8.contains($0) }
    }

    /// Whether AWS's tools would see a remark in a word.
    package static func isPlain(_ text: String) -> Bool { !text.contains { "#;".contains($0) } }

    /// How the profile comes into a file, at its end.
    ///
    /// - Throws: `taken` where there is one of that name that is not the same, `unknownForm`.
    package func adding(to text: [UInt8]) throws(SetupFlaw) -> SetupPlan {
        let marked = try MarkedLines(text)
        try Self.requireSections(marked)
        let lines = [Self.head(profile), Self.variable + command]
        if let own = marked.blocks.first(where: { $0.name == profile }) {
            let there = marked.lines[own.lines].map(\.text).filter { Self.isOwn($0) || $0 == lines[0] }
            guard there == lines else { throw .taken(profile) }
            return SetupPlan(.none)
        }
        guard !Self.has(profile, marked) else { throw .taken(profile) }
        return SetupPlan(
            MarkedLines.adding(lines, for: profile, to: text, at: text.count),
            former: text.isEmpty ? .nothing : .some)
    }

    /// How profiles go again that setup has written; all of them where none is named.
    ///
    /// - Throws: `changed` where one of the remarks is gone.
    package static func removing(_ profile: String?, from text: [UInt8]) throws(SetupFlaw) -> SetupPlan {
        let marked = try MarkedLines(text)
        let going = marked.blocks.filter { profile.map([$0.name].contains) ?? true }
        return SetupPlan(marked.removing(going, isOwn: isOwn) { line, block in line == head(block.name) })
    }

    /// The profiles that setup has written.
    package static func profiles(in text: [UInt8]) throws(SetupFlaw) -> [String] {
        try MarkedLines(text).blocks.map(\.name)
    }

    /// Whether a file with credentials has a profile of this name, which counts before any other.
    package static func hasCredentials(of profile: String, in text: [UInt8]) -> Bool {
        guard let marked = try? MarkedLines(text) else { return false }
        return marked.lines.contains { section($0.text) == profile }
    }

    private static func head(_ profile: String) -> String {
        profile == "default" ? "[default]" : "[profile \(profile)]"
    }

    private static func isOwn(_ line: String) -> Bool { line.hasPrefix(variable) && line.contains("keyfob") }

    private static func has(_ profile: String, _ marked: MarkedLines) -> Bool {
        let names = [profile, "profile \(profile)", "profile \"\(profile)\"", "profile '\(profile)'"]
        return marked.lines.contains { section($0.text).map(names.contains) ?? false }
    }

    /// The name of the section that a line begins, with single blanks.
    private static func section(_ line: String) -> String? {
        guard line.hasPrefix("["), let end = line.firstIndex(of: "]") else { return nil }
        return line[line.index(after: line.startIndex)..<end].split(whereSeparator: { " \t".contains($0) })
            .joined(separator: " ")
    }

    private static func requireSections(_ marked: MarkedLines) throws(SetupFlaw) {
        let first = marked.lines.first { line in
            let text = line.text.drop { " \t".contains($0) }
            return !text.isEmpty && text.first != "#" && text.first != ";"
        }
        guard first.map({ section($0.text) != nil }) ?? true else {
            throw .unknownForm("it does not begin as AWS's configuration does")
        }
    }
}
