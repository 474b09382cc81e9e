import KeyfobSodium
import KeyfobTestSupport
import Testing

@Suite("Base64") struct Base64Tests {
    static let variants: [Base64] = [.standard, .unpadded, .url]

    private func secretText(_ bytes: [UInt8], _ base64: Base64) -> String {
        text(of: bytes.withBytes { base64.encodeSecret($0) })
    }

    /// The bytes, by the way of secrets and by that of all else, which must agree.
    private func decoded(_ text: String, _ base64: Base64) -> [UInt8]? {
        let bytes = Array(text.utf8)
        let plain = base64.decode(bytes)
        guard let secret = bytes.withBytes({ base64.decodeSecret($0) }) else {
            #expect(plain == nil)
            return nil
        }
        #expect(contents(of: secret) == plain)
        return plain
    }

    // RFC 4648, section 10.
    @Test(
        "is the standard's one",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func vectors(plain: String, padded: String) {
        let bare = padded.filter { $0 != "=" }
        for base64 in Self.variants {
            let expected = base64 == .standard ? padded : bare
            #expect(base64.text(plain.utf8) == expected)
            #expect(secretText(Array(plain.utf8), base64) == expected)
            #expect(decoded(expected, base64) == Array(plain.utf8))
        }
        #expect(Base64.decodeAny(padded.utf8) == Array(plain.utf8))
        #expect(Base64.decodeAny(bare.utf8) == Array(plain.utf8))
    }

    @Test("knows both alphabets")
    func alphabets() {
        #expect(Base64.url.text([0xFB, 0xFF, 0xFE]) == "-__-")
        #expect(Base64.standard.text([0xFB, 0xFF, 0xFE]) == "+//+")
        #expect(Base64.decodeAny("-_/+".utf8) == [0xFB, 0xFF, 0xFE])
    }

    @Test("every length comes back", arguments: 0..<200)
    func comesBack(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ count) }
        for base64 in Self.variants {
            #expect(secretText(bytes, base64) == base64.text(bytes))
            #expect(decoded(base64.text(bytes), base64) == bytes)
        }
    }

    @Test("a secret's text can stand within another one")
    func surrounded() {
        let secret = Array("foob".utf8).withBytes {
            Base64.standard.encodeSecret($0, from: Array("Basic ".utf8), to: Array(".".utf8))
        }
        #expect(text(of: secret) == "Basic Zm9vYg==.")
    }

    @Test(
        "no bytes have two texts",
        arguments: [
            "Z", "Zm9vY", "Zg=", "Zg===", "Zm9v\n", " Zm9v", "Zm 9v", "Zh", "Zh==", "Zm9", "Zm9=", "Zm9vYg\0",
            "{TITLE}",
            "Zm9vé", "=", "==", "====", "Zm9v=", "Zm9v====", "=A==",
        ])
    func refused(text: String) {
        for base64 in Self.variants { #expect(decoded(text, base64) == nil) }
    }

    @Test(
        "another variant's text is refused",
        arguments: [
            ("Zg==", [Base64.standard]), ("Zg", [.unpadded, .url]), ("Zm+v", [.standard, .unpadded]), ("Zm-v", [.url]),
            ("Zm/v", [.standard, .unpadded]), ("Zm_v", [.url]),
        ])
    func otherVariants(text: String, taking: [Base64]) {
        for base64 in Self.variants { #expect((decoded(text, base64) != nil) == taking.contains(base64)) }
    }

    @Test("no byte above ASCII is a letter", arguments: variants)
    func aboveASCII(base64: Base64) {
        let text = base64.encode(Array("foobar".utf8))
        for index in text.indices {
            for byte in UInt8(0x80)...0xFF {
                var changed = text
                changed[index] = byte
                #expect(base64.decode(changed) == nil && changed.withBytes { base64.decodeSecret($0) == nil })
            }
        }
    }

    @Test("a changed bit gives other bytes, or none", arguments: 0..<8, variants)
    func noticesFlippedBits(bit: UInt8, base64: Base64) {
        let bytes: [UInt8] = [1, 2, 3, 250]
        let text = base64.encode(bytes)
        for index in text.indices {
            var changed = text
            changed[index] ^= 1 << bit
            #expect(base64.decode(changed) != bytes)
        }
    }
}
