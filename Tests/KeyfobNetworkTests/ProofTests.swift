internal import Foundation
internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium
internal import KeyfobTestSupport
internal import Testing

@testable internal import KeyfobNetwork

@Suite("Proofs of keys")
struct ProofTests {
    @Test("A signature is the one of its text by its key, and of no other")
    func signatures() throws {
        let library = try #require(Libcrypto.installed)
        // Each has another length in DER.
        for round in 0..<64 {
            let key = try #require(library.newProofKey())
            let text = Array("text \(round)".utf8)
            let signature = try #require(library.signature(of: text, by: key))
            let point = (x: Array(key.point[..<32]), y: Array(key.point[32...]))
            let good = text.withBytes {
                library.verdict(on: signature, of: $0, by: point, curve: "P-256", digest: "SHA256")
            }
            #expect(good == .good)
            let bad = (text + [0]).withBytes {
                library.verdict(on: signature, of: $0, by: point, curve: "P-256", digest: "SHA256")
            }
            #expect(bad == .bad)
        }
        let (one, other) = (try #require(library.newProofKey()), try #require(library.newProofKey()))
        #expect(one.thumbprint != other.thumbprint && one.thumbprint.utf8.count == 43)
    }

    @Test("Numbers of a signature are as long as they have to be, and what is no signature has none")
    func numbers() throws {
        for (r, s) in [(1, 2), (0x80, 0x7F), (0xFF, 1)] as [(UInt8, UInt8)] {
            let joined = [UInt8](repeating: 0, count: 31) + [r] + [UInt8](repeating: 0, count: 31) + [s]
            let der = try #require(ECDSASignature.der(joined, count: 32))
            #expect(ECDSASignature.joined(der, count: 32) == joined)
            for length in 0..<der.count { #expect(ECDSASignature.joined(Array(der[..<length]), count: 32) == nil) }
            #expect(ECDSASignature.joined(der + [0], count: 32) == nil)
        }
        #expect(ECDSASignature.joined([0x30, 4, 2, 0, 2, 0], count: 32) == nil)
    }

    @Test("A token and its key come out of a secret as they went in, and no other secret has a key")
    func boundTokens() throws {
        let key = try #require(Libcrypto.installed?.newProofKey())
        for text in ["t", "a b", "x\nES256.y"] {
            let token = Array(text.utf8).withBytes { SecretBytes(copying: $0) }
            let secret = BoundToken.joined(token, key)
            var isWhole = false
            if let bound = BoundToken(reading: secret) {
                isWhole = bound.token.isEqual(to: token) && bound.key.thumbprint == key.thumbprint
            }
            #expect(isWhole)
            // No header can have both by mistake.
            let isForHeaders = secret.isHeaderValue
            #expect(!isForHeaders)
            for count in [0, secret.count - 1, secret.count - 128] {
                let isBound = Self.isBound(secret.extracting(0..<count))
                #expect(!isBound)
            }
        }
        let isBound = Self.isBound(Array("token".utf8).withBytes { SecretBytes(copying: $0) })
        #expect(!isBound)
    }

    private static func isBound(_ secret: borrowing SecretBytes) -> Bool {
        guard let bound = BoundToken(reading: secret) else { return false }
        return bound.key.point.count == 64
    }

    @Test("A proof says what it is of, without the query, and how the key is digested (RFC 7638)")
    func claims() throws {
        let made = ProofKey(point: [UInt8](repeating: 7, count: 64), secret: SecretBytes(count: 32) { _ in })
        let key = try #require(made)
        let url = try EndpointURL("https://API.example:8443?q=secret")
        let text = Proof(of: "GET", url, tokenHash: "h").signed(
            by: key, id: "i", nonce: "n", now: Timestamp(seconds: 5))
        let parts = try text.split(separator: ".").map { part in
            let bytes = try #require(Base64.url.decode(String(part).utf8))
            return try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        }
        #expect(parts[0]["typ"] as? String == "dpop+jwt" && parts[0]["alg"] as? String == "ES256")
        let jwk = try #require(parts[0]["jwk"] as? [String: String])
        #expect(Set(jwk.keys) == ["kty", "crv", "x", "y"])
        #expect(parts[1]["htu"] as? String == "https://api.example:8443/" && parts[1]["htm"] as? String == "GET")
        #expect(
            parts[1]["iat"] as? Int == 5 && parts[1]["ath"] as? String == "h" && parts[1]["nonce"] as? String == "n")
    }
}
