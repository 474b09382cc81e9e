internal import Keyfob
internal import KeyfobAgent
internal import KeyfobFiles
internal import KeyfobTerminal

/// What a person is asked on a desktop, with the action that the program wants: in words, as arguments of the program that shows it, and what the answer means.
///
/// It is data, so that a process without keys can show it.
struct DesktopDialog: Codable, Equatable {
    /// Who asks, and for what: lines.
    let text: String
    /// The accounts to choose from, as people read them; with one there is no choice, unless it is a sign-in.
    let accounts: [String]
    /// Whether the person chooses with which account to sign in, and may take another one; else they decide what a program may have.
    let isSignIn: Bool

    /// A program that shows dialogs.
    enum Program: String, CaseIterable {
        /// GTK's.
        case zenity
        /// KDE's.
        case kdialog
    }

    /// What a person answers about one account; the raw value stands in messages.
    enum Word: String, Codable, CaseIterable {
        /// The account, for a sign-in.
        case chosen
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
            case .chosen, .dismissed, .nobodyThere: nil
            }
        }

        /// Those with a button.
        static let offered: [Word] = [.once, .session, .always, .never]
    }

    static let title = "Keyfob"
    private static let own = OwnPrograms().program

    /// More rows than anybody reads; the likeliest come first.
    private static let most = 200
    /// The row below the accounts of a sign-in.
    private static let another = "Another account…"

    init(_ question: ProgramQuestion, isSignIn: Bool = false) {
        let caller = question.caller
        let (wish, besides) = Self.wish(question.action, isChoice: isSignIn)
        var lines = ["\(Self.plain(caller.program.name)) \(wish)."]
        lines.append("Program: \(Self.plain(caller.program.description)), process \(caller.process)")
        self.isSignIn = isSignIn
        accounts = Self.rows(Self.shown(question), tellsState: isSignIn)
        if let only = accounts.first, accounts.count == 1, !isSignIn { lines.append("Account: \(only)") }
        if !question.scopes.isEmpty { lines.append("For: \(Self.plain(question.scopes.spaceSeparated))") }
        if caller.program == Self.own {
            lines.append("Every program of yours can start keyfob, and so have what it may have.")
        }
        if let client = question.clientID { lines.append("Client: \(Self.plain(client))") }
        if let besides { lines.append(besides) }
        text = lines.joined(separator: "\n")
    }

    /// What a program wants, and what it gets along with that.
    ///
    /// - Parameter isChoice: Whether the person chooses with which account to sign in.
    private static func wish(_ action: ProgramAction, isChoice: Bool) -> (String, String?) {
        switch action {
        case .token: ("wants a token of an account", "It then sees the account too.")
        case .list: ("wants to see your accounts", nil)
        case .signIn where isChoice:
            ("wants you to sign in", "It gets a token of the account that you choose, and sees that account.")
        case .signIn: ("wants you to sign in", "It then gets tokens of who signs in, and sees that account.")
        case .signOut: ("wants to sign an account out", nil)
        }
    }

    /// The accounts that have a row.
    static func shown(_ question: ProgramQuestion) -> ArraySlice<Candidate> { question.accounts.prefix(most) }

    /// What stands for each account: no two look alike.
    private static func rows(_ candidates: ArraySlice<Candidate>, tellsState: Bool) -> [String] {
        let rows = candidates.map { candidate in
            let state = tellsState && candidate.state != .signedIn ? ", \(plain(candidate.state.words))" : ""
            return "\(plain(candidate.account.name)) (group \(plain(candidate.group.name))\(state))"
        }
        let counts = Dictionary(rows.map { ($0, 1) }, uniquingKeysWith: +)
        return zip(rows, candidates).map { row, candidate in
            counts[row, default: 1] > 1 ? "\(row), id \(plain(candidate.account.id.description))" : row
        }
    }

    /// Text that stands on one line, and that no dialog takes for markup.
    private static func plain(_ text: String) -> String {
        let limit = 300
        let line = TerminalText.line(text).replacing("<", with: "‹").replacing(">", with: "›").replacing("&", with: "＆")
            .replacing("\\", with: "＼")
        return line.count > limit ? line.prefix(limit) + "…" : line
    }

    /// The numbers that can be chosen: those of the accounts, and in a sign-in one more for another account.
    var choices: Range<Int> { 0..<accounts.count + (isSignIn ? 1 : 0) }

    /// The arguments that have the person choose the account, whose number is printed.
    func choosing(with program: Program) -> [String] {
        let rows = (isSignIn ? accounts + [Self.another] : accounts).enumerated()
            .flatMap { ["\($0.offset)", $0.element] }
        let text = "\(text)\n\(isSignIn ? "With which account?" : "Which account may it use?")"
        return switch program {
        case .zenity:
            [
                "--list", "--title=\(Self.title)", "--text=\(text)", "--column=n", "--column=Account",
                "--hide-column=1", "--print-column=1", "--hide-header", "--width=560",
                "--height=320", "--",
            ] + rows
        case .kdialog: ["--title", Self.title, "--menu", text] + rows
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
        let candidate = question.accounts.indices.contains(account) ? question.accounts[account] : nil
        // Who signs in is nobody who is here yet.
        guard candidate != nil || question.accounts.isEmpty && account == 0 else { return .dismissed }
        return switch word {
        case .once: .allowed(candidate, .once)
        case .session: .allowed(candidate, .session)
        case .always: .allowed(candidate, .always)
        case .never: .never
        case .chosen, .dismissed: .dismissed
        case .nobodyThere: .nobodyThere
        }
    }

    /// In terms of a question with which account to sign in.
    func choice(of question: ProgramQuestion) -> AccountAnswer {
        let shown = DesktopDialog.shown(question)
        switch word {
        case .chosen where shown.indices.contains(account): return .account(shown[account])
        case .chosen where account == shown.endIndex: return .another
        case .nobodyThere: return .nobodyThere
        default: return .dismissed
        }
    }
}
