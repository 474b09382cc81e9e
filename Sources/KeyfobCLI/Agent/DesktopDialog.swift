internal import Keyfob
internal import KeyfobAgent
internal import KeyfobFiles

/// What a person is asked on a desktop: in words, as arguments of the program that shows it, and what the answer means.
///
/// It is data, so that a process without keys can show it.
struct DesktopDialog: Codable, Equatable {
    /// Who asks, and for what: lines.
    let text: String
    /// The accounts to choose from, as people read them; with one there is no choice.
    let accounts: [String]

    /// A program that shows dialogs.
    enum Program: String, CaseIterable {
        /// GTK's.
        case zenity
        /// KDE's.
        case kdialog
    }

    /// What a person answers about one account; the raw value stands in messages.
    enum Word: String, Codable, CaseIterable {
        case once
        case session
        case always
        case never
        case dismissed
        case nobodyThere

        /// What stands on the button; nil for what none says.
        var label: String? {
            switch self {
            case .once: "Once"
            case .session: "Until I log out"
            case .always: "Always"
            case .never: "Never"
            case .dismissed, .nobodyThere: nil
            }
        }

        /// Those with a button.
        static let offered: [Word] = [.once, .session, .always, .never]
    }

    static let title = "Keyfob"
    private static let own = FileAccess.link("/proc/self/exe").flatMap { Keyfob.Program(.executable, $0) }

    init(_ question: ProgramQuestion) {
        let caller = question.caller
        var lines = ["\(Self.plain(caller.program.name)) wants a token of an account."]
        lines.append("Program: \(Self.plain(caller.program.description)), process \(caller.process)")
        accounts = question.accounts.map { "\(Self.plain($0.account.name)) (group \(Self.plain($0.group.name)))" }
        if let only = accounts.first, accounts.count == 1 { lines.append("Account: \(only)") }
        if !question.scopes.isEmpty { lines.append("For: \(Self.plain(question.scopes.spaceSeparated))") }
        if caller.program == Self.own {
            lines.append("Every program of yours can start keyfob, and so have what it may have.")
        }
        if let client = question.clientID { lines.append("Client: \(Self.plain(client))") }
        text = lines.joined(separator: "\n")
    }

    /// Text that stands on one line, and that no dialog takes for markup.
    private static func plain(_ text: String) -> String {
        let limit = 300
        let line = TerminalText.line(text).replacing("<", with: "‹").replacing(">", with: "›").replacing("&", with: "＆")
            .replacing("\\", with: "＼")
        return line.count > limit ? line.prefix(limit) + "…" : line
    }

    /// The arguments that have the person choose the account, whose number is printed.
    func choosing(with program: Program) -> [String] {
        let rows = accounts.enumerated().flatMap { ["\($0.offset)", $0.element] }
        return switch program {
        case .zenity:
            [
                "--list", "--title=\(Self.title)", "--text=\(text)\nWhich account may it use?", "--column=n",
                "--column=Account", "--hide-column=1", "--print-column=1", "--hide-header", "--width=560",
                "--height=320", "--",
            ] + rows
        case .kdialog: ["--title", Self.title, "--menu", "\(text)\nWhich account may it use?"] + rows
        }
    }

    /// The arguments that have the person say for how long.
    ///
    /// - Parameter account: The one that was chosen, where there was a choice.
    func deciding(with program: Program, account: String?) -> [String] {
        let text = account.map { "\(self.text)\nAccount: \($0)" } ?? self.text
        switch program {
        case .zenity:
            // What Enter means is that nothing is given.
            return ["--question", "--no-markup", "--default-cancel", "--title=\(Self.title)", "--text=\(text)"]
                + ["--width=480", "--cancel-label=Not now", "--ok-label=\(Word.once.label ?? "")"]
                + Word.offered.dropFirst().compactMap { $0.label.map { "--extra-button=\($0)" } }
        case .kdialog:
            return ["--title", Self.title, "--menu", text]
                + Word.offered.flatMap { [$0.rawValue, $0.label ?? $0.rawValue] }
        }
    }

    /// What the end of such a program means.
    static func word(status: Int32, output: String, of program: Program) -> Word {
        let output = output.prefix { $0 != "\n" }
        switch program {
        case .zenity:
            if let word = Word.offered.first(where: { $0.label.map { $0 == output } ?? false }) { return word }
            return status == 0 ? .once : .dismissed
        case .kdialog: return status == 0 ? Word.offered.first { $0.rawValue == output } ?? .dismissed : .dismissed
        }
    }
}

/// What was answered to a ``DesktopDialog``.
struct DesktopAnswer: Codable, Equatable {
    let word: DesktopDialog.Word
    /// The number of the account; 0 where there was no choice.
    var account = 0

    /// In terms of a question.
    func answer(to question: ProgramQuestion) -> ProgramAnswer {
        guard question.accounts.indices.contains(account) else { return .dismissed }
        let candidate = question.accounts[account]
        return switch word {
        case .once: .allowed(candidate, .once)
        case .session: .allowed(candidate, .session)
        case .always: .allowed(candidate, .always)
        case .never: .never
        case .dismissed: .dismissed
        case .nobodyThere: .nobodyThere
        }
    }
}
