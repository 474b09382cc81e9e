import Foundation
import KeyfobTerminal
import KeyfobTestSupport
import Testing

@Suite("On a terminal", .waitsForPrograms)
struct TerminalTests {
    private static let first = "New passphrase: "
    private static let second = "The same again: "

    /// A home with a vault that a passphrase opens.
    private func home() throws -> Workplace {
        let place = try Workplace()
        try place.write("words", "correct horse\n")
        try place.run("keyfob init -q --passphrase-fd 3 --kdf-memory 64 --recovery-file recovery 3<words")
            .expectSuccess()
        return place
    }

    @Test("a new passphrase is typed twice and never shown")
    func newPassphrase() throws {
        let place = try Workplace()
        let run = try place.onTerminal(
            "keyfob init --kdf-memory 64 --recovery-file recovery",
            [(Self.first, "correct horse\n"), (Self.second, "correct horse\n")])
        #expect(run.status == 0 && run.echoes == [false, false], "\(run)")
        #expect(!run.screen.contains("horse"), "\(run)")
        try place.write("words", "correct horse\n")
        try place.run("keyfob verify --passphrase-fd 3 3<words").expectSuccess()
    }

    @Test("two passphrases that differ are asked for again")
    func askedAgain() throws {
        let place = try Workplace()
        let run = try place.onTerminal(
            "keyfob init --kdf-memory 64 --recovery-file recovery",
            [
                (Self.first, "correct horse\n"), (Self.second, "battery staple\n"),
                (Self.first, "correct horse battery staple orbit\n"),
                (Self.second, "correct horse battery staple orbit\n"),
            ])
        #expect(run.status == 0 && run.screen.contains("Type both again"), "\(run)")
        #expect(!run.screen.contains("horse") && !run.screen.contains("warning"), "\(run)")
    }

    @Test("a passphrase that is easy to guess is taken, with a warning")
    func weak() throws {
        let run = try Workplace().onTerminal(
            "keyfob init --kdf-memory 64 --recovery-file recovery",
            [(Self.first, "hunter2\n"), (Self.second, "hunter2\n")])
        #expect(run.status == 0 && run.screen.contains("warning: whoever gets the vault's files may guess"), "\(run)")
    }

    @Test("where a vault is, nobody is asked for the passphrase of another")
    func occupied() throws {
        let place = try home()
        let run = try place.onTerminal("keyfob init", [])
        #expect(run.status == 73 && run.screen.contains("there is a vault at \(place.vault) already"), "\(run)")
    }

    @Test("a token is typed or pasted without being shown, however long it is")
    func addedToken() throws {
        let place = try Workplace.withVault()
        let token = String(repeating: "long-token-", count: 600)
        let run = try place.onTerminal(
            "keyfob add --account ada --host git.example", [("Token: ", token + "\n")])
        #expect(run.status == 0 && run.echoes == [false] && !run.screen.contains("long-token"), "\(run)")
        #expect(try place.run("keyfob token").text == token + "\n")
        let refused = try place.onTerminal("keyfob add --no-input --account ada --host git.example", [])
        #expect(refused.status == 64 && refused.screen.contains("send the token"), "\(refused)")
        let cancelled = try place.onTerminal("keyfob add --account ada --host git.example", [("Token: ", "half\u{3}")])
        #expect(cancelled.status == 15, "\(cancelled)")
    }

    @Test(
        "who signs in where no client is known chooses a program, or gives an id of one's own", arguments: Screen.all)
    func chosenClient(screen: Screen) throws {
        let place = try Workplace.withVault()
        let question = "The number of a program, or your own client id: "
        // What is asked comes before the network, which there is not.
        let away = "env HTTPS_PROXY=http://127.0.0.1:9"
        let chosen = try place.onTerminal(
            "\(away) keyfob login github --timeout 1", on: screen, [("client id: ", "1\n")])
        let words = screen.expectKept(chosen).flatMap(Screen.words).joined(separator: " ")
        #expect(words.contains(question) && words.contains("signing in by a code, as GitHub CLI does"), "\(chosen)")
        let table = Screen.rows(chosen.screen).filter { $0.hasPrefix("  1  ") }
        #expect(table.contains { $0.contains("GitHub CLI") && DisplayWidth.of($0) <= screen.columns }, "\(chosen)")
        let own = try place.onTerminal(
            "\(away) keyfob login gitlab --no-browser --timeout 1", [(question, "my-own-id\n")])
        #expect(own.screen.contains("added client 'my-own-id' for gitlab"), "\(own)")
        let withSecret = try place.onTerminal(
            "\(away) keyfob login google --no-browser --timeout 1",
            [("Your client id: ", "1234.apps\n"), ("Its client secret: ", "hunter2\n")])
        #expect(withSecret.echoes.last == false && !withSecret.screen.contains("hunter2"), "\(withSecret)")
        let clients = try place.run("keyfob client list").text
        #expect(
            clients.contains("GitHub CLI") && clients.contains("my-own-id") && clients.contains("1234.apps"),
            "\(clients)")
        let nothing = try place.onTerminal("\(away) keyfob login microsoft", [(question, "\n")])
        #expect(nothing.status == 15 && nothing.screen.contains("client add --well-known azure-cli"), "\(nothing)")
    }

    @Test("who does not say where to sign in chooses a provider, or names another", arguments: Screen.all)
    func chosenProvider(screen: Screen) throws {
        let place = try Workplace.withVault()
        let question = "The number or name of a provider, or another's address: "
        let away = "env HTTPS_PROXY=http://127.0.0.1:9"
        for answer in ["10", "github"] {
            let chosen = try place.onTerminal(
                "\(away) keyfob login --timeout 1", on: screen, [("address: ", answer + "\n"), ("client id: ", "\n")])
            let words = screen.expectKept(chosen).flatMap(Screen.words).joined(separator: " ")
            #expect(words.contains(question) && words.contains("GitHub knows programs by client ids"), "\(chosen)")
        }
        for (answer, status, message) in [
            ("", 15, "nothing was chosen"), ("keyfob login github", 64, "has no spaces"),
            ("nowhere", 13, "there is no provider"),
        ] as [(String, Int32, String)] {
            let run = try place.onTerminal("\(away) keyfob login", [(question, answer + "\n")])
            #expect(run.status == status && run.screen.contains(message), "\(run)")
        }
        for line in ["keyfob login --no-input", "keyfob login --json"] {
            let run = try place.onTerminal(line, [])
            #expect(run.status == 64 && run.screen.contains("for example 'keyfob login github'"), "\(run)")
        }
    }

    @Test("two passphrases that differ, and an empty one, make no vault")
    func mismatch() throws {
        let place = try Workplace()
        let wrong = [(Self.first, "correct horse\n"), (Self.second, "battery staple\n")]
        let run = try place.onTerminal("keyfob init --kdf-memory 64", wrong + wrong + wrong)
        #expect(run.status == 64 && run.screen.contains("the two passphrases differ"), "\(run)")
        #expect(!run.screen.contains("horse") && !run.screen.contains("staple"), "\(run)")
        let empty = try place.onTerminal("keyfob init --kdf-memory 64", [(Self.first, "\n")])
        #expect(empty.status == 15 && empty.screen.contains("nothing was typed"), "\(empty)")
        #expect(try place.run("test -e data/keyfob/keyring.db").status == 1)
    }

    @Test("the passphrase is asked for where nothing else unlocks, and both streams stay free of the question")
    func asking() throws {
        let place = try home()
        try place.run("keyfob add -q --account ada --host git.example --identity recovery", text: "token")
            .expectSuccess()
        let run = try place.onTerminal(
            "keyfob token > out 2> err", [("Passphrase for \(place.vault): ", "correct horse\n")])
        #expect(run.status == 0 && run.echoes == [false], "\(run)")
        #expect(try place.read("out") == Data("token\n".utf8))
        #expect(try place.read("err").isEmpty)
        let again = try place.onTerminal(
            "keyfob token", [("Passphrase for", "wrong\n"), ("open the vault.\r\nPassphrase for", "correct horse\n")])
        #expect(again.status == 0, "\(again)")
        let wrong = try place.onTerminal(
            "keyfob token",
            [
                ("Passphrase for", "wrong\n"), ("open the vault.\r\nPassphrase for", "wrong\n"),
                ("open the vault.\r\nPassphrase for", "wrong\n"),
            ])
        #expect(wrong.status == 77 && wrong.screen.contains("keyfob: that passphrase does not open"), "\(wrong)")
    }

    @Test("a passphrase typed with another keyboard is the same passphrase")
    func composition() throws {
        let place = try Workplace()
        let (composed, decomposed) = ("\u{E9}t\u{E9}", "e\u{301}te\u{301}")
        let run = try place.onTerminal(
            "keyfob init --kdf-memory 64 --recovery-file recovery",
            [(Self.first, composed + "\n"), (Self.second, composed + "\n")])
        #expect(run.status == 0, "\(run)")
        let again = try place.onTerminal("keyfob verify", [("Passphrase for", decomposed + "\n")])
        #expect(again.status == 0, "\(again)")
    }

    @Test("Ctrl-C cancels at once and leaves the terminal as it was", arguments: ["\u{3}", "half a passphr\u{3}"])
    func interrupt(typed: String) throws {
        let place = try home()
        let run = try place.onTerminal("keyfob token", [("Passphrase for", typed)])
        #expect(run.status == 15 && run.screen.contains("keyfob: cancelled"), "\(run)")
        let new = try Workplace()
        let atInit = try new.onTerminal("keyfob init", [(Self.first, typed)])
        #expect(atInit.status == 15, "\(atInit)")
        #expect(try new.run("test -e data/keyfob/keyring.db").status == 1)
    }

    @Test("the end of input cancels")
    func endOfInput() throws {
        let run = try home().onTerminal("keyfob token", [("Passphrase for", "\u{4}")])
        #expect(run.status == 15 && run.screen.contains("nothing was typed"), "\(run)")
    }

    @Test("with --no-input nothing is asked")
    func noInput() throws {
        let run = try home().onTerminal("keyfob token --no-input", [])
        #expect(run.status == 12, "\(run)")
        let new = try Workplace().onTerminal("keyfob init --no-input", [])
        #expect(new.status == 12, "\(new)")
    }

    @Test("what cannot be undone is asked about")
    func confirmation() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "token")
        let no = try place.onTerminal("keyfob account remove ada", [("Type 'remove'", "no\n")])
        #expect(no.status == 15 && no.screen.contains("nothing was changed"), "\(no)")
        try place.run("keyfob token").expectSuccess()
        let group = try place.onTerminal("keyfob group remove default", [("Type its name", "defualt\n")])
        #expect(group.status == 15, "\(group)")
        let yes = try place.onTerminal("keyfob account remove ada", [("Type 'remove'", "remove\n")])
        #expect(yes.status == 0 && yes.screen.contains("removed ada"), "\(yes)")
        try place.run("keyfob token").expectError(13)
    }

    @Test("so is a client's secret, and a provider with what goes with it; nothing else is")
    func registryConfirmation() throws {
        let place = try Workplace.withVault()
        try place.run(
            """
            keyfob provider add -q --issuer https://sso.example --name sso && keyfob client add -q app --provider sso \
                && echo s > s && keyfob client add -q secret --provider google --secret-fd 3 3< s
            """
        ).expectSuccess()
        let no = try place.onTerminal(
            "keyfob client remove secret", [("The secret of client 'secret' goes too", "no\n")])
        #expect(no.status == 15 && no.screen.contains("nothing was changed"), "\(no)")
        let yes = try place.onTerminal("keyfob client remove secret", [("Type 'remove'", "remove\n")])
        #expect(yes.status == 0 && yes.screen.contains("removed client 'secret'"), "\(yes)")
        let question = "1 client will go with it. Type 'sso' to remove it"
        #expect(try place.onTerminal("keyfob provider remove sso", [(question, "no\n")]).status == 15)
        try place.run("keyfob client remove app --provider sso").expectSuccess()
        try place.run("keyfob provider remove sso").expectSuccess()
    }

    @Test("a long import shows how far it is, on a terminal only", arguments: Screen.all)
    func progress(screen: Screen) throws {
        let place = try Workplace.withVault()
        try place.write("cache.json", SampleCache(people: 200).json())
        let run = try place.onTerminal("keyfob import cache.json", on: screen)
        let lines = run.screen.split { $0.isNewline }.filter { $0.hasPrefix("importing [") }
        for line in lines { #expect(DisplayWidth.of(String(line)) < screen.columns, "\(line)") }
        #expect(run.status == 0 && run.screen.contains("importing [#") && run.screen.contains("100 %"), "\(run)")
        // The line is removed when it is done.
        #expect(run.screen.contains("\r\u{1B}[K"), "\(run)")
        let quiet = try place.onTerminal("keyfob import --quiet cache.json", [])
        #expect(!quiet.screen.contains("importing ["), "\(quiet)")
        let redirected = try place.onTerminal("keyfob import cache.json 2> err", [])
        #expect(!redirected.screen.contains("importing ["), "\(redirected)")
        #expect(try !String(decoding: place.read("err"), as: UTF8.self).contains("importing ["))
        try place.write("small.json", SampleCache(people: 2).json())
        #expect(try !place.onTerminal("keyfob import small.json", []).screen.contains("importing ["))
    }

    @Test("a token is shown on a terminal, a whole export is not")
    func export() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "the-token")
        #expect(try place.onTerminal("keyfob token", []).screen == "the-token\r\n")
        let run = try place.onTerminal("keyfob export --format msal -", [])
        #expect(run.status == 64 && !run.screen.contains("the-token"), "\(run)")
    }
}
