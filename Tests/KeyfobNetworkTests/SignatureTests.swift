internal import Foundation
internal import KeyfobOAuth
internal import KeyfobSodium
internal import Testing

@testable internal import KeyfobNetwork

@Suite("Signature of an ID token")
struct SignatureTests {
    /// The flaw that the network finds.
    private func flaw(_ token: String, _ keys: [[String: Any]]) async throws -> IDTokenFlaw? {
        let set = try keySet(keys)
        return try await Network.system(NetworkConfiguration(userAgent: "test")).flaw(secret(token), set)
    }

    private func header(_ algorithm: String, _ keyID: String? = "one") -> String {
        #"{"alg":"\#(algorithm)""# + (keyID.map { #","kid":"\#($0)""# } ?? "") + "}"
    }

    private static let algorithms = SignatureAlgorithm.allCases.map(\.rawValue)

    @Test("One that openssl made is good", arguments: algorithms)
    func good(algorithm: String) async throws {
        let key = try SigningKey.key(for: algorithm)
        let token = try key.token(header(algorithm), algorithm: algorithm)
        #expect(try await flaw(token, [key.jwk()]) == nil)
        #expect(try await flaw(token, [key.jwk(["kid": "one", "alg": algorithm, "key_ops": ["verify"]])]) == nil)
    }

    @Test("With any byte of the token changed it is not", arguments: ["RS256", "PS384", "ES256", "ES512", "EdDSA"])
    func flipped(algorithm: String) throws {
        let key = try SigningKey.key(for: algorithm)
        let token = Array(try key.token(header(algorithm), algorithm: algorithm).utf8)
        let set = try keySet([key.jwk()])
        for index in token.indices {
            for bit: UInt8 in [0x01, 0x20] {
                var changed = token
                changed[index] ^= bit
                let flaw = SignatureCheck().flaw(of: secret(changed), keys: set)
                #expect(flaw != nil, "byte \(index), bit \(bit)")
            }
        }
    }

    @Test("With any end of the token cut off it is not")
    func truncated() throws {
        let key = try SigningKey.key(for: "ES256")
        let token = Array(try key.token(header("ES256"), algorithm: "ES256").utf8)
        let set = try keySet([key.jwk()])
        for count in 0..<token.count {
            let flaw = SignatureCheck().flaw(of: secret(token.prefix(count)), keys: set)
            #expect(flaw != nil, "\(count) bytes")
        }
    }

    @Test("By another key of the same kind it is bad", arguments: ["RS256", "PS256"])
    func otherKey(algorithm: String) async throws {
        let token = try SigningKey.otherRSA.get().token(header(algorithm), algorithm: algorithm)
        #expect(try await flaw(token, [SigningKey.rsa.get().jwk()]) == .badSignature)
    }

    @Test(
        "None, and one with a shared secret, is refused",
        arguments: ["none", "None", "HS256", "HS384", "HS512", "rs256"])
    func refused(algorithm: String) async throws {
        let key = try SigningKey.rsa.get()
        let signed =
            Base64.url.text(Array(header(algorithm).utf8)) + "." + Base64.url.text(Array(SigningKey.claims.utf8))
        // What an attacker can do: everybody has the public key.
        let pem = try key.publicPEM()
        let mac = Array(signed.utf8).withBytes { message in pem.withBytes { HMACSHA256.mac(message, key: $0) } }
        let keys = [key.jwk(), ["kty": "oct", "kid": "one", "k": Base64.url.text(pem)]]
        #expect(try await flaw(signed + "." + Base64.url.text(mac), keys) == .algorithmRefused)
        #expect(try await flaw(signed + ".", keys) == .algorithmRefused)
    }

    @Test("The header's algorithm must be one of the key's")
    func otherAlgorithm() async throws {
        let (rsa, p256) = (try SigningKey.rsa.get(), try SigningKey.p256.get())
        let token = try rsa.token(header("RS256"), algorithm: "RS256")
        #expect(try await flaw(token, [rsa.jwk(["kid": "one", "alg": "PS256"])]) == .unknownKey)
        #expect(try await flaw(token, [p256.jwk()]) == .unknownKey)
        #expect(try await flaw(try rsa.token(header("PS256"), algorithm: "RS256"), [rsa.jwk()]) == .badSignature)
        #expect(try await flaw(try p256.token(header("ES384"), algorithm: "ES256"), [p256.jwk()]) == .unknownKey)
    }

    @Test("A key that is not for signatures is not used")
    func otherUse() async throws {
        let key = try SigningKey.rsa.get()
        let token = try key.token(header("RS256"), algorithm: "RS256")
        #expect(try await flaw(token, [key.jwk(["kid": "one", "use": "enc"])]) == .unknownKey)
        #expect(try await flaw(token, [key.jwk(["kid": "one", "use": 7])]) == .unknownKey)
        #expect(try await flaw(token, [key.jwk(["kid": "one", "key_ops": ["encrypt"]])]) == .unknownKey)
        #expect(try await flaw(token, [key.jwk(["kid": 1])]) == .unknownKey)
    }

    @Test("An RSA key of fewer than 2048 bits is not used")
    func smallKey() async throws {
        let key = try SigningKey.smallRSA.get()
        let token = try key.token(header("RS256"), algorithm: "RS256")
        #expect(try await flaw(token, [key.jwk()]) == .unknownKey)
        let padded = Base64.url.text([0] + bytes(of: key.members["n"] ?? ""))
        #expect(try await flaw(token, [key.jwk(["kid": "one", "n": padded])]) == .unknownKey)
    }

    @Test("A modulus with a zero before it is the same key")
    func leadingZero() async throws {
        let key = try SigningKey.rsa.get()
        let token = try key.token(header("RS256"), algorithm: "RS256")
        let padded = Base64.url.text([0] + bytes(of: key.members["n"] ?? ""))
        #expect(try await flaw(token, [key.jwk(["kid": "one", "n": padded])]) == nil)
    }

    @Test("The key is chosen by its id")
    func keyID() async throws {
        let (one, two) = (try SigningKey.rsa.get(), try SigningKey.otherRSA.get())
        let token = try two.token(header("RS256", "two"), algorithm: "RS256")
        #expect(try await flaw(token, [one.jwk(["kid": "one"]), two.jwk(["kid": "two"])]) == nil)
        #expect(try await flaw(token, [one.jwk(["kid": "two"]), two.jwk(["kid": "one"])]) == .badSignature)
        #expect(try await flaw(token, [one.jwk(["kid": "one"]), two.jwk(["kid": "TWO"])]) == .unknownKey)
        #expect(try await flaw(token, [two.jwk([:])]) == .unknownKey)
        #expect(try await flaw(token, []) == .unknownKey)
        // The same id twice: either may be meant.
        #expect(try await flaw(token, [one.jwk(["kid": "two"]), two.jwk(["kid": "two"])]) == nil)
    }

    @Test("A token without an id is checked with the only key that fits")
    func noKeyID() async throws {
        let (rsa, p256) = (try SigningKey.rsa.get(), try SigningKey.p256.get())
        let token = try rsa.token(header("RS256", nil), algorithm: "RS256")
        #expect(try await flaw(token, [p256.jwk(), rsa.jwk(["kid": "any"])]) == nil)
        #expect(try await flaw(token, [rsa.jwk(["kid": "a", "use": "enc"]), rsa.jwk(["kid": "b"])]) == nil)
        #expect(
            try await flaw(token, [SigningKey.otherRSA.get().jwk(["kid": "a"]), rsa.jwk(["kid": "b"])]) == .unknownKey)
    }

    @Test("Keys that are unknown or damaged do not spoil the others")
    func strangeKeys() async throws {
        let key = try SigningKey.p256.get()
        let strange: [[String: Any]] = [
            ["kty": "oct", "kid": "one", "k": "AAAA"], ["kty": "XYZ", "kid": "one"], ["kid": "one"], [:],
            key.jwk(["kid": "one", "x": "AAAA"]), key.jwk(["kid": "one", "y": key.members["x"] ?? ""]),
            key.jwk(["kid": "one", "crv": "P-384"]), ["kty": "RSA", "kid": "one", "n": "!", "e": "AQAB"],
            ["kty": "RSA", "kid": "one", "n": 7, "e": [1]],
        ]
        let token = try key.token(header("ES256"), algorithm: "ES256")
        #expect(try await flaw(token, strange + [key.jwk()]) == nil)
        #expect(try await flaw(token, strange) == .unknownKey)
    }

    @Test("A document that is cut off has no keys")
    func truncatedKeys() throws {
        let key = try SigningKey.p256.get()
        let token = secret(try key.token(header("ES256"), algorithm: "ES256"))
        let document = Array(text(try keySet([key.jwk()])).utf8)
        for count in 0..<document.count {
            let flaw = SignatureCheck().flaw(of: token, keys: secret(document.prefix(count)))
            #expect(flaw == .unknownKey, "\(count) bytes")
        }
    }

    @Test("A document with a changed bit never makes a good token of a bad one")
    func flippedKeys() throws {
        let (key, other) = (try SigningKey.p256.get(), try SigningKey.p384.get())
        let good = try key.token(header("ES256"), algorithm: "ES256")
        let bad = secret(good.dropLast(2) + (good.hasSuffix("AA") ? "AQ" : "AA"))
        let document = Array(text(try keySet([key.jwk(), other.jwk(["kid": "two"])])).utf8)
        for index in document.indices {
            for bit in 0..<8 {
                var changed = document
                changed[index] ^= 1 << UInt8(bit)
                let flaw = SignatureCheck().flaw(of: bad, keys: secret(changed))
                #expect(flaw == .unknownKey || flaw == .badSignature, "byte \(index), bit \(bit)")
            }
        }
    }

    @Test("A large document is searched, and one over the limit is not read")
    func largeDocument() async throws {
        let key = try SigningKey.p256.get()
        let token = try key.token(header("ES256"), algorithm: "ES256")
        let filler = (0..<1_500).map { key.jwk(["kid": "k\($0)", "x5t": String(repeating: "x", count: 500)]) }
        #expect(text(try keySet(filler)).utf8.count > 900_000)
        #expect(try await flaw(token, filler + [key.jwk()]) == nil)
        let over = filler + [key.jwk(["kid": "big", "x5c": String(repeating: "x", count: 200_000)]), key.jwk()]
        #expect(try await flaw(token, over) == .unknownKey)
    }

    @Test(
        "What is no JWKS has no keys",
        arguments: ["", "{}", "[]", "null", #"{"keys":{}}"#, #"{"keys":[1,"a",null]}"#, "<html>"])
    func noDocument(document: String) throws {
        let token = secret(try SigningKey.p256.get().token(header("ES256"), algorithm: "ES256"))
        let flaw = SignatureCheck().flaw(of: token, keys: secret(document))
        #expect(flaw == .unknownKey)
    }

    private func bytes(of text: String) -> [UInt8] {
        Array(text.utf8).withBytes { Base64.url.decodeSecret($0)?.withBytes { [UInt8]($0) } ?? [] }
    }
}
