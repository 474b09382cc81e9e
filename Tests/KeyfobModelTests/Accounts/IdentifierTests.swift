import KeyfobModel
import Testing

@Suite("Identifiers")
struct IdentifierTests {
    /// First and last of each range that hides or reorders text, or is obeyed.
    private static let hidden: [ClosedRange<UInt32>] = [
        0...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x61C...0x61C, 0x180E...0x180E, 0x200B...0x200F, 0x2028...0x202E,
        0x2060...0x2069, 0xFEFF...0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F,
    ]

    @Test("what hides or reorders text is refused wherever it stands", arguments: hidden)
    func refused(range: ClosedRange<UInt32>) {
        for value in range {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for text in ["\(scalar)", "\(scalar)ada", "a\(scalar)da", "ada\(scalar)"] {
                #expect(!Identifier.isAcceptable(text), "U+\(String(value, radix: 16))")
            }
        }
    }

    @Test("what stands next to it is accepted", arguments: hidden)
    func neighbours(range: ClosedRange<UInt32>) {
        for value in [range.lowerBound &- 1, range.upperBound + 1] {
            guard let scalar = Unicode.Scalar(value), !Self.hidden.contains(where: { $0.contains(value) }) else {
                continue
            }
            #expect(Identifier.isAcceptable("a\(scalar)da"), "U+\(String(value, radix: 16))")
        }
    }

    @Test("names in any script are accepted", arguments: ["ada", "José", "e\u{301}", "山田太郎", "محمد", "क्षि", "👍🏽", "🇩🇪"])
    func accepted(text: String) {
        #expect(Identifier.isAcceptable(text))
    }

    @Test("blank and long texts are refused", arguments: ["", " ", "   "])
    func blank(text: String) {
        #expect(!Identifier.isAcceptable(text))
        let most = String(repeating: "é", count: Identifier.maximumCount / 2)
        #expect(Identifier.isAcceptable(most) && !Identifier.isAcceptable(most + "x"))
    }
}
