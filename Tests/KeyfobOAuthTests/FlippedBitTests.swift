import KeyfobModel
import KeyfobOAuth
import KeyfobSodium
import Testing

/// What holds for a document with any one bit flipped: it is refused, or what is read is still usable.
@Suite("Documents with a flipped bit") struct FlippedBitTests {
    static func flipped(_ text: String, _ bit: Int) -> SecretBytes {
        var bytes = Array(text.utf8)
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        return bytes.withBytes { SecretBytes(copying: $0) }
    }

    @Test("token answers have an access token or are refused", arguments: 0..<TokenResponseTests.full.utf8.count * 8)
    func tokens(bit: Int) {
        do {
            let answer = try TokenResponse(reading: Self.flipped(TokenResponseTests.full, bit))
            #expect(answer.accessToken.count > 0)
            #expect(["bearer", "pop", "dpop"].contains(answer.details.tokenType.lowercased()))
        } catch {}
    }

    @Test("discovery documents have safe endpoints or are refused", arguments: 0..<DiscoveryTests.full.utf8.count * 8)
    func discovery(bit: Int) {
        let document = Self.flipped(DiscoveryTests.full, bit)
        guard let metadata = try? ProviderMetadata(reading: document, issuer: "https://idp.example/o") else { return }
        #expect(metadata.issuer == "https://idp.example/o")
        #expect(
            metadata.endpoints.values.allSatisfy {
                $0.text.lowercased().hasPrefix("https://") && $0.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            })
    }

    @Test(
        "device answers can be shown and polled, or are refused",
        arguments: 0..<DeviceAuthorizationTests.full.utf8.count * 8)
    func device(bit: Int) {
        do {
            let answer = try DeviceAuthorization(reading: Self.flipped(DeviceAuthorizationTests.full, bit))
            #expect(answer.deviceCode.count > 0)
            #expect(answer.userCode.utf8.allSatisfy { (0x20...0x7E).contains($0) })
            #expect((1...300).contains(answer.interval) && answer.expiresIn > 0)
        } catch {}
    }

    @Test(
        "ID tokens are signed and about somebody, or are refused",
        arguments: 0..<IDTokenTests.compact(IDTokenTests.claims).utf8.count * 8)
    func idTokens(bit: Int) {
        let compact = IDTokenTests.compact(IDTokenTests.claims)
        guard let token = try? IDToken(reading: Self.flipped(compact, bit)) else { return }
        #expect(token.algorithm.lowercased() != "none" && !token.algorithm.isEmpty)
        #expect(!token.claims.subject.isEmpty && !token.claims.audience.isEmpty)
    }

    @Test("forms are refused or have each name once", arguments: 0..<46 * 8)
    func forms(bit: Int) {
        let text = "code=a%2Fb+c&state=xyz&iss=https%3A%2F%2Fi.exa"
        #expect(text.utf8.count == 46)
        let form = Self.flipped(text, bit)
        form.withBytes { bytes in
            guard let fields = try? FormFields(reading: bytes) else { return }
            let values = ["code", "state", "iss"].filter { fields.has($0) }
            #expect(values.count >= 2)
        }
    }
}
