import Foundation
import KeyfobModel
import KeyfobSodium
import Testing

@testable import KeyfobOAuth

@Suite("What a client signs") struct AssertionTests {
    private static let failure = ProviderFailure(Refusal(status: 401, error: "invalid_client"))

    private static func client(issuer: String? = "https://as.example") throws -> OAuthClient {
        let provider = ProviderMetadata(
            issuer: issuer, endpoints: [.token: try EndpointURL("https://as.example/token?a=1")])
        let signer = AssertionSigner(sign: { _, _, _ in [1] }, now: { Timestamp(seconds: 1_000) })
        return OAuthClient(id: "c", key: secret("pem"), signing: ClientSigning(.p256, keyID: "k"))
            .adapted(to: provider, signer: signer)
    }

    private static func part(
        _ index: Int, of client: borrowing OAuthClient, to url: String = "https://as.example/token?a=1"
    ) throws -> [String: Any] {
        let request = TokenRequests.startDevice(scopes: [], client: client, at: try EndpointURL(url))
        let fields = body(request).split(separator: "&").map { $0.split(separator: "=").map(String.init) }
        #expect(fields.contains(["client_id", "c"]) && !fields.contains { $0[0] == "client_secret" })
        #expect(
            fields.contains([
                "client_assertion_type", "urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer",
            ]))
        let assertion = try #require(fields.first { $0[0] == "client_assertion" }?[1])
        let bytes = try #require(Base64.url.decode(String(assertion.split(separator: ".")[index]).utf8))
        return try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    @Test("is for the issuer, by its own name, once and for a minute")
    func claims() throws {
        let client = try Self.client()
        let (head, said) = (try Self.part(0, of: client), try Self.part(1, of: client))
        #expect(head["alg"] as? String == "ES256" && head["kid"] as? String == "k" && head.count == 3)
        #expect(said["aud"] as? String == "https://as.example" && said["iss"] as? String == "c")
        #expect(said["sub"] as? String == "c" && said["iat"] as? Int == 1_000 && said["exp"] as? Int == 1_060)
        let again = try Self.part(1, of: client)
        #expect((said["jti"] as? String)?.utf8.count == 22 && said["jti"] as? String != again["jti"] as? String)
    }

    @Test("is for the token endpoint where the provider wants that, at its own server alone")
    func audience() throws {
        guard let other = try Self.client().alternative(after: Self.failure, at: ProviderMetadata(issuer: nil)) else {
            Issue.record("there is no other audience")
            return
        }
        let method = other.method
        #expect(method == "private_key_jwt token_endpoint")
        for (url, expected) in [
            ("https://as.example/token?a=1", "https://as.example/token?a=1"),
            ("https://as.example/revoke", "https://as.example/token?a=1"),
            ("https://evil.example/token", "https://evil.example/token"),
        ] {
            let said = try Self.part(1, of: other, to: url)
            #expect(said["aud"] as? String == expected)
        }
        // What was remembered is asked for at once; of a client with a secret it says nothing.
        let known = try Self.part(1, of: try Self.client().proven(by: method))
        #expect(known["aud"] as? String == "https://as.example/token?a=1")
        let posted = OAuthClient(id: "c", secret: secret("s")).proven(by: method).method
        #expect(posted == "client_secret_post")
        let nameless = try Self.part(1, of: try Self.client(issuer: nil))
        #expect(nameless["aud"] as? String == "https://as.example/token?a=1")
    }

    @Test(
        "is by the provider's clock where that is another, and it is off by no more than a day",
        arguments: [(1_003, nil), (1_600, 1_600), (400, 400), (90_000, nil)] as [(Int64, Int?)])
    func clock(theirs: Int64, expected: Int?) throws {
        let client = try Self.client()
        var time: Int?
        if let later = client.following(Timestamp(seconds: theirs)) {
            time = try Self.part(1, of: later)["iat"] as? Int
            let isFollowed = later.following(Timestamp(seconds: theirs)) == nil
            #expect(isFollowed)
        }
        #expect(time == expected)
    }

    @Test("is by an algorithm that the provider takes, or by the one that was said")
    func algorithms() throws {
        for (accepted, own, expected) in [
            (nil, nil, "RS256"), (["PS256", "ES256"], nil, "PS256"), (["PS256"], "RS512", "RS512"),
            (["ES256"], nil, "RS256"),
        ] as [([String]?, String?, String)] {
            var provider = ProviderMetadata(issuer: "https://as.example")
            provider.clientAlgorithms = accepted
            let client = OAuthClient(id: "c", key: secret("pem"), signing: ClientSigning(.rsa, algorithm: own))
                .adapted(
                    to: provider, signer: AssertionSigner(sign: { _, _, _ in [1] }, now: { Timestamp(seconds: 1) }))
            let head = try Self.part(0, of: client)
            #expect(head["alg"] as? String == expected)
        }
        let endpoint = try EndpointURL("https://as.example/token")
        let unable = OAuthClient(id: "c", key: secret("pem"), signing: ClientSigning(.rsa))
        let lacks = unable.lacksSignature(for: endpoint)
        #expect(lacks)
    }
}
