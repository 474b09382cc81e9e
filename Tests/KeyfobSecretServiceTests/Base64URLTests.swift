import KeyfobSodium
import KeyfobTestSupport
import Testing

@Suite struct Base64URLTests {
    private func encoded(_ bytes: [UInt8]) -> String {
        text(of: bytes.withBytes { Base64URL.encode($0) })
    }

    private func decoded(_ text: [UInt8]) -> [UInt8]? {
        guard let secret = text.withBytes({ Base64URL.decode($0) }) else { return nil }
        return contents(of: secret)
    }

    // RFC 4648, section 10, without the padding.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ])
    func isTheStandardsOne(plain: String, expected: String) {
        #expect(encoded([UInt8](plain.utf8)) == expected)
        #expect(decoded([UInt8](expected.utf8)) == [UInt8](plain.utf8))
    }

    @Test func usesTheAlphabetForAddresses() {
        #expect(encoded([0xFB, 0xFF, 0xFE]) == "-__-")
    }

    @Test(arguments: 0..<200)
    func comesBack(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ count) }
        #expect(decoded([UInt8](encoded(bytes).utf8)) == bytes)
    }

    @Test(arguments: [
        "Z", "Zm9vY", "Zg==", "Zg=", "Zm9v\n", " Zm9v", "Zm 9v", "Zm+v", "Zm/v", "Zh", "Zm9", "Zm9vYg\0", "{TITLE}",
        "Zm9vé",
    ])
    func hasOneTextForEachBytes(text: String) {
        #expect(decoded([UInt8](text.utf8)) == nil)
    }

    /// A changed bit gives other bytes, or none; never the same.
    @Test(arguments: 0..<8)
    func noticesFlippedBits(bit: UInt8) {
        let bytes: [UInt8] = [1, 2, 3, 250]
        let text = [UInt8](encoded(bytes).utf8)
        for index in text.indices {
            var changed = text
            changed[index] ^= 1 << bit
            #expect(decoded(changed) != bytes)
        }
    }
}
