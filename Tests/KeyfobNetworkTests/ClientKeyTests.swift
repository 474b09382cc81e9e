internal import Foundation
internal import KeyfobOAuth
internal import KeyfobSodium
internal import Testing

@testable internal import KeyfobNetwork

/// Private keys of clients, which openssl made, and what is signed by them.
@Suite("Private keys of clients")
struct ClientKeyTests {
    private static let algorithms = ["RS256", "PS384", "ES256", "ES384", "ES512", "EdDSA"]

    /// What is wrong with a text as a private key; nil where it is one.
    private func flaw(_ text: [UInt8]) -> ClientKeyFlaw? {
        do throws(ClientKeyFlaw) {
            _ = try ClientKey(reading: secret(text))
            return nil
        } catch {
            return error
        }
    }

    @Test("A signature is the one of its text, as the same check of ID tokens finds", arguments: algorithms)
    func signatures(algorithm: String) throws {
        let key = try SigningKey.key(for: algorithm)
        let library = try #require(Libcrypto.installed)
        let head = Base64.url.text(Array(#"{"alg":"\#(algorithm)","kid":"one"}"#.utf8))
        let text = head + "." + Base64.url.text(Array(SigningKey.claims.utf8))
        // One that is kept is read again.
        let kept = try ClientKey(reading: secret(try key.privatePEM())).pem()
        let made = library.signature(of: Array(text.utf8), by: kept, algorithm)
        let signature = try #require(made)
        let token = text + "." + Base64.url.text(signature)
        let found = SignatureCheck().flaw(of: secret(token), keys: try keySet([key.jwk()]))
        #expect(found == nil)
        for other in ["HS256", "none", algorithm == "ES256" ? "RS256" : "ES256"] {
            let refused = library.signature(of: Array(text.utf8), by: kept, other) == nil
            #expect(refused)
        }
    }

    @Test(
        "With a byte changed, or its end missing, it is none, or signs what nobody takes",
        arguments: ["ES256", "EdDSA"])
    func damaged(algorithm: String) throws {
        let key = try SigningKey.key(for: algorithm)
        let pem = try key.privatePEM()
        for count in 0..<pem.count - 27 { #expect(flaw(Array(pem[..<count])) != nil, "\(count) bytes") }
        let library = try #require(Libcrypto.installed)
        for index in pem.indices {
            var changed = pem
            changed[index] ^= 0x01
            guard flaw(changed) == nil else { continue }
            // Nothing but an answer is wanted: OpenSSL decides.
            _ = library.signature(of: [1, 2, 3], by: secret(changed), algorithm)
        }
    }

    @Test("What is no key has its own words")
    func flaws() throws {
        let pem = try SigningKey.key(for: "ES256").privatePEM()
        #expect(flaw([]) == .noKey && flaw(Array("x".utf8)) == .noKey && flaw(Array("{}".utf8)) == .noKey)
        #expect(flaw(try SigningKey.key(for: "ES256").publicPEM()) == .noKey)
        #expect(flaw(pem + pem) == .severalKeys)
        #expect(flaw(try SigningKey.smallRSA.get().privatePEM()) == .weak)
        #expect(flaw([UInt8](repeating: 0x20, count: ClientKey.limit + 1)) == .tooLong)
        for (text, expected) in [
            (#"{"kty":"EC","crv":"P-256","d":"AA","x":"AA","y":"AA"}"#, ClientKeyFlaw.malformed),
            (#"{"kty":"EC","crv":"secp256k1","d":"AA","x":"AA","y":"AA"}"#, .unsupported),
            (#"{"kty":"oct","d":"AA"}"#, .unsupported), (#"{"kty":"OKP","crv":"X25519","d":"AA"}"#, .unsupported),
            (#"{"kty":"RSA","d":"AA","n":"AA","e":"AQAB"}"#, .malformed), ("{", .malformed),
        ] {
            #expect(flaw(Array(text.utf8)) == expected, "\(text)")
        }
    }

    @Test("A key that is made here is registered by its public half, and signs")
    func made() throws {
        let library = try #require(Libcrypto.installed)
        let key = try #require(library.newProofKey())
        let kept = try ClientKey(key).pem()
        let made = library.signature(of: [1], by: kept, "ES256")
        let signature = try #require(made)
        let point = (x: Array(key.point[..<32]), y: Array(key.point[32...]))
        let verdict = [UInt8(1)].withBytes {
            library.verdict(on: signature, of: $0, by: point, curve: "P-256", digest: "SHA256")
        }
        #expect(verdict == .good)
        let told = try #require(
            JSONSerialization.jsonObject(with: Data(key.registeredJSON.utf8)) as? [String: String])
        #expect(Set(told.keys) == ["kty", "crv", "x", "y", "kid", "alg", "use"])
    }
}
