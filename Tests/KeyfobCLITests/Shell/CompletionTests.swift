import Foundation
import KeyfobTestSupport
import Testing

@testable import KeyfobCLI

@Suite("Completions in a shell", .waitsForPrograms)
struct CompletionTests {
    /// What `shells.py` prints.
    private struct Typed: Decodable {
        let words: [[String]]
        let screen: String
        let missed: String?
    }

    /// A name that would be a command, were it expanded.
    private static let hostile = "$(touch pwned)`touch pwned`;'\\ x"

    /// A vault with accounts, groups, a client and scopes, and some files.
    private func home() throws -> Workplace {
        let place = try Workplace.withVault()
        try place.run("keyfob group create --quiet evil && keyfob group create --quiet build").expectSuccess()
        try place.add("ada@contoso.example", token: "t", "--scope https://graph.example/.default --label 'Ada at work'")
        try place.add("bob", token: "t", "--scope repo")
        try place.write("name", Self.hostile)
        try place.run(
            #"printf t | keyfob add -q --account evil --username "$(cat name)" --host evil.example --group evil"#
        ).expectSuccess()
        try place.run("keyfob client add -q 1234.apps.example --provider github").expectSuccess()
        try place.write("cache.json", "{}")
        try place.run("mkdir folder").expectSuccess()
        let two = "XDG_DATA_HOME=$PWD/data2 XDG_STATE_HOME=$PWD/state2"
        try place.run(
            """
            keyfob sync init -q remote --name desk > words && \(two) keyfob init -q --recovery-file recovery2 \\
                && \(two) keyfob sync join -q remote $(cat words) --name laptop > words2 \\
                && keyfob sync approve -q $(cat words2) && \(two) keyfob sync -q && keyfob sync -q
            """
        ).expectSuccess()
        return place
    }

    private func type(_ lines: [String], in shell: String, _ place: Workplace) throws -> Typed {
        struct Task: Encodable {
            let shell: String
            let script: String
            let lines: [String]
        }
        try place.run("keyfob completions \(shell) > completions.\(shell)").expectSuccess()
        let task = Task(shell: shell, script: "completions.\(shell)", lines: lines)
        let outcome = try place.python("shells", input: JSONEncoder().encode(task))
        let typed = try JSONDecoder().decode(Typed.self, from: outcome.output)
        #expect(typed.missed == nil, "\(typed)")
        return typed
    }

    @Test("commands, options, files and the names of the vault", arguments: ["bash", "zsh", "fish"])
    func shells(_ shell: String) throws {
        let place = try home()
        let lines: [(typed: String, words: [String])] = [
            ("keyfob acc", ["keyfob", "account"]),
            ("keyfob account ref", ["keyfob", "account", "refresh"]),
            ("keyfob token --acc", ["keyfob", "token", "--account"]),
            ("keyfob token --account ada@", ["keyfob", "token", "--account", "ada@contoso.example"]),
            ("keyfob use bo", ["keyfob", "use", "bob"]),
            ("keyfob token -a Ada", ["keyfob", "token", "-a", "Ada at work"]),
            ("keyfob token --group b", ["keyfob", "token", "--group", "build"]),
            (
                "keyfob --group evil token --account ",
                ["keyfob", "--group", "evil", "token", "--account", Self.hostile]
            ),
            ("keyfob login micr", ["keyfob", "login", "microsoft"]),
            ("keyfob client remove 12", ["keyfob", "client", "remove", "1234.apps.example"]),
            ("keyfob client add --well-known github", ["keyfob", "client", "add", "--well-known", "github-cli"]),
            ("keyfob token --scope https://gr", ["keyfob", "token", "--scope", "https://graph.example/.default"]),
            ("keyfob token -a bob --scope ", ["keyfob", "token", "-a", "bob", "--scope", "repo"]),
            ("keyfob import cac", ["keyfob", "import", "cache.json"]),
            ("keyfob export --recipients-file cac", ["keyfob", "export", "--recipients-file", "cache.json"]),
            ("keyfob init --storage emb", ["keyfob", "init", "--storage", "embedded"]),
            ("keyfob token --color al", ["keyfob", "token", "--color", "always"]),
            ("keyfob --vers", ["keyfob", "--version"]),
            ("keyfob --no-in", ["keyfob", "--no-input"]),
            ("keyfob account --no-in", ["keyfob", "account", "--no-input"]),
            ("keyfob help stat", ["keyfob", "help", "status"]),
            ("keyfob help opt", ["keyfob", "help", "options"]),
            ("keyfob help account ref", ["keyfob", "help", "account", "refresh"]),
            ("keyfob man group rot", ["keyfob", "man", "group", "rotate"]),
            ("keyfob sync revoke lap", ["keyfob", "sync", "revoke", "laptop"]),
        ]
        let typed = try type(lines.map(\.typed), in: shell, place)
        for (line, words) in zip(lines, typed.words) {
            #expect(words == line.words, "\(shell): \(line.typed)\n\(typed.screen)")
        }
        #expect(typed.words.count == lines.count)
        #expect(try place.run("test -e pwned").status == 1)
    }

    @Test("of a locked vault nothing is offered, and nothing is asked", arguments: ["bash", "zsh", "fish"])
    func locked(_ shell: String) throws {
        let place = try home()
        let lock = shell == "fish" ? "!set -e KEYFOB_KEY_FILE" : "!unset KEYFOB_KEY_FILE"
        let typed = try type(
            [lock, "keyfob token --account bo", "keyfob token --group b", "keyfob sta"], in: shell, place)
        #expect(
            typed.words == [
                ["keyfob", "token", "--account", "bo"], ["keyfob", "token", "--group", "b"], ["keyfob", "status"],
            ],
            "\(typed.screen)")
        #expect(!typed.screen.contains("Passphrase") && !typed.screen.contains("keyfob: "), "\(typed.screen)")
    }

    @Test(
        "a line is taken apart as shells do it",
        arguments: [
            ("keyfob ", [""]), ("keyfob token", ["token"]), ("A=1 B=2 keyfob tok", ["tok"]),
            ("keyfob token -a 'Ada L", ["token", "-a", "Ada L"]), (#"keyfob use Ada\ L"#, ["use", "Ada L"]),
            (#"keyfob use "a'b" "#, ["use", "a'b", ""]), ("keyfob", []),
        ])
    func words(line: String, words: [String]) {
        #expect(CommandLineWords.split(line) == words)
    }
}
