import KeyfobInterop
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

    @Test("keeps the text of everything else")
    func kept() throws {
        let access = #""AccessToken" : {"x":  \#(token("AccessToken", "at"))}"#
        let text =
            #"{ \#(access), "RefreshToken": {"r": \#(token("RefreshToken", "one"))}, "Own": [1] }"#
        #expect(try rest(text) == #"{\#(access),"RefreshToken": {},"Own": [1] }"#)
    }

    @Test("is still a cache, however the token was written")
    func escaped() throws {
        let text = #"{"RefreshToken": {"r": \#(token("RefreshToken", "t\\u0077o"))}, "Other": {"x": 1}}"#
        #expect(try rest(text) == #"{"RefreshToken": {},"Other": {"x": 1}}"#)
    }

    @Test("of one that has none is the same")
    func nothing() throws {
        let text = #"{"AccessToken": {"a": \#(token("AccessToken", "at"))}}"#
        #expect(try rest(text) == text)
    }
}
