import KeyfobInterop
import KeyfobModel
import KeyfobSodium
import KeyfobTestSupport
import Testing

@Suite("A cache without its refresh tokens")
struct MSALTakingOverTests {
    private func rest(_ text: String) throws -> String {
        let left = try secret(text).withBytes { (bytes) throws(MSALCacheError) in
            try MSALCache.withoutRefreshTokens(bytes)
        }
        return KeyfobTestSupport.text(of: left)
    }

    private let owner = #""home_account_id": "a.b", "environment": "id.example", "client_id": "c""#

    private func token(_ type: String, _ secret: String) -> String {
        #"{"credential_type": "\#(type)", "secret": "\#(secret)", \#(owner)}"#
    }

    @Test("keeps everything else byte for byte")
    func kept() throws {
        let access = #""AccessToken" : {"x":  \#(token("AccessToken", "at"))}"#
        let text =
            #"{ \#(access), "RefreshToken": {"r": \#(token("RefreshToken", "one")) , "s": \#(token("RefreshToken", "two"))}, "Own": [1] }"#
        #expect(try rest(text) == #"{ \#(access),"RefreshToken": {},"Own": [1] }"#)
    }

    @Test("is still a cache, wherever in it the tokens were")
    func elsewhere() throws {
        let text =
            #"{"AccessToken": {"a": \#(token("RefreshToken", "one")), "b": \#(token("AccessToken", "at"))}, "RefreshToken": {"r": \#(token("RefreshToken", "t\\u0077o"))}}"#
        let left = try rest(text)
        #expect(!left.contains("one") && !left.contains("RefreshToken\",") && left.contains("\"at\""))
        let cache = try secret(left).withBytes { (bytes) throws(MSALCacheError) in try MSALCache(reading: bytes) }
        #expect(cache.credentials.map(\.credential.kind) == [.accessToken])
    }

    @Test("of one that has none is the same")
    func nothing() throws {
        let text = #"{"AccessToken": {"a": \#(token("AccessToken", "at"))}}"#
        #expect(try rest(text) == text)
    }
}
