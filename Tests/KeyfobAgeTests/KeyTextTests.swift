import KeyfobAge
import KeyfobAgeHybrid
import KeyfobSodium
import Testing

@Suite("The text of identities and recipients")
struct KeyTextTests {
    private func identity(_ text: String) throws -> AgeIdentity {
        try [UInt8](text.utf8).withBytes { bytes throws(AgeError) in try AgeIdentity(parsing: bytes) }
    }

    @Test("is that of the specification's example")
    func specification() throws {
        let example = try identity(CraftedFile.identityText)
        let secret = example.withSecret { [UInt8]($0) }
        let text = example.text().withBytes { [UInt8]($0) }
        #expect(secret == [UInt8](repeating: 0x42, count: 32))
        #expect(String(decoding: text, as: UTF8.self) == CraftedFile.identityText)
        #expect(example.recipient.text == CraftedFile.recipientText)
        #expect(AgeRecipient(parsing: CraftedFile.recipientText) == example.recipient)
    }

    @Test("comes back for every key")
    func roundTrip() throws {
        for _ in 0..<50 {
            let original = AgeIdentity.generate()
            let text = original.text().withBytes { String(decoding: [UInt8]($0), as: UTF8.self) }
            let copy = try identity(text)
            #expect(copy.recipient == original.recipient)
            #expect(AgeRecipient(parsing: original.recipient.text) == original.recipient)
        }
    }

    @Test("of a recipient is refused in any other form")
    func recipients() {
        let text = CraftedFile.recipientText
        let others = [
            "", "age1", text.uppercased(), "A" + text.dropFirst(), text.dropLast() + "J", " " + text, text + " ",
            text + "\n", String(text.dropLast()), text + "q", "agf" + text.dropFirst(3),
            // The checksum of BIP 350.
            String(text.dropLast(6)) + "qqqqqq", CraftedFile.identityText,
        ]
        for other in others { #expect(AgeRecipient(parsing: other) == nil, "\(other)") }
        for index in text.indices.dropFirst(4) {
            var altered = text
            altered.replaceSubrange(index...index, with: text[index] == "q" ? "p" : "q")
            #expect(AgeRecipient(parsing: altered) == nil)
        }
    }

    @Test("of an identity is refused in any other form")
    func identities() {
        let text = CraftedFile.identityText
        let others = [
            "", text.lowercased(), "a" + text.dropFirst(), text.dropLast() + "x", " " + text, text + "\n",
            String(text.dropLast()), text + "Q", CraftedFile.recipientText, "AGE-SECRET-KEY-PQ-1" + text.dropFirst(16),
        ]
        for other in others {
            #expect(throws: AgeError.malformedIdentity(line: 1), "\(other)") { _ = try identity(other).recipient }
        }
        for index in text.indices.dropFirst(16) {
            var altered = text
            altered.replaceSubrange(index...index, with: text[index] == "Q" ? "P" : "Q")
            #expect(throws: AgeError.malformedIdentity(line: 1)) { _ = try identity(altered).recipient }
        }
    }

    @Test("is never made of a key that is too short, too long or of small order")
    func lengths() {
        #expect(AgeRecipient(publicKey: [UInt8](repeating: 9, count: 31)) == nil)
        #expect(AgeRecipient(publicKey: [UInt8](repeating: 9, count: 33)) == nil)
        #expect(AgeRecipient(publicKey: [UInt8](repeating: 0, count: 32)) == nil)
        let isRefused = AgeIdentity(secret: .random(count: 31)) == nil
        #expect(isRefused)
    }
}
