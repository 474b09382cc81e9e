import ArgumentParser
import Keyfob
import KeyfobTestSupport
import Testing

@testable import KeyfobCLI

/// Command lines that are read without the parser mean what the parser makes of them.
@Suite("Command lines that are spelt out")
struct PlainLineTests {
    private static let values = [
        "ada", "ada@git.example", "a b", "300", "0", "86400", "86401", "+5", "1", "3", "work", "/v", "", " ", "é", "-x",
        "--header", "a\u{7}", "https://x.example/p", "https://u:p@x.example", "x.example", "common", "token",
    ]

    /// What is set in a command, under the names of its properties.
    private func settings(_ value: Any, _ path: String = "") -> [String] {
        Mirror(reflecting: value).children.flatMap { child -> [String] in
            let name = path + (child.label ?? "?")
            let parsed = Mirror(reflecting: child.value).children.first { $0.label == "_parsedValue" }
            guard let parsed, let given = Mirror(reflecting: parsed.value).children.first else { return [] }
            guard given.label == "value" else { return [name + " is not set"] }
            return given.value is any ParsableArguments
                ? settings(given.value, name + ".") : ["\(name) = \(given.value)"]
        }
    }

    @Test("random ones are the same command with the same options", arguments: ["token", "add"])
    func random(name: String) throws {
        var generator = SeededGenerator(seed: 11)
        let options = [
            "--account", "-a", "--scope", "-s", "--resource", "--tenant", "--client", "--url", "--tool",
            "--min-validity",
            "--vault", "--group", "--key-file", "--host", "--username", "--label", "--expires-in", "--token-fd",
        ]
        let flags = [
            "--json", "--quiet", "-q", "--no-input", "--header", "--offline", "--extended-lifetime", "--verbose",
            "--force-refresh", "--help", "--",
        ]
        var taken = 0
        for _ in 0..<TestLength.rounds(150, full: 10_000) {
            var words = [name] + (name == "add" && Bool.random(using: &generator) ? ["ada@git.example"] : [])
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                if Int.random(in: 0..<4, using: &generator) == 0 {
                    words.append(flags.randomElement(using: &generator) ?? "")
                } else {
                    words.append(options.randomElement(using: &generator) ?? "")
                    words.append(Self.values.randomElement(using: &generator) ?? "")
                }
            }
            guard let command = PlainLine.command(words) else { continue }
            taken += 1
            let parsed = try KeyfobCommand.parseAsRoot(words)
            #expect(type(of: parsed) == type(of: command), "\(words)")
            #expect(settings(command) == settings(parsed), "\(words)")
            #expect(settings(command).count > 15 && !settings(command).contains { $0.hasSuffix("is not set") })
        }
        #expect(taken > 20)
    }

    @Test(
        "what is spelt otherwise, or wrong, is the parser's",
        arguments: [
            [], ["token", "x"], ["token", "--account"], ["token", "--account=ada"], ["token", "-aada"],
            ["token", "--help"],
            ["token", "-a", "x", "--account", "y"], ["token", "--scope", "a", "--scope", "b"],
            ["token", "--json", "--header"],
            ["token", "--min-validity", "x"], ["token", "--min-validity", "86401"], ["token", "--sasl", "xoauth2"],
            ["add"], ["add", "ada"], ["add", "a@b", "c@d"], ["add", "a@b", "--"], ["add", "a@b", "--expires-in", "0"],
            ["add", "a@b", "--token-fd", "99999999999"], ["add", "a@b", "--identity", "x"], ["account", "list"],
        ])
    func others(words: [String]) { #expect(PlainLine.command(words) as Any? == nil) }
}
