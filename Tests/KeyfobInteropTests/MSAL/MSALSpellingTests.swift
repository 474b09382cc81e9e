import KeyfobInterop
import KeyfobModel
import Testing

@Suite("Spellings of the SDKs")
struct MSALSpellingTests {
    @Test("the key's id is read in all its spellings", arguments: ["kid", "key_id", "keyid", "keyId"])
    func keyID(name: String) throws {
        let file = try CacheFile(.accessToken, [name: "\"K1\"", "token_type": "\"pop\""])
        #expect(file.cache.credentials.map(\.credential.keyID) == ["K1"])
        #expect(file.writtenText().contains(#""key_id":"K1""#))
    }

    @Test(
        "the extended expiry is read in both spellings",
        arguments: [
            (nil, "\"7\"", 7), ("\"8\"", nil, 8), ("\"8\"", "\"8\"", 8), ("null", "7", 7),
        ] as [(String?, String?, Int64)])
    func extendedExpiry(long: String?, short: String?, seconds: Int64) throws {
        let file = try CacheFile(.accessToken, ["extended_expires_on": long, "ext_expires_on": short])
        #expect(file.cache.credentials.map(\.credential.extendedExpiresOn?.seconds) == [seconds])
        #expect(file.cache.credentials[0].credential.additionalFields.isEmpty)
    }

    @Test("an access token with a scheme stays one", arguments: ["pop", "Pop", "ssh-cert", "Bearer"])
    func authScheme(tokenType: String) throws {
        let file = try CacheFile(
            .accessToken,
            [
                "credential_type": "\"AccessToken_With_AuthScheme\"", "token_type": "\"\(tokenType)\"",
            ])
        #expect(file.cache.credentials.map(\.credential.tokenType) == [tokenType])
        let again = try CacheFile(file.written())
        #expect(again.cache.credentials.map(\.credential) == file.cache.credentials.map(\.credential))
        #expect(file.writtenText().contains(#""credential_type":"AccessToken_With_AuthScheme""#))
        let key = "-accesstoken_with_authscheme-client-contoso-s1 s2-\(tokenType.lowercased())"
        #expect(file.writtenText().contains(key))
    }

    @Test("a token of Python with another scheme keeps the type that Python gave it")
    func pythonScheme() throws {
        let file = try CacheFile(.accessToken, ["token_type": "\"ssh-cert\"", "key_id": "\"1\""])
        #expect(file.writtenText().contains(#""credential_type":"AccessToken""#))
        #expect(file.writtenText().contains("uid.utid-login.example.com-accesstoken-client-contoso-s1 s2\""))
    }

    @Test("a token with a scheme that is not named is no bearer token")
    func schemeWithoutName() throws {
        let file = try CacheFile(.accessToken, ["credential_type": "\"AccessToken_With_AuthScheme\""])
        #expect(file.cache.skipped.map(\.reason) == [.missing(.tokenType)])
    }

    @Test("a family's refresh token of MSAL for Objective-C is a refresh token of that family")
    func familyRefreshToken() throws {
        let file = try CacheFile(.refreshToken, ["credential_type": "\"FamilyRefreshToken\"", "family_id": "\"1\""])
        #expect(file.cache.credentials.map(\.credential.familyID) == ["1"])
        // Python asserts that a refresh token says it is one.
        #expect(file.writtenText().contains(#""credential_type":"RefreshToken""#))
    }

    @Test(
        "fields that only some SDKs have are kept as they are",
        arguments: [
            "user_assertion_hash", "userAssertionHash", "requestedClaims", "enrollment_id", "alternative_account_id",
            "client_info", "wam_account_ids", "last_modification_time", "spe_info",
        ])
    func additionalFields(name: String) throws {
        for section in MSALSection.allCases {
            let file = try CacheFile(section, [name: #"{"a" : [1.0, "\u0041"]}"#])
            #expect(file.writtenText().contains(#""\#(name)":{"a" : [1.0, "\u0041"]}"#), "\(section)")
        }
    }

    @Test(
        "times are numbers or digits, with or without a fraction",
        arguments: [
            "1700000000", "\"1700000000\"", "1700000000.9", "\"1700000000.999\"", "1700000000.0",
        ])
    func times(json: String) throws {
        let file = try CacheFile(.accessToken, ["expires_on": json, "cached_at": json, "refresh_on": json])
        let credential = try #require(file.cache.credentials.first?.credential)
        #expect(credential.expiresOn?.seconds == 1_700_000_000)
        #expect(credential.cachedAt?.seconds == 1_700_000_000)
        #expect(credential.refreshOn?.seconds == 1_700_000_000)
        #expect(file.writtenText().contains(#""expires_on":"1700000000""#))
    }

    @Test(
        "what is no time makes an access token useless as its end, and is left out elsewhere",
        arguments: [
            "\"soon\"", "\"-1\"", "-1", "1e9", "1700000000000", "\"1700000000000\"", "999999999999999999999999", "true",
            "[]", "{}", "\"1.\"", "\".5\"", "\"1.2.3\"", "\" 1\"", "\"0x10\"", "\"2026-01-01\"", "\"\\u0031\"",
        ])
    func nonsenseTimes(json: String) throws {
        let end = try CacheFile(.accessToken, ["expires_on": json])
        #expect(end.cache.credentials.isEmpty)
        #expect(end.cache.skipped.map(\.reason) == [.noTime(.expiresOn)])
        let others = try CacheFile(.accessToken, ["cached_at": json, "refresh_on": json, "ext_expires_on": json])
        #expect(others.cache.credentials.map(\.credential.cachedAt) == [nil])
        #expect(
            others.cache.remarks.map(\.reason) == [
                .droppedTime(.cachedAt), .droppedTime(.refreshOn), .droppedTime(.extExpiresOn),
            ])
        #expect(try CacheFile(.refreshToken, ["expires_on": json]).cache.credentials.count == 1)
    }
}
