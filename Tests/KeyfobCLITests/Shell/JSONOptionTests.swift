import Foundation
import KeyfobTestSupport
import Testing

@Suite("--json", .waitsForPrograms)
struct JSONOptionTests {
    /// What prints something of another form, as it is typed.
    private static let refusing = [
        "env", "exec --env T -- true", "inject -i in -o out", "request https://git.example/", "helper git get",
        "helper docker list", "helper kubectl", "helper aws --role-arn arn:aws:iam::123456789012:role/x",
        "completions bash", "man", "agent", "prompt", "mcp https://mcp.example/mcp",
    ]

    /// What prints the document of a command beside it, which is shown.
    private static let alike = [
        "sync run", "sync join", "sync approve", "sync revoke", "sync accept", "sync repair", "setup docker",
        "setup kubectl", "setup mail", "setup mcp", "setup broker", "setup url-scheme", "setup direnv", "setup az",
        "mirror msal",
        "mirror stop",
    ]

    @Test("is refused by name where what is printed has another form", arguments: refusing)
    func refused(typed: String) throws {
        let words = typed.split(separator: " ")
        let end = words.firstIndex(of: "--") ?? words.endIndex
        let line = (["keyfob"] + words[..<end] + ["--json"] + words[end...]).joined(separator: " ")
        let outcome = try Workplace().run(line)
        #expect(outcome.status == 64 && outcome.text.isEmpty, "\(outcome)")
        #expect(outcome.errors.contains("--json has no meaning") || outcome.errors.contains("'--json'"), "\(outcome)")
    }

    @Test("prints a document that a test shows, for every other command")
    func everyCommand() throws {
        let folder = ProjectFolder.root.appending(path: "Tests/KeyfobCLITests")
        let lines = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".txt") || $0.hasSuffix(".swift") }
            .flatMap { try String(contentsOf: folder.appending(path: $0), encoding: .utf8).split(separator: "\n") }
            .filter { $0.contains(" --json") }
        for words in try CommandList.all() where words.isLeaf {
            let isRefused = Self.refusing.contains { "keyfob \($0) ".hasPrefix(words.line + " ") }
            let isAlike = Self.alike.contains { "keyfob \($0)" == words.line }
            #expect(
                isRefused || isAlike || lines.contains { $0.contains(words.line + " ") },
                "no document of '\(words.line)'")
        }
    }
}
