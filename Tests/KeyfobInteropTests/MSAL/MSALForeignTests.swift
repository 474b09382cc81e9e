import KeyfobInterop
import KeyfobModel
import Testing

@Suite("What Keyfob does not know")
struct MSALForeignTests {
    @Test("unknown nodes and entities survive with every byte of their values")
    func survival() throws {
        let text = #"""
            {"customized":"what\u0065ver", "AccessToken":{"an-entry":{"foo" : "bar"},"empty":{}},
             "unknownEntity": {"Field1":[1.0e5, null]}, "AccountMetadata":{"k":{"athority_map":{}}},
             "RefreshToken":{"prt":{"credential_type":"PrimaryRefreshToken","secret":"s","session_key":"sk"}},
             "IdToken":{"v1":{"credential_type":"V1IdToken","secret":"s","home_account_id":""}},
             "Account":{"x":{"foo":1}},"AppMetadata":{"y":{"bar":2}}}
            """#
        let file = try CacheFile(text)
        #expect(file.cache.skipped.isEmpty)
        #expect(
            file.cache.foreign.map(\.key) == [
                "customized", "an-entry", "empty", "unknownEntity", "AccountMetadata", "prt", "v1", "x", "y",
            ])
        let again = try CacheFile(file.written())
        func values(_ file: CacheFile) -> Set<String> {
            Set(file.cache.foreign.map { "\($0.section?.rawValue ?? "") \($0.key) \(file.json(of: $0))" })
        }
        #expect(values(again) == values(file))
        #expect(values(file).contains(#" customized "what\u0065ver""#))
        #expect(values(file).contains(#"AccessToken an-entry {"foo" : "bar"}"#))
    }

    @Test(
        "a token for an extended key is kept, but answers no plain request",
        arguments: [
            ("\"hash\"", 0), ("\"\"", 1), ("null", 1),
        ])
    func extendedKey(json: String, count: Int) throws {
        let file = try CacheFile(.accessToken, ["ext_cache_key": json])
        #expect(file.cache.credentials.count == count)
        #expect(file.cache.foreign.count == 1 - count)
    }

    @Test("a foreign entity and an own one may want the same key")
    func sameKey() throws {
        let key = "uid.utid-login.example.com-refreshtoken-client--"
        let entity = CacheFile.entity(.refreshToken)
        let file = try CacheFile(#"{"RefreshToken":{"\#(key)":{"foo":1},"k":\#(entity)}}"#)
        let again = try CacheFile(file.written())
        #expect(again.cache.skipped.isEmpty)
        #expect(again.cache.credentials.count == 1)
        #expect(again.cache.foreign.map(\.key) == [key + "-2"])
    }
}
