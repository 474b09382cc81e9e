import KeyfobInterop
import KeyfobModel
import KeyfobSodium
import Testing

@Suite("MSAL cache writer")
struct MSALCacheWriterTests {
    @Test(
        "keys are those that MSAL for Python derives",
        arguments: [
            (.accessToken, [:], "uid.utid-login.example.com-accesstoken-client-contoso-s1 s2"),
            (
                .accessToken,
                [
                    "home_account_id": "\"UID.utid\"", "environment": "\"LOGIN.example.com\"",
                    "client_id": "\"CLIENT\"",
                    "realm": "\"CONTOSO\"", "target": "\"S1 s2\"",
                ], "uid.utid-login.example.com-accesstoken-client-contoso-s1 s2"
            ),
            (.refreshToken, [:], "uid.utid-login.example.com-refreshtoken-client--"),
            (
                .refreshToken, ["target": "\"s1 s2 s3\"", "client_id": "\"my_client_id\""],
                "uid.utid-login.example.com-refreshtoken-my_client_id--s1 s2 s3"
            ),
            (.idToken, [:], "uid.utid-login.example.com-idtoken-client-contoso-"),
            (.account, ["realm": "\"Contoso\""], "uid.utid-login.example.com-contoso"),
            (.appMetadata, ["client_id": "\"My_Client\""], "appmetadata-login.example.com-My_Client"),
        ] as [(MSALSection, KeyValuePairs<String, String?>, String)])
    func keys(section: MSALSection, fields: KeyValuePairs<String, String?>, key: String) throws {
        #expect(try CacheFile(section, fields).writtenText().contains("\"\(section.rawValue)\":{\"\(key)\":{"))
    }

    @Test("an empty cache has its five sections")
    func empty() {
        var text = ""
        MSALCacheWriter().finish { piece in
            let octets = Span<UInt8>(_bytes: piece)
            text += String(decoding: octets.indices.map { octets[$0] }, as: UTF8.self)
        }
        #expect(text == #"{"AccessToken":{},"RefreshToken":{},"IdToken":{},"Account":{},"AppMetadata":{}}"#)
    }

    @Test("a bearer token has no field that is null or that it did not have")
    func fields() throws {
        let text = try CacheFile(.accessToken).writtenText()
        #expect(
            text.contains(
                #"{"credential_type":"AccessToken","home_account_id":"uid.utid","environment":"login.example.com","#
                    + #""client_id":"client","realm":"contoso","target":"s1 s2","cached_at":"1000","expires_on":"4600","#
                    + #""secret":"hidden"}"#))
        #expect(!text.contains("null"))
    }

    @Test("a token that does not expire is written to end late, for Python wants an end, and read back as it was")
    func noExpiry() throws {
        var credential = try CacheFile(.accessToken).cache.credentials[0].credential
        credential.expiresOn = nil
        var bytes: [UInt8] = []
        var writer = MSALCacheWriter()
        writer.begin(.accessToken)
        let secret: [UInt8] = [0x61]
        let collect: (RawSpan) -> Void = { piece in
            let octets = Span<UInt8>(_bytes: piece)
            for index in octets.indices { bytes.append(octets[index]) }
        }
        let outcome = writer.append(
            credential, secret: SecretBytes(copying: RawSpan(_elements: secret.span)), to: collect)
        writer.finish(to: collect)
        #expect(outcome == .written)
        #expect(String(decoding: bytes, as: UTF8.self).contains(#""expires_on":"253402300799""#))
        #expect(try CacheFile(bytes).cache.credentials[0].credential == credential)
    }

    @Test("what was read and written reads the same", arguments: MSALSection.allCases)
    func roundTrip(section: MSALSection) throws {
        let file = try CacheFile(
            section,
            [
                "name": "\"Nam\\u00e9 \\\"\"", "x": "{}", "family_id": "\"1\"", "realm": "\"R\"",
            ])
        let again = try CacheFile(file.written())
        #expect(again.cache.credentials.map(\.credential) == file.cache.credentials.map(\.credential))
        #expect(again.cache.accounts == file.cache.accounts)
        #expect(again.cache.appMetadata == file.cache.appMetadata)
        #expect(again.secrets() == file.secrets())
        #expect(again.written() == file.written())
    }

    @Test("two tokens whose keys Python would not tell apart are both written")
    func sameKeys() throws {
        let one = CacheFile.entity(.accessToken, ["key_id": "\"1\""])
        let two = CacheFile.entity(.accessToken, ["key_id": "\"2\""])
        let file = try CacheFile(#"{"AccessToken":{"1":\#(one),"2":\#(two)}}"#)
        #expect(try CacheFile(file.written()).cache.credentials.map(\.credential.keyID) == ["1", "2"])
    }

    @Test("a client of which nothing is known is not written, and every account has an authority type")
    func python() throws {
        var account = try CacheFile(.account, ["authority_type": nil]).cache.accounts[0]
        account.tenantProfiles.append(
            TenantProfile(
                realm: "adfs", localAccountID: "", environment: "E", username: ""))
        var bytes: [UInt8] = []
        let collect: (RawSpan) -> Void = { piece in
            let octets = Span<UInt8>(_bytes: piece)
            for index in octets.indices { bytes.append(octets[index]) }
        }
        var writer = MSALCacheWriter()
        writer.begin(.account)
        writer.append(account, to: collect)
        writer.begin(.appMetadata)
        writer.append(AppMetadata(clientID: "c", environment: "e", family: .unknown), to: collect)
        writer.finish(to: collect)
        let cache = try CacheFile(bytes).cache
        let types = cache.accounts.flatMap(\.tenantProfiles).compactMap(\.authorityType)
        #expect(types.sorted() == ["ADFS", "MSSTS"])
        #expect(cache.appMetadata.isEmpty)
    }

    @Test("pieces are of 64 KiB at most, and an output that fails ends the writing")
    func pieces() throws {
        struct Full: Error {}
        let accounts = (0..<2_000).map {
            #""\#($0)":\#(CacheFile.entity(.account, ["home_account_id": "\"u\($0).t\""]))"#
        }
        let tokens = (0..<2_000).map {
            #""\#($0)":\#(CacheFile.entity(.refreshToken, ["home_account_id": "\"u\($0).t\""]))"#
        }
        let file = try CacheFile(
            #"{"RefreshToken":{\#(tokens.joined(separator: ","))},"Account":{\#(accounts.joined(separator: ","))}}"#)
        var counts: [Int] = []
        file.write { counts.append($0.byteCount) }
        #expect(counts.allSatisfy { $0 <= 65_536 })
        #expect(counts.dropLast().allSatisfy { $0 > 60_000 })
        #expect(throws: Full.self) { try file.write { _ throws(Full) in throw Full() } }
    }
}
