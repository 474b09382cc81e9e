import KeyfobModel
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

/// `Tests/Vectors/Vault/v3/grant.json`, which another program than Keyfob wrote.
@Suite("Vectors of grants")
struct GrantVectorTests {
    private struct Grant: Codable, Sendable {
        let name: String
        let body: FormatVectors.Hex
        let expect: FormatVectors.Outcome
        /// The ids of the refused requests.
        let refusals: [String]
        var served: String?
        /// Whether writing it gives the same bytes.
        var isWrittenAgain: Bool?
    }

    @Test("are read as they say, and written as they were")
    func grants() throws {
        let vectors = try FormatVectors.read("grant", of: Grant.self)
        #expect(vectors.count >= 9)
        for vector in vectors {
            guard vector.expect == .opened else {
                #expect(throws: FieldList.Malformed.self, "\(vector.name)") {
                    try CredentialBody.decode(FieldList(encoded: vector.body.bytes[...]), kind: .refreshToken)
                }
                continue
            }
            let body = try FieldList(encoded: vector.body.bytes[...])
            let token = try CredentialBody.decode(body, kind: .refreshToken)
            let grant = try #require(token.grant)
            #expect(grant.refusals.map(\.id) == vector.refusals, "\(vector.name)")
            #expect(grant.served?.spaceSeparated == vector.served, "\(vector.name)")
            #expect(grant.version == GrantVersion(epoch: 2, generation: 5) && grant.intent?.id == "aa")
            if vector.isWrittenAgain == true {
                #expect(CredentialBody.encode(token).encoded() == vector.body.bytes, "\(vector.name)")
            }
        }
    }

    @Test("say of a refused request all that there is")
    func refusal() throws {
        let vectors = try FormatVectors.read("grant", of: Grant.self)
        let first = try #require(vectors.first)
        let token = try CredentialBody.decode(FieldList(encoded: first.body.bytes[...]), kind: .refreshToken)
        let answer = RefusalVerdict.Answer(
            status: 400, error: "invalid_grant", suberror: "consent_required", codes: [65_001],
            text: "AADSTS65001: told so", claims: #"{"access_token":{}}"#)
        let request = RefusedRequest(
            clientID: "client", tenant: "bbbbbbbb-0000-4000-8000-00000000fab0", scopes: ["Mail.Read", "files.read"],
            claims: #"{"id_token":{}}"#)
        let expected = RefusalVerdict(
            id: "0c0a66f8", reach: .request, remedy: .consent, request: request, answer: answer,
            time: Timestamp(seconds: 1_700_000_000))
        #expect(token.grant?.refusals == [expected])
    }

    @Test("cut off anywhere, or with any bit flipped, are read or refused, and crash nothing")
    func damaged() throws {
        for vector in try FormatVectors.read("grant", of: Grant.self).prefix(2) {
            let bytes = vector.body.bytes
            for count in bytes.indices {
                _ = try? CredentialBody.decode(FieldList(encoded: bytes.prefix(count)), kind: .refreshToken)
            }
            for index in bytes.indices {
                for bit in 0..<8 {
                    var flipped = bytes
                    flipped[index] ^= 1 << UInt8(bit)
                    _ = try? CredentialBody.decode(FieldList(encoded: flipped[...]), kind: .refreshToken)
                }
            }
        }
    }
}
