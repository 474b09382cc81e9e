import KeyfobInterop
import KeyfobSodium
import KeyfobTestSupport
import Testing

@Suite("YAML")
struct YAMLTapeTests {
    @Test(
        "a text says what it says to every program",
        arguments: [
            // Plain.
            ("a", "a"), ("a b  c", "a b  c"), ("a:b", "a:b"), ("a#b", "a#b"), ("a #b", "a"), ("-a", "-a"), ("?a", "?a"),
            (":a", ":a"),
            ("a\n b\n\n  c", "a b\nc"), ("a\n # b", "a"), ("a\tb", "a\tb"), ("a \t", "a"), ("- a\n -b", "[a -b]"),
            ("'a' # b", "a"),
            // In quotation marks.
            (#""a\tb\x41\u00e9\U0001F600\N\L\/\"\\\0\e""#, "a\tbAé😀\u{85}\u{2028}/\"\\\0\u{1B}"),
            (#""\a\b\n\v\f\r\ \_\P""#, "\u{7}\u{8}\n\u{B}\u{C}\r \u{A0}\u{2029}"),
            ("'it''s'", "it's"), ("''", ""), ("\"a\n  b\n\n  c\"", "a b\nc"), ("\"a \\\n  b\\\n  \\ c\"", "a b c"),
            ("'a  \n  b '", "a b "),
            ("\"a\\\n\n b\"", "a\nb"), ("\"\n a\n\"", " a "), ("\" \t a\"", " \t a"), ("\"\\\t\"", "\t"),
            // Literal and folded.
            ("|\n a\n  b\n", "a\n b\n"), ("|-\n a\n", "a"), ("|+\n a\n\n", "a\n\n\n"), ("|\n\n a\n\n", "\na\n"),
            ("|2\n   a\n", " a\n"),
            ("|1-\n  a\n b", " a\nb"), (">\n a\n b\n\n c\n", "a b\nc\n"), (">\n a\n  b\n c\n", "a\n b\nc\n"),
            (">-\n\n a\n\n\n b", "\na\n\nb"), ("| # c\n a\n", "a\n"),
            ("|+\n\n", "\n\n"), ("|\n", ""), (">\n a\n \tb\n", "a\n\tb\n"), ("|-\n a \n", "a "),
        ])
    func scalar(written: String, text: String) {
        #expect(YAMLValue.reading(written + "\n") == text)
        #expect(YAMLValue.reading((written + "\n").replacing("\n", with: "\r\n")) == text)
        // Within others it is the same.
        let inside = written.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n  ")
        guard !written.hasPrefix("- "), !written.contains("2\n"), !written.contains("1-\n"), !written.hasPrefix("|+"),
            !written.hasSuffix("\n\"")
        else { return }
        #expect(YAMLValue.reading("k:\n  - \(inside)\nz: a\n") == "{k: [\(text)], z: a}")
    }

    @Test(
        "mappings and sequences nest in every style",
        arguments: [
            ("", "null"), ("# c\n", "null"), ("---\n", "null"), ("---\n...\n", "null"), ("a:\n", "{a: null}"),
            ("a: ~\n", "{a: ~}"), ("- a\n-\n- b: c\n  d:\n  - e\n", "[a, null, {b: c, d: [e]}]"),
            ("a:\n- b\nc:\n  - d\n", "{a: [b], c: [d]}"), ("a :\n  b : c\n", "{a: {b: c}}"),
            ("\"a\" : 'b'\n", "{a: b}"), ("a:   b   # c\n", "{a: b}"), ("- - a\n  - b\n- - c\n", "[[a, b], [c]]"),
            ("? a\n: b\n? c\n", "{a: b, c: null}"),
            ("{a: b, 'c' : [d, e], f, \"g\":h}\n", "{a: b, c: [d, e], f: null, g: h}"),
            ("[a, {b: c}, d: e, ? f : g, ]\n", "[a, {b: c}, {d: e}, {f: g}]"),
            ("[]", "[]"), ("{}", "{}"), ("{\"a\": [1, null]}", "{a: [1, null]}"),
            ("a: {\n  b: c, # d\n  e: [\n    f\n  ]\n  }\n", "{a: {b: c, e: [f]}}"),
            ("a: [b,\n  c d\n  e]\n", "{a: [b, c d e]}"),
            ("\u{FEFF}a: b\n", "{a: b}"), ("---\na: b\n...\n# c\n", "{a: b}"), ("--- a\n", "a"), ("--- |\n a\n", "a\n"),
            ("a: \"b:\n  c\"\n", "{a: b: c}"), ("a:\tb\n", "{a: b}"), ("-\ta\n", "[a]"),
            ("a:\n\t\n  b: c\n", "{a: {b: c}}"), ("a: http://b?c=d#e\n", "{a: http://b?c=d#e}"),
            ("[http://b?c=d#e]\n", "[http://b?c=d#e]"), ("a: b\rc: d\r", "{a: b, c: d}"),
            ("a: |\n  b\n  c\nd: e\n", "{a: b\nc\n, d: e}"),
            ("a:\n    b:\n        c: d\n    e: f\n", "{a: {b: {c: d}, e: f}}"),
            ("a:\n  - b: c\n    d: e\n  -   f: g\n      h: i\n", "{a: [{b: c, d: e}, {f: g, h: i}]}"),
        ])
    func structure(text: String, value: String) { #expect(YAMLValue.reading(text) == value) }

    @Test(
        "what is no YAML, or programs read differently, is refused with its line",
        arguments: [
            ("a: b: c\n", "colon in 1"), ("a: b\nc\n", "noColon in 2"), ("a:\n  b: c\n d: e\n", "indentation in 3"),
            ("a: - b\n", "item in 1"), ("\tb: c\n", "tab in 1"), ("a:\n\tb\n", "tab in 2"),
            ("- \ta: b\n", "colon in 1"), ("a: 'b\n", "quotes in 1"), ("a: 'b' c\n", "quotes in 1"),
            ("a: \"\\q\"\n", "escape in 1"), ("a: \"\\ud800\"\n", "escape in 1"), ("a: \"\\x4\"\n", "escape in 1"),
            ("a: |x\n  b\n", "block in 1"), ("a: |0\n  b\n", "block in 1"), ("a: |\n    \n  b\n", "indentation in 3"),
            ("[a\n", "brackets in 2"), ("[a b: c d]\n", "right"), ("{a: b c: d}\n", "brackets in 1"),
            ("[a, , b]\n", "brackets in 1"), ("a: [b]]\n", "reserved in 1"), ("a: ]\n", "reserved in 1"),
            ("a: [b\nc]\n", "indentation in 2"), ("a: \"b\nc\"\n", "indentation in 2"), ("\"a\"#b\n", "comment in 1"),
            ("[a]#b\n", "comment in 1"), ("[?a]\n", "unclear in 1"), ("[a:, b]\n", "unclear in 1"),
            ("[-, a]\n", "unclear in 1"), ("a: @b\n", "reserved in 1"), ("a: `b\n", "reserved in 1"),
            ("a: %b\n", "reserved in 1"),
            ("a: &b c\n", "anchor in 1"), ("a: *b\n", "anchor in 1"), ("a: !b c\n", "tag in 1"),
            ("%YAML 1.2\n--- a\n", "directive in 1"), ("<<: {a: b}\n", "merge in 1"), ("'<<': a\n", "right"),
            ("a: b\na: c\n", "repeatedName in 2"), ("{a: b, 'a': c}\n", "repeatedName in 1"),
            ("[a]: b\n", "badName in 1"), ("? - a\n: b\n", "badName in 1"), ("a\n---\nb\n", "severalDocuments in 2"),
            ("a: b\n...\nc: d\n", "severalDocuments in 3"), ("a: b\n... c\n", "severalDocuments in 2"),
            ("a: b", "unended in 1"), ("a: b\nc: 'd", "unended in 2"), ("a: b\u{1}\n", "character in 1"),
            ("a: \"\u{85}\"\n", "character in 1"),
            ("# \u{2028}\n", "character in 1"), ("a\u{7F}\n", "character in 1"), ("a: \u{FEFF}\n", "character in 1"),
            ("a\n b: c\n", "colon in 2"), (": a\n", "colon in 1"), ("[: a]\n", "brackets in 1"),
            (String(repeating: "[", count: 65) + String(repeating: "]", count: 65) + "\n", "tooDeep in 1"),
            (String(repeating: "a", count: 1_100) + ": b\n", "colon in 1"),
        ])
    func refused(text: String, problem: String) {
        let value = YAMLValue.reading(text)
        #expect(problem == "right" ? !value.hasPrefix("refused") : value == "refused \(problem)", "\(text)")
    }

    @Test("names and quotation marks tell no text of words that are none")
    func words() {
        func isText(_ word: String) -> Bool {
            Array(word.utf8).withBytes { YAMLWord.isText(0..<$0.byteCount, in: $0) }
        }
        for word in [
            "a", "17", "-4", "0", "1.2.3", "10.0.0.1", "0a0b", "12ab", "-", "--x", "+", "1e", "0x", "a1", "nope",
            "2026-11", "1:2:x", String(repeating: "0", count: 65),
        ] {
            #expect(isText(word), "\(word)")
        }
        for word in [
            "~", "null", "NULL", "True", "no", "Y", "=", ".inf", "-.INF", ".nan", "007", "1_000", "0x1F", "0o7", "0b1",
            "1.5", ".5", "1.", "1e3", "-1.0E+2", "1:30", "2026-11-26", "2026-11-26T10:00:00Z", "1234567890123456", "",
        ] {
            #expect(!isText(word), "\(word)")
        }
    }

    @Test("every beginning and every changed bit is read or refused")
    func damage() {
        let text = Array(
            "\u{FEFF}--- # c\na: \"b\\x41\\\n  c\"\n'd' :\n- [e, {f: 'g''h'}]\n- |+2\n    i\n\n? k\n: >-\n  l\n  m\n...\n"
                .utf8)
        #expect(YAMLValue.reading(text) == "{a: bAc, d: [[e, {f: g'h}],   i\n\n], k: l m}")
        for count in text.indices { _ = YAMLValue.reading(Array(text[..<count])) }
        for place in text.indices {
            for bit in 0..<8 {
                var changed = text
                changed[place] ^= 1 << bit
                guard String(validating: changed, as: UTF8.self) != nil else { continue }
                _ = YAMLValue.reading(changed)
            }
        }
    }

    @Test("limits are those that are given")
    func limits() {
        func flaw(_ text: String, nodes: Int, depth: Int) -> YAMLProblem.Flaw? {
            var limits = YAMLTape.Limits()
            (limits.nodes, limits.depth) = (nodes, depth)
            return Array(text.utf8).withBytes { bytes in
                do throws(YAMLProblem) {
                    _ = try YAMLTape(reading: bytes, limits: limits)
                    return nil
                } catch {
                    return error.flaw
                }
            }
        }
        #expect(flaw("a: [b]\n", nodes: 4, depth: 2) == nil)
        #expect(flaw("a: [b]\n", nodes: 3, depth: 2) == .tooLarge)
        #expect(flaw("a: [b]\n", nodes: 4, depth: 1) == .tooDeep)
    }

    @Test(
        "time grows with the text and no faster",
        arguments: [
            "k: v\n", "- [a, b]\n", "a b c d e f g h\n\n", "- 'a\n   b'\n", "#\n", "         \n",
            "- \"\\x41\\u0041\"\n", "- |\n  a\n\n  b\n", "- {a: b, c: d}\n", "- a:\n    b:\n      c: d\n",
        ])
    func linear(line: String) {
        func seconds(_ count: Int) -> Double {
            // Names differ, or they would be refused.
            let lines = (0..<count / line.utf8.count).map { line.hasPrefix("k") ? "k\($0)" + line.dropFirst() : line }
            let text = Array(lines.joined().utf8)
            let duration = ContinuousClock().measure { #expect(YAMLValue.reading(text).hasPrefix("refused") == false) }
            return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        }
        _ = seconds(2_000)
        // Four times as much would take sixteen times as long; other programs run beside this one.
        let (small, large) = (min(seconds(20_000), seconds(20_000)), min(seconds(80_000), seconds(80_000)))
        #expect(large < 10 * small + 0.2, "\(small) s and \(large) s")
    }
}
