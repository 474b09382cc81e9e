import KeyfobInterop
import Testing

@Suite("Templates with references to tokens")
struct TokenTemplateTests {
    /// The text with `<account|scope>` in the place of references, or the refusal.
    private func filled(_ text: String) -> String {
        let bytes = Array(text.utf8)
        do {
            let template = try TokenTemplate(bytes)
            return template.pieces.map { piece in
                switch piece {
                case .text(let range): String(decoding: bytes[range], as: UTF8.self)
                case .token(let index):
                    "<\(template.references[index].reference.account ?? "-")|"
                        + "\(template.references[index].reference.scope ?? "-")>"
                }
            }.joined()
        } catch {
            return "\(error.line): \(error)"
        }
    }

    @Test(
        "a reference has an account and a scope, percent-encoded, and ends before what belongs to neither",
        arguments: [
            ("", ""), ("no reference: keyfob:/ada", "no reference: keyfob:/ada"),
            ("keyfob://ada/repo", "<ada|repo>"), ("keyfob:///repo", "<-|repo>"), ("keyfob://ada/", "<ada|->"),
            ("keyfob:///", "<-|->"), ("\"keyfob://ada@contoso.example/a%20b\",", "\"<ada@contoso.example|a b>\","),
            ("https://x:keyfob://ada/repo@git.example/", "https://x:<ada|repo>@git.example/"),
            ("keyfob://a/https%3A%2F%2Fg.example%2F.default;", "<a|https://g.example/.default>;"),
            ("keyfob://a/b keyfob://a/b", "<a|b> <a|b>"),
            ("keyfob://%C3%A9/b:c", "<é|b>:c"), ("KEYFOB://a/b", "KEYFOB://a/b"),
            ("\u{0}keyfob://a/b\u{0}", "\u{0}<a|b>\u{0}"),
        ])
    func references(text: String, expected: String) throws {
        #expect(filled(text) == expected)
    }

    @Test(
        "what looks like one and is none is refused, with its line",
        arguments: [
            ("keyfob://", 1), ("\n\nkeyfob://ada", 3), ("\nkeyfob://ada b/", 2), ("keyfob://a/https://g.example", 1),
            ("keyfob://a/b/c", 1), ("keyfob://a/bkeyfob://c/d", 1), ("keyfob://a%/b", 1), ("keyfob://a%4/b", 1),
            ("keyfob://%FF/b", 1),
            ("keyfob://a%0Ab/c", 1), ("keyfob://a/%00", 1), ("keyfob://%20/b", 1),
            ("keyfob://" + String(repeating: "a", count: 2_000) + "/b", 1),
        ])
    func refusals(text: String, line: Int) throws {
        let refusal = #expect(throws: TokenTemplate.Refusal.self) { _ = try TokenTemplate(Array(text.utf8)) }
        #expect(refusal?.line == line)
    }

    @Test("each reference is asked for once, and there are not too many")
    func limits() throws {
        let template = try TokenTemplate(Array("keyfob://a/b\nkeyfob://a/b keyfob://a/%62 keyfob://a/c".utf8))
        #expect(template.references.map(\.line) == [1, 2])
        func many(_ count: Int) -> [UInt8] { Array((0..<count).map { "keyfob://a/\($0)\n" }.joined().utf8) }
        #expect(try TokenTemplate(many(256)).references.count == 256)
        let refusal = #expect(throws: TokenTemplate.Refusal.self) { _ = try TokenTemplate(many(257)) }
        #expect(refusal?.line == 257)
    }

    @Test("all of the text is in the pieces, in its order, however it is cut")
    func whole() throws {
        let text = Array("a keyfob://ada@x.example/r%20s, b\nkeyfob:///\n".utf8)
        for end in 0...text.count {
            guard let template = try? TokenTemplate(Array(text[..<end])) else { continue }
            let texts = template.pieces.compactMap { if case .text(let range) = $0 { range } else { nil } }
            #expect(!texts.contains { $0.isEmpty })
            // What is no text is a reference, and each reference is one token.
            let references = zip([0] + texts.map(\.upperBound), texts.map(\.lowerBound) + [end])
                .filter { $0 != $1 }.map { text[$0..<$1] }
            #expect(references.allSatisfy { $0.starts(with: "keyfob://".utf8) })
            #expect(references.count == template.pieces.count - texts.count)
        }
    }
}
