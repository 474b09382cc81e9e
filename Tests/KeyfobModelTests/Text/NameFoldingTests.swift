import Foundation
import KeyfobModel
import Testing

@Suite("Names beyond ASCII")
struct NameFoldingTests {
    private static let root =
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// What `Support/names.py` says: texts, and what they are folded to.
    private static func python(seed: Int, count: Int) throws -> (
        version: String, pairs: [(text: String, folded: String)]
    ) {
        let process = Process()
        process.executableURL = URL(
            filePath: ProcessInfo.processInfo.environment["KEYFOB_PYTHON"]
                ?? root.appending(path: ".venv/bin/python3").path)
        process.arguments = [
            root.appending(path: "Tests/KeyfobModelTests/Support/names.py").path, "\(seed)", "\(count)",
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        var lines = output.split(separator: UInt8(ascii: "\n"))
        let version = String(decoding: lines.removeFirst(), as: UTF8.self)
        return (
            version,
            lines.map { line in
                let halves = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
                return (text(halves[0]), text(halves[1]))
            }
        )
    }

    private static func text(_ words: Data.SubSequence) -> String {
        var scalars = String.UnicodeScalarView()
        for word in words.split(separator: UInt8(ascii: " ")) {
            guard let value = UInt32(String(decoding: word, as: UTF8.self), radix: 16),
                let scalar = Unicode.Scalar(value)
            else { continue }
            scalars.append(scalar)
        }
        return String(scalars)
    }

    private static func words(_ text: String) -> String {
        text.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ")
    }

    @Test("every scalar that Python knows, and 5,000 texts, fold to what Python's tables say")
    func tables() throws {
        let (version, pairs) = try Self.python(seed: 1, count: 5_000)
        #expect(pairs.count > 30_000, "Unicode \(version)")
        // By bytes: Swift takes canonical equivalents for the same.
        let wrong = pairs.filter { !Identifier.foldedName($0.text).utf8.elementsEqual($0.folded.utf8) }
        for (text, folded) in wrong.prefix(5) {
            Issue.record(
                "\(Self.words(text)): \(Self.words(Identifier.foldedName(text))), and not \(Self.words(folded))")
        }
        #expect(wrong.isEmpty)
    }

    @Test(
        "a name in capitals, in small letters, composed or not is one name",
        arguments: [
            ("Ąda", "ąda"), ("A\u{328}DA", "ąda"), ("ÉVA@CONTOSO.EXAMPLE", "e\u{301}va@contoso.example"),
            ("ΣΊΣΥΦΟΣ", "σίσυφος"), ("ЖЕНЯ", "женя"), ("ẞ", "ß"), ("\u{212B}sa", "åsa"), ("\u{1F88}", "\u{1F80}"),
            ("J\u{30C}", "\u{1F0}"), ("ﬁ", "ﬁ"), ("\u{1112}\u{1161}\u{11AB}", "한"), ("Ada", "ADA"),
        ])
    func same(left: String, right: String) {
        #expect(Identifier.foldedName(left).utf8.elementsEqual(Identifier.foldedName(right).utf8))
    }

    @Test(
        "what only looks alike, or is longer in capitals, is another name",
        arguments: [("ß", "ss"), ("ı", "i"), ("İ", "i"), ("ﬁ", "fi"), ("а", "a"), ("é", "e"), ("Å", "A")])
    func different(left: String, right: String) {
        #expect(Identifier.foldedName(left) != Identifier.foldedName(right))
    }

    @Test("folding twice is folding once", arguments: ["Ǆ", "ΐ", "\u{3B9}\u{308}\u{301}", "Ꭰ", "ꭰ", "İ", "\u{1E9E}"])
    func stable(text: String) {
        let once = Identifier.foldedName(text)
        #expect(Identifier.foldedName(once).utf8.elementsEqual(once.utf8))
    }

    @Test("ids, addresses and accounts compare so")
    func uses() throws {
        let (left, right) = ("Ąda@contoso.example", "A\u{328}DA@CONTOSO.example")
        #expect(
            AccountID(homeAccountID: left, environment: "github.com")
                == AccountID(homeAccountID: right, environment: "GitHub.com"))
        #expect(MailAddress(left) == MailAddress(right))
        let id = try #require(AccountID(homeAccountID: left, environment: "github.com"))
        #expect(Account(id: id, username: right).isKnownByName)
    }
}
