import Foundation
import KeyfobInterop
import KeyfobModel
import KeyfobTestSupport
import Testing

@Suite("Setup's lines in git's configuration")
struct GitSetupTests {
    private static let block = """
        # keyfob setup: begin
        [credential]
        \thelper = !git-credential-keyfob
        \tuseHttpPath = true
        # keyfob setup: end

        """

    private func added(_ text: [UInt8], _ helper: ToolCall.Way = .named) throws -> [UInt8] {
        try GitSetup(helper).adding(to: text).edit.applied(to: text)
    }

    private func removed(_ text: [UInt8]) throws -> [UInt8] {
        try GitSetup.removing(from: text).edit.applied(to: text)
    }

    /// Files as people have them, and as nobody should.
    static let files: [String: [UInt8]] = [
        "nothing": [], "a line's end": [10], "blank lines": Array("\n\n \t\n".utf8),
        "one section": Array("[user]\n\tname = Ada\n".utf8),
        "no end of the last line": Array("[user]\n\tname = Ada".utf8),
        "CRLF": Array("[user]\r\n\tname = Ada\r\n[credential]\r\n\thelper = store\r\n".utf8),
        "CRLF, and no end": Array("[user]\r\n\tname = Ada\r\n[credential]\r\n\thelper =".utf8),
        "byte order mark": [0xEF, 0xBB, 0xBF] + Array("[user]\n\tname = Ada\n".utf8),
        "byte order mark alone": [0xEF, 0xBB, 0xBF],
        "not UTF-8": Array("[user]\n\tname = ".utf8) + [0xE9, 0xFF, 0xFE] + Array("\n".utf8),
        "NUL": Array("[user]\n\tname = ".utf8) + [0] + Array("\n[credential]\n\thelper =\n".utf8),
        "another helper": Array("[credential]\n\thelper = store # mine\n".utf8),
        "helpers taken back": Array("[credential]\n\thelper = a\n\thelper =\n\thelper = b\n[user]\n".utf8),
        "taken back at the end": Array("[credential]\n\thelper = a\n\thelper =".utf8),
        "taken back in the header's line": Array("[credential] helper =\n\thelper = b".utf8),
        "as gh writes it": Array(
            "[credential \"https://github.com\"]\n\thelper = \n\thelper = !/usr/bin/gh auth git-credential\n".utf8),
        "old header": Array("[credential.x.example]\nhelper=\n[Credential]\nHELPER=\"\"\n".utf8),
        "remarks and continued values": Array(
            "; a\n# b\n[alias]\n\tx = \"!f() { \\\n\techo; }; f\" ; c\n\ty = a\\\r\nb\n".utf8),
        "includes": Array("[include]\n\tpath = other\n[includeIf \"gitdir:~/w/\"]\n\tpath = w\n".utf8),
        "huge": Array(String(repeating: "[user]\n\tname = Ada Lovelace\n", count: 5_000).utf8),
    ]

    @Test("they come and go without a trace", arguments: files.keys.sorted())
    func roundTrip(name: String) throws {
        let text = try #require(Self.files[name])
        for helper in [ToolCall.Way.named, .at("/o p/'t\"\\/git-credential-keyfob"), .word(of: "/opt/x/keyfob")] {
            let after = try added(text, helper)
            #expect(after.count > text.count && GitSetup.isThere(in: after) && GitSetup.hasLines(in: after))
            #expect(try removed(after) == text)
            // Once is enough.
            #expect(try GitSetup(helper).adding(to: after).edit.isEmpty)
        }
        #expect(try GitSetup.removing(from: text).edit.isEmpty && !GitSetup.isThere(in: text))
    }

    @Test(
        "lines for single addresses come to the end and go without a trace, wherever they stand by then",
        arguments: files.keys.sorted())
    func alone(name: String) throws {
        let text = try #require(Self.files[name])
        let (one, two) = ("https://a.example", "https://b.example:8443")
        for helper in [ToolCall.Way.named, .at("/o p/'t\"\\/git-credential-keyfob"), .word(of: "/opt/x/keyfob")] {
            let setup = GitSetup(helper)
            let first = try setup.adding(to: text, alone: [one]).edit.applied(to: text)
            #expect(try removed(first) == text)
            // Another address, and lines that have come behind it.
            let second = try setup.adding(to: first, alone: [two]).edit.applied(to: first)
            #expect(try removed(second) == text)
            let ends = String(decoding: second, as: UTF8.self).replacing("\r\n", with: "\n")
            #expect(ends.components(separatedBy: "keyfob setup: begin alone").count == 2)
            #expect(
                ends.contains("[credential \"\(one)\"]\n\thelper =\n") && ends.contains("[credential \"\(two)\"]\n"))
            let gh = Array("\n[credential \"\(one)\"]\n\thelper =\n\thelper = !gh auth git-credential\n".utf8)
            let third = try setup.adding(to: second + gh, alone: [one]).edit.applied(to: second + gh)
            let all = String(decoding: third, as: UTF8.self)
            let (of, own) = (all.range(of: "!gh auth"), all.range(of: "begin alone"))
            #expect(try #require(of).lowerBound < (try #require(own)).lowerBound)
            #expect(try removed(third) == removed(second + gh))
        }
    }

    @Test("lines for single addresses move behind what takes helpers back, where the others are gone")
    func moved() throws {
        let (setup, address) = (GitSetup(.named), "https://a.example")
        let first = try setup.adding(to: [], alone: [address]).edit.applied(to: [])
        let alone = String(decoding: first, as: UTF8.self).replacing(Self.block, with: "")
        #expect(alone.hasPrefix("# keyfob setup: begin alone\n[credential \"https://a.example\"]\n\thelper =\n"))
        for rest in ["[credential]\n\thelper =\n", "[credential]\n\thelper = store\n\thelper =", ""] {
            let text = Array((alone + rest).utf8)
            let after = try setup.adding(to: text, alone: [address]).edit.applied(to: text)
            #expect(try removed(after) == Array(rest.utf8))
            #expect(
                String(decoding: after, as: UTF8.self).hasSuffix(
                    "\thelper = !git-credential-keyfob\n# keyfob setup: end" + (rest.hasSuffix("=") ? "" : "\n")))
        }
        // Where it is among setup's own lines, nobody can say what comes after what.
        let end = "# keyfob setup: end"
        let within = Array(alone.replacing(end, with: "[credential]\n\thelper =\n\(end)").utf8)
        #expect(throws: SetupFlaw.self) { _ = try setup.adding(to: within, alone: [address]) }
    }

    @Test("what comes between them meanwhile stays, and so does its section")
    func between() throws {
        let text = Array("[user]\n\tname = Ada\n".utf8)
        let after = String(decoding: try added(text), as: UTF8.self)
        #expect(after == Self.block + "[user]\n\tname = Ada\n")
        let more = after.replacing("true\n", with: "true\n\tusername = ada\n") + "[core]\n\tpager = less\n"
        let left = String(decoding: try removed(Array(more.utf8)), as: UTF8.self)
        #expect(left == "[credential]\n\tusername = ada\n[user]\n\tname = Ada\n[core]\n\tpager = less\n")
        let other = after.replacing("helper = !git-credential-keyfob", with: "helper = store")
        #expect(
            String(decoding: try removed(Array(other.utf8)), as: UTF8.self).hasPrefix(
                "[credential]\n\thelper = store\n[user]"))
        // Twice, as where two files were put together.
        #expect(try removed(Array((after + after).utf8)) == text + text)
        // As an editor leaves it that takes the last line's end away.
        #expect(try removed(Array(Self.block.dropLast().utf8)) == [])
    }

    @Test("a remark without the other is no place to take anything from")
    func half() {
        for text in [
            Self.block.replacing("# keyfob setup: end\n", with: ""),
            Self.block.replacing("# keyfob setup: begin\n", with: ""),
            "# keyfob setup: begin\n" + Self.block,
        ] {
            #expect(throws: SetupFlaw.self) { _ = try removed(Array(text.utf8)) }
            #expect(throws: SetupFlaw.self) { _ = try added(Array(text.utf8)) }
        }
    }

    @Test(
        "what is no configuration of git's is left alone",
        arguments: [
            "name = x\n", "{\"a\": 1}", "<html>", "\u{1}", "[broken\n", "[user]\n\tname = \"a\n", "[a \"b]\n",
            "[user]\n\tname = a\n<<<<<<< HEAD\n", "[user]\n\tname = a\n[credential",
        ])
    func noConfiguration(text: String) {
        #expect(throws: SetupFlaw.self) { _ = try added(Array(text.utf8)) }
    }

    @Test("who names Keyfob by hand is told, and what else decides too")
    func remarks() throws {
        for value in ["keyfob", "/usr/bin/git-credential-keyfob", "!'/a b/keyfob' helper git", "!keyfob helper git"] {
            let plan = try GitSetup(.named).adding(to: Array("[a]\n[credential]\n\thelper = \"\(value)\"\n".utf8))
            #expect(plan.edit.isEmpty && plan.remarks.contains { $0.hasPrefix("line 3 names Keyfob") }, "\(value)")
        }
        let plan = try GitSetup(.named).adding(to: try #require(Self.files["as gh writes it"]))
        #expect(
            !plan.edit.isEmpty
                && plan.remarks.contains { $0.contains("https://github.com git asks only") && $0.contains("line 2 ") })
        let store = try GitSetup(.named).adding(
            to: Array("[credential]\n\thelper = store\n\tuseHttpPath = false\n".utf8))
        #expect(
            store.remarks.count == 2 && store.remarks[0].contains("(line 2)") && store.remarks[1].hasPrefix("line 3 "))
    }

    @Test("a preview shows what comes and goes, and nothing else")
    func preview() throws {
        let text = Array("[http]\n\textraHeader = secret\n[credential]\n\thelper =\n\thelper = store\n".utf8)
        let lines = try GitSetup(.named).adding(to: text).edit.preview(of: text)
        #expect(lines.map(\.text) == Self.block.split(separator: "\n").map(String.init))
        #expect(lines.allSatisfy { $0.isAdded && $0.number == 5 })
        let after = try added(text)
        let gone = try GitSetup.removing(from: after).edit.preview(of: after)
        #expect(gone.map(\.number) == [5, 6, 7, 8, 9] && gone.allSatisfy { !$0.isAdded })
    }
}
