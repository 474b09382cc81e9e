import KeyfobInterop
import KeyfobTestSupport
import Testing

@Suite("Setup's servers in the files of programs that start MCP servers")
struct MCPSetupTests {
    private static let words = ["keyfob", "mcp", "https://mcp.notes.example/mcp", "--account", "ä \"b\""]

    private static func files(of list: String) -> [String] {
        [
            "", "{}", "{ }\n", "{\r\n}\r\n", "{\"\(list)\":{}}", "{\n  \"\(list)\": {}\n}\n",
            "{\n  \"\(list)\": {\n    \"x\": {\"command\": \"keyfob\", \"args\": [\"other\"]}\n  },\n  \"more\": [1]\n}",
            "{\n\t\"other\": {\"\(list)\": {}}\n}", "{\"a\":1}",
            "{\n    \"a\": 1,\n    \"\(list)\" : { \"x\" : {} }\n}",
        ]
    }

    private func expectRoundTrip(_ client: MCPSetup.Client, _ text: [UInt8]) throws {
        let new = MCPSetup(client, name: "notes", words: Self.words)
        let plan = try new.adding(to: text)
        let after = plan.edit.applied(to: text)
        #expect(try MCPSetup.entries(of: client, in: after).contains("notes"))
        #expect(try new.adding(to: after).edit.isEmpty)
        #expect(throws: SetupFlaw.taken("notes")) {
            try MCPSetup(client, name: "notes", words: ["keyfob", "mcp", "https://other.example"]).adding(to: after)
        }
        let second = MCPSetup(client, name: "second", words: Self.words)
        let both = try second.adding(to: after).edit.applied(to: after)
        #expect(
            try MCPSetup.removing(["notes", "second"], of: client, from: both, former: plan.former)
                .edit.applied(to: both) == (text.isEmpty ? MCPSetupTests.left(client) : text))
        let back = try MCPSetup.removing(["notes"], of: client, from: after, former: plan.former)
        let left = back.edit.applied(to: after)
        #expect(text.isEmpty ? MCPSetup.isBlank(left, of: client) : left == text)
    }

    private static func left(_ client: MCPSetup.Client) -> [UInt8] { Array((client == .codex ? "" : "{\n}\n").utf8) }

    @Test("come and go without a trace", arguments: MCPSetup.Client.allCases)
    func roundTrip(client: MCPSetup.Client) throws {
        let lists: [MCPSetup.Client: String] = [.vscode: "servers", .opencode: "mcp"]
        let files =
            client == .codex
            ? ["", "model = \"x\"", "model = \"x\"\r\n[mcp_servers.other]\r\ncommand = \"y\"\r\n", "[a]\n"]
            : Self.files(of: lists[client] ?? "mcpServers")
        for text in files { try expectRoundTrip(client, Array(text.utf8)) }
    }

    @Test("a file that is not in the program's form is left alone")
    func unknown() {
        let new = MCPSetup(.vscode, name: "notes", words: Self.words)
        for text in ["x", "[]", "// remark\n{}", #"{"servers":1}"#, #"{"a":1,"a":2}"#] {
            #expect(throws: SetupFlaw.self) { try new.adding(to: Array(text.utf8)) }
        }
        let codex = MCPSetup(.codex, name: "notes", words: Self.words)
        for text in [
            "[mcp_servers.notes]", "[ mcp_servers . \"notes\" ]", "mcp_servers = {}", "mcp_servers.notes = {}",
        ] {
            #expect(throws: SetupFlaw.self) { try codex.adding(to: Array(text.utf8)) }
        }
    }

    @Test("nobody else's server goes")
    func others() throws {
        let text = Array(
            #"{"servers":{"notes":{"command":"npx","args":["notes"]},"b":{"command":"/usr/bin/keyfob","args":["mcp","x"]}}}"#
                .utf8)
        let plan = try MCPSetup.removing(["notes", "b"], of: .vscode, from: text, former: .some)
        #expect(
            String(decoding: plan.edit.applied(to: text), as: UTF8.self)
                == #"{"servers":{"notes":{"command":"npx","args":["notes"]}}}"#)
    }
}
