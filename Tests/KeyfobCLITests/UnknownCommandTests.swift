import ArgumentParser
import Testing

@testable import KeyfobCLI

@Suite("Words of other programs")
struct UnknownCommandTests {
    /// The command of some words behind `keyfob`; nil where there is none.
    private static func command(_ words: some Collection<String>) -> (any ParsableCommand.Type)? {
        var found: any ParsableCommand.Type = KeyfobCommand.self
        for word in words {
            guard let next = found.configuration.subcommands.first(where: { $0.configuration.commandName == word })
            else { return nil }
            found = next
        }
        return found
    }

    private static let words = UnknownCommand.meanings.flatMap { path, words in
        words.map { (path: path, word: $0.key, meant: $0.value) }
    }

    @Test("each is no command itself, and means one that exists", arguments: words)
    func exists(path: String, word: String, meant: String) throws {
        let before = path.split(separator: " ").dropFirst().map(String.init)
        let parent = try #require(Self.command(before), "\(path)")
        #expect(!parent.configuration.subcommands.isEmpty && Self.command(before + [word]) == nil, "\(path) \(word)")
        let words = meant.split(separator: " ").dropFirst().map(String.init)
        #expect(meant.hasPrefix("keyfob "))
        #expect(Self.command(words.filter { !$0.hasPrefix("--") }) != nil, "\(meant)")
        let error = try #require(UnknownCommand.error(in: before + [word, "ada"]))
        #expect(error.hint == "did you mean '\(meant)'?", "\(error)")
    }

    @Test(
        "what people type first is answered",
        arguments: [
            "rename", "config", "audit", "whois", "switch", "auth", "remove", "delete", "rm", "list", "ls", "show",
            "get",
            "revoke", "refresh", "password", "passphrase", "change-password", "PASSWORD",
        ])
    func first(word: String) throws {
        let error = try #require(UnknownCommand.error(in: [word]))
        #expect(error.hint?.hasPrefix("did you mean 'keyfob ") == true, "\(word)")
    }
}
