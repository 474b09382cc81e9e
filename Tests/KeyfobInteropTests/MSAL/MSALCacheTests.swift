import KeyfobInterop
import KeyfobModel
import Testing

@Suite("MSAL cache")
struct MSALCacheTests {
    @Test("an access token is read with all its fields")
    func accessToken() throws {
        let file = try CacheFile(
            .accessToken,
            [
                "token_type": "\"Bearer\"", "extended_expires_on": "\"5600\"", "refresh_on": "\"2800\"",
                "last_modification_time": "\"1000.3\"", "requested_claims": "{\"a\": [1]}",
            ])
        let credential = try #require(file.cache.credentials.first?.credential)
        #expect(credential.kind == .accessToken)
        #expect(credential.account.description == "uid.utid@login.example.com")
        #expect(credential.clientID == "client")
        #expect(credential.realm == "contoso")
        #expect(credential.scopes.scopes == ["s1", "s2"])
        #expect(credential.tokenType == "Bearer")
        #expect(credential.cachedAt?.seconds == 1000)
        #expect(credential.expiresOn?.seconds == 4600)
        #expect(credential.extendedExpiresOn?.seconds == 5600)
        #expect(credential.refreshOn?.seconds == 2800)
        #expect(credential.grant == nil)
        #expect(
            credential.additionalFields.fields == [
                .init(name: "last_modification_time", json: "\"1000.3\""),
                .init(name: "requested_claims", json: "{\"a\": [1]}"),
            ])
        #expect(file.secret() == "hidden")
        #expect(file.cache.skipped.isEmpty)
    }

    @Test(
        "a refresh token has a grant, and a family only if one is named",
        arguments: [
            (nil, nil), ("null", nil), ("\"\"", nil), ("\"1\"", "1"),
        ] as [(String?, String?)])
    func refreshToken(json: String?, family: String?) throws {
        let file = try CacheFile(.refreshToken, ["family_id": json, "target": "\"s2 s1\"", "realm": "\"ignored\""])
        let credential = try #require(file.cache.credentials.first?.credential)
        #expect(credential.kind == .refreshToken)
        #expect(credential.familyID == family)
        #expect(credential.grant == Grant())
        #expect(credential.realm.isEmpty)
        #expect(credential.scopes.scopes == ["s2", "s1"])
        #expect(credential.additionalFields.fields == [.init(name: "realm", json: "\"ignored\"")])
    }

    @Test("an ID token is read")
    func idToken() throws {
        let file = try CacheFile(.idToken, ["client_info": "\"e30\""])
        let credential = try #require(file.cache.credentials.first?.credential)
        #expect(credential.kind == .idToken)
        #expect(credential.realm == "contoso")
        #expect(credential.additionalFields.fields.map(\.name) == ["client_info"])
    }

    @Test(
        "what is known of a client is unknown, no family, or a family",
        arguments: [
            (nil, .none), ("null", .none), ("\"\"", .none), ("\"1\"", .member("1")),
        ] as [(String?, AppMetadata.Family)])
    func appMetadata(json: String?, family: AppMetadata.Family) throws {
        #expect(try CacheFile(.appMetadata, ["family_id": json]).cache.appMetadata.map(\.family) == [family])
    }

    @Test("a person seen in several tenants is one account, named as at home")
    func tenantProfiles() throws {
        let guest = CacheFile.entity(.account, ["realm": "\"aaa\"", "username": "\"guest\"", "name": "\"G\""])
        let other = CacheFile.entity(.account, ["realm": "\"zzz\"", "environment": "\"LOGIN.example.com\""])
        let home = CacheFile.entity(
            .account, ["realm": "\"UTID\"", "username": "\"home\"", "name": "\"H\"", "tenantProfiles": "[\"{}\"]"])
        let file = try CacheFile(#"{"Account":{"1":\#(guest),"2":\#(other),"3":\#(home)}}"#)
        let account = try #require(file.cache.accounts.first)
        #expect(file.cache.accounts.count == 1)
        #expect(account.username == "home")
        #expect(account.displayName == "H")
        #expect(account.tenantProfiles.map(\.realm) == ["UTID", "aaa", "zzz"])
        #expect(account.tenantProfiles.map(\.username) == ["home", "guest", "John Doe"])
        #expect(account.tenantProfiles[0].localAccountID == "object1234")
        #expect(account.tenantProfiles[0].authorityType == "MSSTS")
        #expect(account.tenantProfiles[0].additionalFields.fields == [.init(name: "tenantProfiles", json: "[\"{}\"]")])
    }

    @Test("without a profile at home the first with a name gives the account's name")
    func guestOnly() throws {
        let unnamed = CacheFile.entity(.account, ["realm": "\"a\"", "username": "\"\""])
        let named = CacheFile.entity(.account, ["realm": "\"b\"", "username": "\"guest\""])
        let file = try CacheFile(#"{"Account":{"1":\#(unnamed),"2":\#(named)}}"#)
        #expect(file.cache.accounts.map(\.username) == ["guest"])
    }

    @Test("two accounts may have one user name")
    func sameUsername() throws {
        let one = CacheFile.entity(.account)
        let two = CacheFile.entity(.account, ["home_account_id": "\"uid2.utid2\""])
        let three = CacheFile.entity(.account, ["environment": "\"login.example.org\""])
        let file = try CacheFile(#"{"Account":{"1":\#(one),"2":\#(two),"3":\#(three)}}"#)
        #expect(file.cache.accounts.map(\.username) == ["John Doe", "John Doe", "John Doe"])
        #expect(Set(file.cache.accounts.map(\.id)).count == 3)
    }

    @Test("an account known from its tokens only is made up")
    func accountWithoutEntity() throws {
        let (access, refresh) = (CacheFile.entity(.accessToken), CacheFile.entity(.refreshToken))
        let file = try CacheFile(#"{"AccessToken":{"k":\#(access)},"RefreshToken":{"k":\#(refresh)}}"#)
        #expect(file.cache.accounts == [Account(id: file.cache.credentials[0].credential.account, username: "")])
        #expect(file.cache.accountsWithoutEntity == 1)
    }

    @Test("aliases of an environment are one account")
    func aliases() throws {
        let token = CacheFile.entity(.refreshToken, ["environment": "\"login.windows.net\""])
        let account = CacheFile.entity(.account, ["environment": "\"login.microsoftonline.com\""])
        let file = try CacheFile(#"{"RefreshToken":{"k":\#(token)},"Account":{"k":\#(account)}}"#)
        #expect(file.cache.accounts.count == 1)
        #expect(file.cache.accountsWithoutEntity == 0)
        #expect(file.cache.credentials[0].credential.account.environment == "login.windows.net")
    }

    @Test("an AD FS account is read")
    func adfs() throws {
        let account = CacheFile.entity(
            .account,
            [
                "home_account_id": "\"subject\"", "environment": "\"fs.msidlab8.com\"", "realm": "\"adfs\"",
                "local_account_id": "\"subject\"", "authority_type": "\"ADFS\"",
            ])
        let file = try CacheFile(#"{"Account":{"subject-fs.msidlab8.com-adfs":\#(account)}}"#)
        #expect(file.cache.accounts.map(\.id.description) == ["subject@fs.msidlab8.com"])
        #expect(file.cache.accounts[0].tenantProfiles[0].authorityType == "ADFS")
    }

    @Test("a home account id with hyphens and a policy is one id")
    func b2c() throws {
        let home = "ad020f8e-b1ba-44b2-bd69-c22be86737f5-b2c_1_signin.ba6c0d94-a8da-45b2-83ae-33871f9c2dd8"
        let file = try CacheFile(.account, ["home_account_id": "\"\(home)\""])
        #expect(file.cache.accounts[0].id.homeAccountID == home)
        #expect(file.cache.accounts[0].homeRealm == "ba6c0d94-a8da-45b2-83ae-33871f9c2dd8")
    }
}
