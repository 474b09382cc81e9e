import Foundation
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

    @Test("two passphrases that differ, and an empty one, make no vault")
    func mismatch() throws {
        let place = try Workplace()
        let run = try place.onTerminal(
            "keyfob init --kdf-memory 64", [(Self.first, "correct horse\n"), (Self.second, "battery staple\n")])
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
        let wrong = try place.onTerminal("keyfob token", [("Passphrase for", "wrong\n")])
        #expect(wrong.status == 77 && wrong.screen.contains("does not open the vault"), "\(wrong)")
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

    @Test("a long import shows how far it is, on a terminal only")
    func progress() throws {
        let place = try Workplace.withVault()
        try place.write("cache.json", SampleCache(people: 200).json())
        let run = try place.onTerminal("keyfob import cache.json", [])
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
