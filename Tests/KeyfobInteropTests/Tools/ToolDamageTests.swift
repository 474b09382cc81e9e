import KeyfobInterop
import KeyfobModel
import KeyfobSodium
import Testing

@Suite("Damaged and foreign files of other tools")
struct ToolDamageTests {
    static let samples = [
        "github.com:\n    users:\n        ada:\n            oauth_token: \"\(ToolSample.github)\"\n    user: ada\n",
        "https://ada:\(ToolSample.gitlab)%5F@gitlab.com\nhttps://bob:pw@git.example\n",
        #"{"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r","account":"a\u00e4"}"#,
        "{\"auths\":{\"ghcr.io\":{\"auth\":\"\(Base64.standard.text(Array("ada:\(ToolSample.github)".utf8)))\"}}}",
        """
        kind: Config
        clusters:
        - cluster:
            server: https://k.example
          name: c
        contexts:
        - {name: odd}
        - context:
            cluster: c
            user: 'u'
        users:
        -
          name: u
          user:
            token: e30.eyJleHAiOjF9.x

        """,
        #"{"name":"w","issuer_url":"https://idp.example","client_id":"c","refresh_token":"rt"}"#,
        #"{"registration":"google","email":"a@x","access_token":"at","access_token_expiration":"","refresh_token":"rt"}"#,
    ]

    @Test("a file that was cut off gives no token that was not whole", arguments: samples)
    func truncations(text: String) throws {
        let whole = try ToolSample(text)
        #expect(whole.format != nil)
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count {
            guard let part = try? ToolSample(Array(bytes[..<count])) else { continue }
            #expect(part.tokens.allSatisfy(whole.tokens.contains), "\(count) bytes: \(part.tokens)")
        }
    }

    @Test("any byte changed gives an answer, never a trap", arguments: samples)
    func changedBytes(text: String) {
        let whole = Array(text.utf8)
        for index in whole.indices {
            for mask in [UInt8(1), 2, 4, 8, 16, 32, 64, 128] {
                var changed = whole
                changed[index] ^= mask
                guard let sample = try? ToolSample(changed) else { continue }
                _ = sample.tokens + sample.clients + sample.findings
            }
        }
    }

    @Test(
        "what is no YAML, or more than such files have, is refused with its line",
        arguments: [
            ("github.com:\n    oauth_token: a\n  user: ada\n", 3, "begins further in or out"),
            ("github.com:\n\toauth_token: a\n\tgit_protocol: x\n", 2, "a tab stands"),
            ("github.com:\n    oauth_token: a\u{0}b\n", 2, "control character"),
            ("github.com:\n    oauth_token: \"a\u{2028}b\"\n", 2, "U+2028"),
            ("github.com: &x\n    oauth_token: a\n", 1, "anchor"),
            ("github.com:\n    oauth_token: *x\n", 2, "alias"),
            ("github.com:\n    oauth_token: !!str a\n", 2, "tag"),
            ("%YAML 1.2\n---\ngithub.com:\n    oauth_token: a\n", 1, "directive"),
            ("github.com:\n    oauth_token: a\n    <<: {b: c}\n", 3, "merge key"),
            ("github.com:\n    oauth_token: {a: b,\n", 3, "in brackets does not end"),
            ("github.com:\n    oauth_token: a\n    ? [b]\n    : c\n", 3, "in place of a name"),
            ("github.com:\n    oauth_token: a\n    oauth_token: b\n", 3, "a second time"),
            ("github.com:\n    oauth_token: a\n    \"oauth\\x5ftoken\": b\n", 3, "a second time"),
            ("github.com:\n    oauth_token: \"a\n", 2, "quotation marks"),
            ("github.com:\n    oauth_token: 'a' b\n", 2, "quotation marks"),
            ("github.com:\n    oauth_token: \"a\\q\"\n", 2, "backslash"),
            ("github.com:\n    oauth_token: 'a'#b\n", 2, "put a blank before"),
            ("github.com:\n    oauth_token: a: b\n", 2, "a colon stands"),
            ("github.com:\n    oauth_token: @a\n", 2, "means something else"),
            ("github.com:\n    oauth_token: - a\n", 2, "a dash stands"),
            ("github.com:\n    oauth_token: |x\n      a\n", 2, "the sign | or >"),
            ("github.com: {oauth_token: a, b:, c: d}\n", 1, "programs read this differently"),
            ("github.com:\n    oauth_token: a\n    user\n", 3, "a name with a colon"),
            ("---\ngithub.com:\n    oauth_token: a\n---\n", 4, "second document"),
            ("github.com:\n    oauth_token: a\n... b\n", 3, "second document"),
            ("github.com:\n    oauth_token: a", 2, "does not end"),
        ])
    func notYAML(text: String, line: Int, words: String) {
        do {
            _ = try ToolSample(text)
            Issue.record("it was read")
        } catch {
            var what = ""
            if case .malformed(line, let flaw) = error { what = flaw }
            #expect(what.contains(words), "\(error)")
        }
    }

    @Test("levels are limited")
    func levels() {
        let deep = "a:\n git_protocol:\n" + (2..<80).map { String(repeating: " ", count: $0) + "a:\n" }.joined()
        #expect(throws: ToolFileError.self) { try ToolSample(deep) }
        let items = "a:\n git_protocol:\n  " + String(repeating: "- ", count: 10_000) + "x\n"
        #expect(throws: ToolFileError.self) { try ToolSample(items) }
        let brackets = "a:\n git_protocol: " + String(repeating: "[", count: 100_000) + "\n"
        #expect(throws: ToolFileError.self) { try ToolSample(brackets) }
    }

    @Test("values and names are limited")
    func values() throws {
        func file(_ count: Int) -> String {
            "github.com:\n    git_protocol: a\nx: [" + String(repeating: "a,", count: count) + "]\n"
        }
        // Six others.
        #expect(try ToolSample(file(1 << 18 - 7)).format == .gh)
        #expect(throws: ToolFileError.malformed(line: 3, YAMLProblem.Flaw.tooLarge.rawValue)) {
            try ToolSample(file(1 << 18 - 6))
        }
    }

    @Test("what is encrypted, or a database, is told as that")
    func encrypted() {
        #expect(throws: ToolFileError.encrypted(.gnuPG)) { try ToolSample("-----BEGIN PGP MESSAGE-----\n\nhQ==\n") }
        #expect(throws: ToolFileError.database) { try ToolSample("SQLite format 3\u{0}\u{10}\u{0}") }
    }

    @Test(
        "what GnuPG encrypts is known by its first packet",
        arguments: [
            // For a passphrase, an elliptic key and an RSA key, as GnuPG 2.2 writes them; then by RFC 9580.
            [0x8C, 0x0D, 0x04, 0x09, 0x03, 0x03], [0x84, 0x5E, 0x03] + Array(repeating: 0xAA, count: 8) + [0x12],
            [0x85, 0x01, 0x0C, 0x03] + Array(repeating: 0xAA, count: 8) + [0x01],
            [0xC1, 0x5E, 0x03] + Array(repeating: 0xAA, count: 8) + [0x12], [0xC3, 0x0D, 0x04, 0x09, 0x03, 0x03],
            [0xC1, 0xC1, 0x10, 0x03] + Array(repeating: 0xAA, count: 8) + [0x01], [0xC3, 0x1E, 0x06, 0x1A, 0x09],
        ] as [[UInt8]])
    func packets(beginning: [UInt8]) throws {
        let rest = [UInt8](repeating: 0xBB, count: 20)
        #expect(throws: ToolFileError.encrypted(.gnuPG)) { try ToolSample(beginning + rest) }
        for position in beginning.indices {
            _ = try? ToolSample(Array(beginning[..<position]))
        }
    }

    @Test("other bytes that begin with such a tag are nobody's", arguments: [0x84, 0x85, 0x8C, 0xC1, 0xC3] as [UInt8])
    func noPackets(tag: UInt8) throws {
        let bytes: [UInt8] = [tag, 0x78, 0xD5, 0x3C, 0xB0, 0x4B, 0x0A, 0xC7, 0x1F, 0x52, 0x59, 0xE2, 0x25, 0x1B, 0x68]
        #expect(try ToolSample(bytes + bytes).format == nil)
    }

    @Test(
        "what is nobody's, a cache of MSAL among it, is left to others",
        arguments: [
            "", "\n\n", "no cache", "[1, 2]", "{}", #"{"AccessToken":{},"type":"x","client_id":"y"}"#, "{\"auths\":",
            "\u{FEFF}{}", "key: value\n", "https://github.com\n", "{\"subscriptions\":[]}",
        ])
    func nobodys(text: String) throws {
        #expect(try ToolSample(text).format == nil)
    }

    @Test("what is no UTF-8, and what is larger than any such file, is left to others")
    func large() throws {
        #expect(try ToolSample(Array("github.com:\n oauth_token: ".utf8) + [0xFF, 0x0A]).format == nil)
        let large = "github.com:\n oauth_token: a\n#" + String(repeating: "x", count: 4 << 20) + "\n"
        #expect(try ToolSample(large).format == nil)
    }
}
