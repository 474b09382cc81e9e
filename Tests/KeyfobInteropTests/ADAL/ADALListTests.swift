import KeyfobInterop
import KeyfobModel
import Testing

@Suite("Token lists of ADAL for Python")
struct ADALListTests {
    /// 2018-03-01 12:34:56 UTC.
    static let time = Timestamp(seconds: 1_519_907_696)

    @Test("an entry is an account, an access token and a refresh token")
    func entry() throws {
        let file = try ADALFile(entries: [[:]])
        #expect(file.findings == [])
        let account = try #require(file.accounts.first)
        #expect(account.id == AccountID(homeAccountID: "oid.contoso", environment: "login.microsoftonline.com"))
        #expect(account.username == "Ada@contoso.example" && account.displayName == "Ada L")
        #expect(account.tenantProfiles.map(\.realm) == ["contoso"])
        #expect(account.tenantProfiles.map(\.localAccountID) == ["oid"])
        let token = try #require(file.accessTokens.first)
        #expect(token.account == account.id && token.clientID == "cli" && token.realm == "contoso")
        #expect(token.scopes.scopes == ["https://management.core.windows.net//.default"])
        #expect(token.expiresOn == Self.time && token.cachedAt == Self.time.advanced(by: -3_599))
        #expect(token.effectiveTokenType == "bearer")
        let refresh = try #require(file.refreshTokens.first)
        #expect(refresh.account == account.id && refresh.clientID == "cli" && refresh.realm.isEmpty)
        #expect(refresh.scopes.isEmpty && refresh.grant == Grant() && refresh.cachedAt == token.cachedAt)
        #expect(file.secrets(.accessToken) == ["access"] && file.secrets(.refreshToken) == ["refresh"])
    }

    @Test(
        "a resource gets /.default at its end, whatever its end is",
        arguments: ["https://graph.example", "a/", "urn:x"])
    func scope(resource: String) throws {
        let file = try ADALFile(entries: [["resource": "\"\(resource)\""]])
        #expect(file.accessTokens.first?.scopes.scopes == [resource + "/.default"])
    }

    @Test(
        "times are read by the clock on the wall where they name no zone",
        arguments: [
            ("2018-03-01 12:34:56", -3_600), ("2018-03-01 12:34:56.1", -3_600), ("2018-03-01T12:34:56Z", 0),
            ("2018-03-01T12:34:56.123Z", 0), ("2018-03-01T12:34:56+02:00", -7_200), ("2018-03-01T12:34:56-0130", 5_400),
        ])
    func times(text: String, difference: Int64) throws {
        let file = try ADALFile(entries: [["expiresOn": "\"\(text)\""]], offset: { _ in 3_600 })
        #expect(file.accessTokens.first?.expiresOn == Self.time.advanced(by: difference))
    }

    @Test(
        "where clocks were set, the earlier of two moments is taken",
        arguments: [
            // Central Europe 2018: the hour after 01:00 UTC of October 28 came twice, that of March 25 not at all.
            ("2018-10-28 02:30:00", 1_540_686_600), ("2018-10-28 03:30:00", 1_540_693_800),
            ("2018-10-28 01:30:00", 1_540_683_000), ("2018-03-25 02:30:00", 1_521_937_800),
            ("2018-03-25 03:30:00", 1_521_941_400),
        ] as [(String, Int64)])
    func clockChanges(text: String, seconds: Int64) throws {
        let file = try ADALFile(
            entries: [["expiresOn": "\"\(text)\""]],
            offset: { (1_521_939_600..<1_540_688_400).contains($0.seconds) ? 7_200 : 3_600 })
        #expect(file.accessTokens.first?.expiresOn == Timestamp(seconds: seconds))
    }

    @Test(
        "an access token whose expiry is no time is left out, the refresh token is not",
        arguments: [
            "null", "\"\"", "\"soon\"", "\"2018-13-01 00:00:00\"", "\"2018-01-01 24:00:00\"", "\"1969-01-01 00:00:00\"",
            "\"2018-01-01 00:00:00x\"", "\"2018-01-01 00:00:00.\"", "\"2018-01-01 00:00:00+1\"", "-1", "[]",
            "\"2018-0é-01 00:00:00\"",
        ])
    func badTimes(json: String) throws {
        let file = try ADALFile(entries: [["expiresOn": json]])
        #expect(file.findings == ["entry 1: its access token was left out, because its expiry is not a time"])
        #expect(file.accessTokens.isEmpty && file.secrets(.refreshToken) == ["refresh"])
    }

    @Test("seconds since 1970 are a time as well")
    func epoch() throws {
        let file = try ADALFile(entries: [["expiresOn": "5000", "createdOn": "\"1000\""]])
        #expect(file.accessTokens.first?.expiresOn == Timestamp(seconds: 5_000))
        #expect(file.accessTokens.first?.cachedAt == Timestamp(seconds: 1_000))
    }

    @Test(
        "an entry that makes no sense is told, and the others are taken",
        arguments: [
            (["userId": nil], "it has no user id"), (["userId": "\" \""], "it has no user id"),
            (["userId": "7"], "its user id is not text"), (["_clientId": "\"\""], "it has no client id"),
            (["_clientId": #""a\nb""#], "its client id is too long or holds characters that do not belong there"),
            (["_authority": nil], "it has no authority"),
            (["_authority": "\"ftp://x/y\""], "its authority is too long or holds characters that do not belong there"),
            (
                ["_authority": "\"https://a b/y\""],
                "its authority is too long or holds characters that do not belong there"
            ),
            (["resource": "\"a b\""], "its resource is too long or holds characters that do not belong there"),
            (["accessToken": "5"], "its access token is not text"),
            (["accessToken": nil, "refreshToken": "\"\""], "it has neither an access token nor a refresh token"),
            (["refreshToken": "\"<tombstone>\""], "it marks a token that was deleted"),
            (
                ["servicePrincipalId": "\"app\"", "userId": nil],
                "it holds an application's own credentials, which belong to no account"
            ),
            (["resource": nil, "refreshToken": nil], "its access token was left out, because it has no resource"),
        ] as [(KeyValuePairs<String, String?>, String)])
    func junk(fields: KeyValuePairs<String, String?>, reason: String) throws {
        let file = try ADALFile(entries: [["resource": "\"first\""], fields, ["resource": "\"third\""]])
        #expect(file.findings == ["entry 2: " + reason])
        #expect(file.accessTokens.count == 2)
    }

    @Test("elements that are no objects are told")
    func elements() throws {
        let file = try ADALFile("[1, \(ADALFile.entry()), null]")
        #expect(file.findings == ["entry 1: it is not an object", "entry 3: it is not an object"])
        #expect(file.accounts.count == 1)
    }

    @Test("one refresh token stays for each person and client: the latest, one for all resources first")
    func refreshTokens() throws {
        let file = try ADALFile(entries: [
            ["resource": "\"a\"", "refreshToken": "\"old\"", "expiresOn": "5000"],
            ["resource": "\"b\"", "refreshToken": "\"new\"", "expiresOn": "9000", "userId": "\"ada@CONTOSO.example\""],
            ["resource": "\"c\"", "refreshToken": "\"older\"", "expiresOn": "6000"],
            ["resource": "\"d\"", "refreshToken": "\"single\"", "expiresOn": "9900", "isMRRT": "false"],
            ["resource": "\"e\"", "refreshToken": "\"other\"", "_clientId": "\"else\""],
            [
                "resource": "\"f\"", "refreshToken": "\"windows\"", "expiresOn": "7000",
                "_authority": "\"https://login.windows.net/contoso\"",
            ],
        ])
        #expect(file.findings == [] && file.accounts.count == 1)
        #expect(file.secrets(.refreshToken) == ["new", "other"])
        #expect(file.accessTokens.count == 6)
    }

    @Test("of two access tokens for the same the later one stays, wherever it stands")
    func duplicates() throws {
        let file = try ADALFile(entries: [
            ["accessToken": "\"new\"", "expiresOn": "9000"], ["accessToken": "\"old\"", "expiresOn": "5000"],
            ["accessToken": "\"newest\"", "expiresOn": "9500"],
        ])
        #expect(file.secrets(.accessToken) == ["newest"])
        #expect(file.cache.findings.map(\.ordinal) == [1, 2])
        #expect(file.cache.findings.map(\.reason) == [.superseded(by: 3), .superseded(by: 1)])
    }

    @Test("the account is named by its home tenant where that is known, else by its user name")
    func identities() throws {
        func home(_ entries: [KeyValuePairs<String, String?>]) throws -> [String] {
            try ADALFile(entries: entries).accounts.map(\.id.homeAccountID)
        }
        let common = "\"https://login.microsoftonline.com/common\""
        let fabrikam = "\"https://login.microsoftonline.com/fabrikam\""
        let guest: KeyValuePairs<String, String?> = [
            "_authority": fabrikam, "oid": "\"guest\"", "identityProvider": "\"https://sts.windows.net/contoso/\"",
        ]
        #expect(try home([guest]) == ["ada@contoso.example"])
        #expect(try home([guest, [:]]) == ["oid.contoso"])
        #expect(try home([["_authority": fabrikam, "oid": "\"other\""], [:]]) == ["ada@contoso.example"])
        #expect(try home([["oid": nil]]) == ["ada@contoso.example"])
        #expect(try home([["_authority": common]]) == ["ada@contoso.example"])
        #expect(try home([["_authority": common, "tenantId": "\"contoso\""]]) == ["oid.contoso"])
        #expect(try home([["identityProvider": "\"live.com\""]]) == ["ada@contoso.example"])
        #expect(try home([[:], ["_authority": "\"https://login.microsoftonline.us/contoso\""]]).count == 2)
        let file = try ADALFile(entries: [guest, [:]])
        #expect(file.accounts.first?.tenantProfiles.map(\.realm) == ["contoso", "fabrikam"])
        #expect(file.accounts.first?.tenantProfiles.map(\.localAccountID) == ["oid", "guest"])
        #expect(Set(file.accessTokens.map(\.realm)) == ["contoso", "fabrikam"])
    }

    @Test("a list without any entry of ADAL is no cache", arguments: ["[]", "[1]", "[{}]", #"[{"a": 1}, "x"]"#])
    func notACache(text: String) {
        #expect(throws: ADALCacheError.json(.notACache(.notAnObject))) { try ADALFile(text) }
    }

    @Test("every truncation of a list is refused, and any bit changed gives an answer")
    func damage() {
        let whole = Array("[\(ADALFile.entry(["refreshToken": #""a\u0041b""#]))]".utf8)
        for count in 0..<whole.count {
            #expect(throws: ADALCacheError.self) { try ADALFile(Array(whole[..<count])) }
        }
        var answers = 0
        for index in whole.indices {
            for bit in 0..<8 {
                var changed = whole
                changed[index] ^= 1 << UInt8(bit)
                guard let file = try? ADALFile(changed) else { continue }
                answers += file.secrets(.refreshToken).count
            }
        }
        #expect(answers > 0)
    }

    @Test("size and entries are limited")
    func limits() {
        let text = Array("[\(ADALFile.entry()),\(ADALFile.entry())]".utf8)
        #expect(throws: ADALCacheError.tooManyEntries(limit: 1)) {
            try ADALFile(text, limits: ADALLimits(entries: 1))
        }
        #expect(throws: ADALCacheError.json(.tooLarge(limit: 10))) { try ADALFile(text, limits: ADALLimits(size: 10)) }
    }
}
