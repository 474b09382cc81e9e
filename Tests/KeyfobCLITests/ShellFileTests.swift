import Foundation
import KeyfobTestSupport
import Testing

@Suite("Completions and manual pages", .waitsForPrograms)
struct ShellFileTests {
    @Test("the completions are scripts that their shells read", arguments: ["bash", "zsh", "fish"])
    func completions(_ shell: String) throws {
        let place = try Workplace()
        try place.run("keyfob completions \(shell) > file && \(shell) -n file").expectSuccess()
    }

    @Test("the manual renders without a warning, and has a page for each command")
    func manual() throws {
        let place = try Workplace()
        try place.run("mkdir man1 && keyfob man --directory man1 && keyfob man | cmp - man1/keyfob.1").expectSuccess()
        let pages = try place.run("ls man1").text.split(separator: "\n").map(String.init)
        let expected = try CommandList.all().map { $0.line.replacing(" ", with: "-") + ".1" }
        #expect(Set(pages) == Set(expected))
        guard try place.run("command -v groff").status == 0 else { return }
        for page in pages {
            let outcome = try place.run("groff -man -ww -Tutf8 man1/\(page) | sed 's/.\\x08//g'").expectSuccess()
            #expect(outcome.errors.isEmpty, "\(page): \(outcome.errors)")
            #expect(outcome.text.contains("NAME") && outcome.text.contains("Example"), "\(page)")
        }
        let first = try place.run("groff -man -ww -Tutf8 man1/keyfob.1 | sed 's/.\\x08//g'").text
        for section in ["SYNOPSIS", "COMMANDS", "FILES", "ENVIRONMENT", "EXIT STATUS"] {
            #expect(first.contains(section))
        }
        for page in expected where page != "keyfob.1" {
            #expect(first.contains(page.dropLast(2)) || page.split(separator: "-").count > 2, "\(page)")
        }
    }

    @Test("pages can be read by everybody, and are replaced")
    func modes() throws {
        let place = try Workplace()
        try place.run("mkdir man1 && keyfob man --directory man1 && keyfob man --directory man1").expectSuccess()
        #expect(try place.run("stat -c %a man1/*.1 | sort -u").text == "644\n")
    }
}
