@testable import KeyfobCLI
import Keyfob
import KeyfobAgent
import Testing

/// What the desktop shows before a program gets a token: words of others are no markup, no option and no second line.
@Suite("What the desktop asks about a program")
struct DesktopDialogTests {
    private func question(
        _ names: [String], program: String = "executable:/usr/bin/mail", action: ProgramAction = .token
    ) throws -> ProgramQuestion {
        let candidates = try names.enumerated().map { number, name in
            let id = try #require(AccountID(homeAccountID: "\(number)", environment: "login.example"))
            return Candidate(
                account: Account(id: id, username: name), group: .default, state: .signedIn, clientIDs: [],
                isDefault: false)
        }
        let caller = AgentCaller(
            try #require(Program(program)), process: 7, user: 0, door: .socket, digest: { nil })
        return ProgramQuestion(
            caller: caller, action: action, accounts: candidates, scopes: ["mail.read"], clientID: "client")
    }

    @Test("It says which program, which account and what for")
    func words() throws {
        let dialog = DesktopDialog(try question(["ada@contoso.example"]))
        #expect(
            dialog.text == """
                /usr/bin/mail wants a token of an account.
                Program: executable:/usr/bin/mail, process 7
                Account: ada@contoso.example (group default)
                For: mail.read
                Client: client
                It then sees the account too.
                """)
    }

    @Test(
        "It names the action, and what goes along with a yes",
        arguments: [
            (ProgramAction.token, false, "wants a token of an account.", "It then sees the account too."),
            (.signIn, false, "wants you to sign in.", "It then gets tokens of who signs in, and sees that account."),
            (
                .signIn, true, "wants you to sign in.",
                "It gets a token of the account that you choose, and sees that account."
            ), (.signOut, false, "wants to sign an account out.", "Client: client"),
            (.list, false, "wants to see your accounts.", "Client: client"),
        ])
    func actions(action: ProgramAction, isChoice: Bool, first: String, last: String) throws {
        let lines = DesktopDialog(try question(["ada"], action: action), isSignIn: isChoice).text.split(separator: "\n")
        #expect(lines.first == "/usr/bin/mail \(first)" && lines.last.map(String.init) == last)
    }

    @Test("Who signs in is nobody who is here yet: an answer is about nobody, and of no row")
    func nobodyYet() throws {
        let question = try question([], action: .signIn)
        #expect(DesktopDialog(question).accounts.isEmpty)
        #expect(DesktopAnswer(word: .always).answer(to: question) == .allowed(nil, .always))
        #expect(DesktopAnswer(word: .never).answer(to: question) == .never)
        #expect(DesktopAnswer(word: .always, account: 1).answer(to: question) == .dismissed)
    }

    @Test("Names from outside stay on their line, are no markup, and never stand where an option could")
    func hostile() throws {
        let names = ["<b>ada</b>\n&amp;", "--text=all is well", "\u{202e}evil"]
        let dialog = DesktopDialog(try question(names, program: "executable:/tmp/a<i>b\u{200b}"))
        for text in [dialog.text] + dialog.accounts {
            #expect(!text.contains("<") && !text.contains("&") && !text.contains("\u{202e}"))
        }
        #expect(dialog.accounts.allSatisfy { !$0.contains("\n") })
        let zenity = dialog.choosing(with: .zenity)
        let rows = try #require(zenity.firstIndex(of: "--"))
        #expect(zenity[..<rows].allSatisfy { $0.hasPrefix("--") })
        #expect(zenity.count == rows + 1 + 2 * names.count)
        for program in DesktopDialog.Program.allCases {
            let words = dialog.deciding(with: program, account: dialog.accounts[1])
            #expect(!words.contains { $0.hasPrefix("--text=all") })
        }
    }

    @Test(
        "What the programs print is understood; what they never print gives nothing",
        arguments: [
            (DesktopDialog.Program.zenity, Int32(0), "", DesktopDialog.Word.once), (.zenity, 1, "", .dismissed),
            (.zenity, 1, "Always\n", .always), (.zenity, 1, "Until I log out\n", .session),
            (.zenity, 1, "Never\n", .never), (.zenity, 5, "", .dismissed), (.zenity, 255, "nonsense", .dismissed),
            (.kdialog, 0, "once\n", .once), (.kdialog, 0, "always\n", .always), (.kdialog, 0, "never\n", .never),
            (.kdialog, 1, "", .dismissed), (.kdialog, 0, "dismissed", .dismissed), (.kdialog, 0, "", .dismissed),
            (.kdialog, 1, "always", .dismissed),
        ])
    func answers(program: DesktopDialog.Program, status: Int32, output: String, expected: DesktopDialog.Word) {
        #expect(DesktopDialog.word(status: status, output: output, of: program) == expected)
    }

    @Test("An answer is about an account that was offered, or about none")
    func accounts() throws {
        let question = try question(["ada", "bob"])
        #expect(
            DesktopAnswer(word: .always, account: 1).answer(to: question) == .allowed(question.accounts[1], .always))
        #expect(DesktopAnswer(word: .always, account: 2).answer(to: question) == .dismissed)
        #expect(DesktopAnswer(word: .always, account: -1).answer(to: question) == .dismissed)
    }

    @Test("For a sign-in the accounts are shown with one row more, and what is chosen is one of these rows or none")
    func signIn() throws {
        let question = try question(["ada", "<b>bob"], action: .signIn)
        let dialog = DesktopDialog(question, isSignIn: true)
        #expect(dialog.text.hasPrefix("/usr/bin/mail wants you to sign in.\n"))
        for program in DesktopDialog.Program.allCases {
            let words = dialog.choosing(with: program)
            #expect(
                words.suffix(6) == ["0", "ada (group default)", "1", "‹b›bob (group default)", "2", "Another account…"])
        }
        for (number, answer) in [
            (0, AccountAnswer.account(question.accounts[0])), (1, .account(question.accounts[1])), (2, .another),
            (3, .dismissed), (-1, .dismissed),
        ] {
            #expect(dialog.choices.contains(number) == (answer != .dismissed))
            #expect(DesktopAnswer(word: .chosen, account: number).choice(of: question) == answer)
            // It lets no program have anything.
            #expect(DesktopAnswer(word: .chosen, account: number).answer(to: question) == .dismissed)
        }
        for word in DesktopDialog.Word.allCases where word != .chosen {
            let answer = DesktopAnswer(word: word).choice(of: question)
            #expect(answer == (word == .nobodyThere ? .nobodyThere : .dismissed))
        }
    }

    @Test("Accounts of one name are told apart, and of very many the likeliest are shown")
    func rows() throws {
        let alike = DesktopDialog(try question(["ada", "ada", "bob"])).accounts
        #expect(
            alike == [
                "ada (group default), id 0@login.example", "ada (group default), id 1@login.example",
                "bob (group default)",
            ])
        let many = try question((0..<1_000).map { "user\($0)" })
        let dialog = DesktopDialog(many, isSignIn: true)
        #expect(dialog.accounts.count == 200 && dialog.choices.upperBound == 201)
        #expect(DesktopAnswer(word: .chosen, account: 200).choice(of: many) == .another)
    }
}
