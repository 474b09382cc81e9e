import KeyfobInterop
import KeyfobModel
import Testing

@Suite("Entities that say the same")
struct MSALDuplicateTests {
    /// What MSAL for Go 1.0 left behind beside the entities of 1.1: keys and fields with capitals.
    static func upgraded(_ section: MSALSection, oldFirst: Bool, wrong: KeyValuePairs<String, String?>) -> String {
        let old = #""UID.utid-Login.example.com-Contoso":\#(CacheFile.entity(section, wrong))"#
        let new = #""uid.utid-login.example.com-contoso":\#(CacheFile.entity(section))"#
        return #"{"\#(section.rawValue)":{\#(oldFirst ? old : new),\#(oldFirst ? new : old)}}"#
    }

    @Test("the entity under the key in small letters wins", arguments: [true, false])
    func smallKeys(oldFirst: Bool) throws {
        for section in [MSALSection.accessToken, .refreshToken, .idToken] {
            let file = try CacheFile(
                Self.upgraded(
                    section, oldFirst: oldFirst,
                    wrong: [
                        "secret": "\"wrong value\"", "client_id": "\"Client\"", "cached_at": "\"9000\"",
                    ]))
            #expect(file.secrets() == ["hidden"])
            #expect(
                file.cache.skipped.map(\.description) == [
                    "\(section.rawValue) entity \(oldFirst ? 1 : 2): it is superseded by entity "
                        + "\(oldFirst ? 2 : 1), which has the same fields"
                ])
        }
        let accounts = try CacheFile(
            Self.upgraded(
                .account, oldFirst: oldFirst,
                wrong: [
                    "realm": "\"Contoso\"", "username": "\"wrong value\"",
                ]))
        #expect(accounts.cache.accounts.map(\.username) == ["John Doe"])
        #expect(accounts.cache.accounts[0].tenantProfiles.count == 1)
        #expect(accounts.cache.skipped.count == 1)
        let metadata = try CacheFile(Self.upgraded(.appMetadata, oldFirst: oldFirst, wrong: ["family_id": "\"1\""]))
        #expect(metadata.cache.appMetadata.map(\.family) == [.none])
    }

    @Test("under keys alike the later token wins, whatever scopes a refresh token has", arguments: [true, false])
    func newest(newFirst: Bool) throws {
        let new = CacheFile.entity(
            .refreshToken,
            [
                "last_modification_time": "\"2000\"", "secret": "\"new\"", "target": "\"a\"",
            ])
        let old = CacheFile.entity(.refreshToken, ["last_modification_time": "1000.3", "target": "\"b\""])
        let file = try CacheFile(#"{"RefreshToken":{"1":\#(newFirst ? new : old),"2":\#(newFirst ? old : new)}}"#)
        #expect(file.secrets() == ["new"])
        #expect(file.cache.skipped.map(\.ordinal) == [newFirst ? 2 : 1])
    }

    @Test(
        "tokens that differ in what they are for all stay",
        arguments: [
            ("realm", "\"other\""), ("target", "\"s1\""), ("client_id", "\"other\""), ("home_account_id", "\"o.utid\""),
            ("token_type", "\"pop\""), ("kid", "\"K\""), ("user_assertion_hash", "\"h\""),
            ("requested_claims", "\"c\""),
            ("environment", "\"login.example.org\""),
        ])
    func different(field: String, json: String) throws {
        let other = CacheFile.entity(.accessToken, [field: json])
        let file = try CacheFile(#"{"AccessToken":{"1":\#(CacheFile.entity(.accessToken)),"2":\#(other)}}"#)
        #expect(file.cache.credentials.count == 2)
        #expect(file.cache.skipped.isEmpty)
        #expect(try CacheFile(file.written()).cache.credentials == file.cacheWrittenOrder())
    }

    @Test("a repeated key counts once, and is reported", arguments: [MSALSection.refreshToken, .account])
    func repeatedKeys(section: MSALSection) throws {
        let entity = CacheFile.entity(section)
        let file = try CacheFile(#"{"\#(section.rawValue)":{"k":{},"k":\#(entity)}}"#)
        #expect(file.cache.skipped == [MSALFinding(section: section.rawValue, ordinal: 1, reason: .repeatedKey)])
        #expect(file.cache.accounts.count == 1)
    }

    @Test("a repeated section counts once, and is reported")
    func repeatedSections() throws {
        let file = try CacheFile(
            #"{"Account":{},"x":1,"Account":{"k":\#(CacheFile.entity(.account))},"x":2}"#)
        #expect(
            file.cache.skipped.map(\.description) == [
                "Account section: its key comes again further down, and the last one counts",
                "unknown section: its key comes again further down, and the last one counts",
            ])
        #expect(file.cache.accounts.count == 1)
        #expect(file.cache.foreign.map(file.json) == ["2"])
    }

    @Test("of a repeated field the last one is used, and its name is told if it is harmless")
    func repeatedFields() throws {
        let fields = #""home_account_id":"u.t","environment":"e","realm":"old","realm":"new","x.y":1,"x.y":2"#
        let file = try CacheFile(#"{"Account":{"k":{\#(fields)}}}"#)
        #expect(file.cache.accounts[0].tenantProfiles.map(\.realm) == ["new"])
        #expect(file.cache.accounts[0].tenantProfiles[0].additionalFields.fields == [.init(name: "x.y", json: "2")])
        #expect(file.cache.remarks.map(\.reason) == [.repeatedField("realm"), .repeatedField(nil)])
        #expect(file.cache.skipped.isEmpty)
    }
}

extension CacheFile {
    /// The credentials as the written cache has them, where secrets are in other places.
    func cacheWrittenOrder() throws -> [MSALCache.StoredCredential] {
        let again = try CacheFile(written())
        #expect(again.cache.credentials.map(\.credential) == cache.credentials.map(\.credential))
        return again.cache.credentials
    }
}
