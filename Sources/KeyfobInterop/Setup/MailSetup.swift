internal import KeyfobModel

/// The lines by which a mail program asks Keyfob for the token of an account whose servers its file names.
package struct MailSetup: Sendable {
    /// A program that starts another one for a token.
    package enum Program: String, CaseIterable, Sendable {
        case msmtp, mbsync, neomutt
    }

    /// The program.
    package let program: Program
    /// The account in the program's file; nil where all of the file is for one.
    package let entry: String?
    private let mechanism: SASLToken
    /// What the program starts: words as a shell takes them.
    private let command: String

    /// The lines for an account.
    ///
    /// - Parameter words: What prints its token.
    package init(_ program: Program, entry: String?, _ mechanism: SASLToken, words: [String]) {
        (self.program, self.entry, self.mechanism) = (program, entry, mechanism)
        command = words.map(ShellWord.quoted).joined(separator: " ")
    }

    /// What the lines are for, in their first remark.
    private var name: String { entry ?? "" }

    private var lines: [String] {
        switch program {
        case .msmtp: ["auth \(mechanism.rawValue)", "passwordeval \(quoted)"]
        case .mbsync: ["AuthMechs \(mechanism.rawValue.uppercased())", "PassCmd \(quoted)"]
        case .neomutt:
            ["imap", "smtp"].flatMap {
                ["set \($0)_authenticators = \"\(mechanism.rawValue)\"", "set \($0)_oauth_refresh_command = \(quoted)"]
            }
        }
    }

    /// The command in the program's own quotation marks.
    private var quoted: String {
        // msmtp knows no escapes within them.
        let special = program == .neomutt ? #"\"$`"# : program == .mbsync ? #"\""# : ""
        return "\"" + command.map { special.contains($0) ? "\\\($0)" : "\($0)" }.joined() + "\""
    }

    /// Whether the program's file can say the command.
    package var isSayable: Bool { program != .msmtp || !command.contains("\"") }

    /// How the lines come into a file: behind the name of the account, or at the end.
    ///
    /// - Throws: `taken` where the file says already how the password is got, `unknownForm` without the account.
    package func adding(to text: [UInt8]) throws(SetupFlaw) -> SetupPlan {
        let marked = try MarkedLines(text)
        let section = try section(in: marked)
        if let own = marked.blocks.first(where: { $0.name == name }) {
            let inside = marked.lines[own.lines].dropFirst().dropLast().map(\.text)
            guard inside == lines else { throw .taken(name) }
            return SetupPlan(.none)
        }
        if let other = section.lazy.compactMap({ Self.says(marked.lines[$0].text, program) }).first {
            throw .taken(other)
        }
        let place = entry == nil ? text.count : marked.lines[section.lowerBound - 1].range.upperBound
        return SetupPlan(
            MarkedLines.adding(lines, for: name, to: text, at: place), former: text.isEmpty ? .nothing : .some)
    }

    /// How setup's lines go again; those of all accounts where none is named.
    ///
    /// - Throws: `changed` where one of the remarks is gone.
    package static func removing(_ entry: String?, of program: Program, from text: [UInt8]) throws(SetupFlaw)
        -> SetupPlan
    {
        let marked = try MarkedLines(text)
        let going = marked.blocks.filter { entry.map([$0.name].contains) ?? true }
        return SetupPlan(marked.removing(going, isOwn: { says($0, program) != nil }))
    }

    /// The accounts for which setup's lines stand in a file; one without a name where they are for all of it.
    package static func entries(in text: [UInt8]) throws(SetupFlaw) -> [String] {
        try MarkedLines(text).blocks.map(\.name)
    }

    /// The lines, behind its name, of what the file says of the account.
    private func section(in marked: MarkedLines) throws(SetupFlaw) -> Range<Int> {
        guard let entry else { return 0..<marked.lines.count }
        let isHead = { (line: String) in Self.words(line).first == Self.head(program) }
        guard
            let head = marked.lines.firstIndex(where: { line in
                isHead(line.text) && Self.argument(line.text) == entry
            })
        else { throw .unknownForm("it has no account '\(entry)'") }
        let rest = marked.lines[(head + 1)...]
        let end = rest.firstIndex { line in
            switch program {
            case .msmtp: isHead(line.text) || Self.words(line.text).first == "defaults"
            case .mbsync: line.text.allSatisfy(\.isWhitespace)
            case .neomutt: false
            }
        }
        return head + 1..<(end ?? marked.lines.count)
    }

    private static func head(_ program: Program) -> String { program == .mbsync ? "imapaccount" : "account" }

    /// What says how a password is got.
    private static func keywords(_ program: Program) -> [String] {
        switch program {
        case .msmtp: ["auth", "password", "passwordeval"]
        case .mbsync: ["authmech", "authmechs", "pass", "passcmd", "usekeychain"]
        case .neomutt:
            ["imap", "smtp"].flatMap { ["\($0)_authenticators", "\($0)_oauth_refresh_command"] }
        }
    }

    private static func words(_ line: String) -> [String] {
        line.split { " \t=".contains($0) }.map { Identifier.folded(String($0)) }
    }

    /// By which word a line says how a password is got; nil where it does not.
    private static func says(_ line: String, _ program: Program) -> String? {
        let words = words(line)
        guard program == .neomutt else { return words.first.flatMap { keywords(program).contains($0) ? $0 : nil } }
        return words.first == "set" ? words.first(where: keywords(program).contains) : nil
    }

    /// The first word behind that, without quotation marks.
    private static func argument(_ line: String) -> String? {
        let isBlank = { (character: Character) in " \t".contains(character) }
        let words = line.drop(while: isBlank).drop { !isBlank($0) } as Substring
        let rest = words.drop(while: isBlank) as Substring
        if rest.first == "\"" { return String(rest.dropFirst().prefix { $0 != "\"" }) }
        return rest.split { " \t:".contains($0) }.first.map(String.init)
    }
}
