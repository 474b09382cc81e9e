import KeyfobInterop
import KeyfobModel
import KeyfobSodium
import Testing

@Suite("Secrets of a cache")
struct MSALSecretTests {
    @Test(
        "a secret is what its escapes stand for",
        arguments: [
            ("plain", "plain"), (#"\u0041\u00e9\u20AC"#, "Aé€"), (#"\ud83d\udd11"#, "🔑"),
            (#"a\/b\\c\"d\te"#, "a/b\\c\"d\te"),
            ("é🔑", "é🔑"), (#"\u0000"#, "\u{0}"),
        ])
    func escapes(json: String, secret: String) throws {
        let file = try CacheFile(.refreshToken, ["secret": "\"\(json)\""])
        #expect(file.secret() == secret)
        #expect(file.cache.credentials[0].secret.hasEscapes == json.contains("\\"))
        #expect(try CacheFile(file.written()).secret() == secret)
    }

    @Test("secrets of any length go through", arguments: [1, 255, 256, 4_096, 65_535, 65_536, 65_537, 1 << 20])
    func lengths(count: Int) throws {
        let secret = String(repeating: "s", count: count - 1) + "e"
        let file = try CacheFile(.refreshToken, ["secret": "\"\(secret)\""])
        #expect(file.secret() == secret)
        #expect(try CacheFile(file.written()).secret() == secret)
    }

    @Test("lone halves of surrogate pairs are refused")
    func loneSurrogates() {
        #expect(throws: MSALCacheError.self) { try CacheFile(.refreshToken, ["secret": #""\ud83d""#]) }
    }

    @Test("a secret that is no text is not written")
    func notText() throws {
        let credential = try CacheFile(.refreshToken).cache.credentials[0].credential
        let bytes: [UInt8] = [0xFF, 0xFE]
        var writer = MSALCacheWriter()
        writer.begin(.refreshToken)
        var count = 0
        let outcome = writer.append(credential, secret: SecretBytes(copying: RawSpan(_elements: bytes.span))) { _ in
            count += 1
        }
        #expect(outcome == .secretIsNotText)
        #expect(count == 0)
    }
}
