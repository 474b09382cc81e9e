import KeyfobInterop
import KeyfobModel
import KeyfobTestSupport
import Testing

@Suite("Archives of ADAL for Objective-C")
struct ADALArchiveTests {
    static let authority = "https://login.windows.net/contoso"

    /// An archive of a dictionary with a refresh token for all resources, an access token and one of AD FS.
    static let sample: [UInt8] = {
        var archive = ArchiveBytes()
        let ada = archive.person("ada@contoso.example", claims: #"{"oid":"oid","tid":"contoso","name":"Ada L"}"#)
        let refresh = archive.item(
            [
                "authority": authority, "clientId": "mailer", "refreshToken": "refresh", "familyId": "1",
                "accessToken": nil, "resource": nil,
            ], expiresOn: nil, cachedAt: 1_000, person: ada)
        let access = archive.item(
            [
                "authority": authority, "clientId": "mailer", "accessToken": "access", "accessTokenType": "Bearer",
                "resource": "https://graph.example/",
            ], cachedAt: 1_400, person: ada)
        let bob = archive.person("bob")
        let adfs = archive.item(
            [
                "authority": "https://fs.example/adfs", "clientId": "mailer", "accessToken": "fs-access",
                "refreshToken": "fs-refresh", "resource": "urn:fs",
            ], person: bob)
        let list = archive.add("NSArray", [("NS.objects", .array([refresh, access, adfs, refresh]))])
        return archive.bytes(root: list)
    }()

    @Test("items are read wherever they are in the archive, each once")
    func items() throws {
        let file = try ADALFile(Self.sample)
        #expect(file.findings == [])
        #expect(file.accounts.map(\.id.description) == ["oid.contoso@login.microsoftonline.com", "bob@fs.example"])
        #expect(file.accounts.map(\.username) == ["ada@contoso.example", "bob"])
        #expect(file.accounts.first?.displayName == "Ada L")
        #expect(file.secrets(.accessToken) == ["access", "fs-access"])
        #expect(file.secrets(.refreshToken) == ["refresh", "fs-refresh"])
        let token = try #require(file.accessTokens.first)
        #expect(token.scopes.scopes == ["https://graph.example//.default"] && token.realm == "contoso")
        #expect(token.expiresOn == Timestamp(seconds: 5_000) && token.cachedAt == Timestamp(seconds: 1_400))
        #expect(file.refreshTokens.map(\.familyID) == ["1", nil])
        #expect(file.refreshTokens.first?.cachedAt == Timestamp(seconds: 1_000))
        #expect(file.accounts.last?.tenantProfiles.first?.authorityType == "ADFS")
    }

    @Test(
        "one item alone is an archive as well, under each name that its class had",
        arguments: [
            "ADTokenCacheItem", "ADTokenCacheStoreItem", "MSIDLegacyTokenCacheItem",
        ])
    func single(className: String) throws {
        var archive = ArchiveBytes()
        let person = archive.person("ada@contoso.example")
        let item = archive.item(
            ["authority": Self.authority, "clientId": "mailer", "refreshToken": "refresh"], person: person,
            className: className)
        let file = try ADALFile(archive.bytes(root: item))
        #expect(file.secrets(.refreshToken) == ["refresh"])
        #expect(file.accounts.map(\.id.homeAccountID) == ["ada@contoso.example"])
    }

    @Test("later versions name the home account; its id or client info is used")
    func homeAccount() throws {
        for (name, value) in [
            ("homeAccountId", "uid.utid"), ("clientInfo", ArchiveBytes.base64(#"{"uid":"uid","utid":"utid"}"#)),
        ] {
            var archive = ArchiveBytes()
            let person = archive.person(nil, claims: #"{"upn":"ada@contoso.example","oid":"oid","tid":"guest"}"#)
            let other = archive.text(value)
            let item = archive.item(
                ["authority": Self.authority, "clientId": "mailer", "refreshToken": "refresh"], person: person,
                others: [(name, other)])
            let file = try ADALFile(archive.bytes(root: item))
            #expect(file.accounts.map(\.id.homeAccountID) == ["uid.utid"])
            #expect(file.accounts.map(\.username) == ["ada@contoso.example"])
        }
    }

    @Test("an item that makes no sense is told, and the others are taken")
    func junk() throws {
        var archive = ArchiveBytes()
        let person = archive.person("ada@contoso.example")
        let place: KeyValuePairs<String, String?> = ["authority": Self.authority, "clientId": "mailer"]
        _ = archive.item(place, person: person)
        _ = archive.item(
            ["authority": Self.authority, "clientId": "mailer", "refreshToken": "<tombstone>"], person: person)
        _ = archive.item(["authority": Self.authority, "clientId": "mailer", "refreshToken": "lost"])
        _ = archive.item(
            ["authority": Self.authority, "clientId": "mailer", "refreshToken": "two words"], person: person)
        let wide = archive.add(.utf16("Zoë"))
        _ = archive.item(place, person: person, others: [("accessToken", wide)])
        let number = archive.add(.integer(7))
        _ = archive.item(place, person: person, others: [("accessToken", number)])
        _ = archive.item(
            ["authority": Self.authority, "clientId": "mailer", "accessToken": "t", "resource": "r"], expiresOn: nil,
            person: person)
        let many = (0..<70).map { ("key\($0)", ArchiveBytes.Value.null) }
        _ = archive.item(place, person: person, others: many)
        let mutable = archive.add("NSMutableString", [("NS.string", .ascii("good"))])
        let good = archive.item(place, person: person, others: [("refreshToken", mutable)])
        let file = try ADALFile(archive.bytes(root: good))
        #expect(
            file.cache.findings.map(\.reason) == [
                .noToken, .tombstone, .missing(.userID), .unacceptable(.refreshToken), .unacceptable(.accessToken),
                .notText(.accessToken), .noExpiry,
            ])
        #expect(file.secrets(.refreshToken) == ["good"])
    }

    @Test("items of an exported keychain are read, and those of others are told")
    func keychain() throws {
        func item(_ account: String, _ data: [UInt8]) -> PropertyListBytes.Value {
            .dictionary([
                ("acct", .ascii(account)), ("svce", .ascii("MSOpenTech.ADAL.1|a|b|c")), ("v_Data", .data(data)),
            ])
        }
        var nameless = ArchiveBytes()
        let root = nameless.item(["authority": Self.authority, "clientId": "mailer", "refreshToken": "nameless"])
        var empty = ArchiveBytes()
        let nothing = empty.text("nothing")
        let bytes = PropertyListBytes.list(
            .array([
                item("ada@contoso.example", Self.sample), item("else", [1, 2, 3]), .ascii("text"),
                item(ArchiveBytes.base64("zoe@contoso.example"), nameless.bytes(root: root)),
                item("none", empty.bytes(root: nothing)), .dictionary([("acct", .ascii("x"))]),
            ]))
        let file = try ADALFile(bytes)
        #expect(file.accounts.map(\.username) == ["ada@contoso.example", "bob", "zoe@contoso.example"])
        #expect(file.secrets(.refreshToken) == ["refresh", "fs-refresh", "nameless"])
        #expect(file.cache.findings.map(\.reason) == [.notAnArchive, .notAnObject, .notAnArchive, .notAnArchive])
        #expect(file.cache.findings.map(\.ordinal) == [4, 5, 7, 8])
    }

    @Test("data that many keychain items share is read once")
    func sharedData() throws {
        var writer = PropertyListBytes()
        let data = writer.add(.data(Self.sample))
        let key = writer.add(.ascii("v_Data"))
        let reference = { (place: Int) in PropertyListBytes.number(UInt64(place), 2) }
        let items = (0..<3).map { _ in writer.add(raw: [0xD1] + reference(key) + reference(data)) }
        let root = writer.add(raw: [0xA3] + items.flatMap(reference))
        let file = try ADALFile(writer.bytes(root: root))
        #expect(file.cache.findings.map(\.reason) == [.repeated, .repeated])
        #expect(file.accessTokens.count == 2)
    }

    @Test("a list without an item of ADAL is no cache")
    func notACache() {
        var archive = ArchiveBytes()
        let text = archive.text("text")
        let lists = [
            archive.bytes(root: text), PropertyListBytes.list(.array([])), PropertyListBytes.list(.null),
            PropertyListBytes.list(.array([.ascii("x"), .dictionary([])])),
        ]
        for bytes in lists { #expect(throws: ADALCacheError.notACache) { try ADALFile(bytes) } }
    }

    @Test("every truncation of an archive is refused")
    func truncations() {
        for count in 0..<Self.sample.count {
            #expect(throws: ADALCacheError.self) { try ADALFile(Array(Self.sample[..<count])) }
        }
    }

    @Test("any bit changed gives an answer, never a trap")
    func changedBits() {
        var answers = 0
        for index in Self.sample.indices {
            for bit in stride(from: index % TestLength.rounds(4, full: 1), to: 8, by: TestLength.rounds(4, full: 1)) {
                var changed = Self.sample
                changed[index] ^= 1 << UInt8(bit)
                guard let file = try? ADALFile(changed) else { continue }
                answers += file.secrets(.refreshToken).count + file.secrets(.accessToken).count
            }
        }
        #expect(answers > 0)
    }

    @Test("messages are one line and hold nothing of the file")
    func messages() {
        let reasons: [ADALFinding.Reason] = [
            .notAnObject, .servicePrincipal, .missing(.userID), .notText(.userID), .unacceptable(.userID), .noToken,
            .tombstone, .noExpiry, .noResource, .superseded(by: 1), .notAnArchive, .repeated,
        ]
        let errors: [ADALCacheError] = [
            .json(.tooLarge(limit: 1)), .propertyList(.notAPropertyList), .propertyList(.malformed(.cycle)),
            .propertyList(.tooDeep(limit: 1)), .propertyList(.tooManyObjects(limit: 1)), .tooManyEntries(limit: 1),
            .notACache,
        ]
        let texts = reasons.map(\.description) + errors.map(\.description)
        #expect(Set(texts).count == texts.count && texts.allSatisfy { !$0.contains("\n") })
        #expect(errors.allSatisfy { $0.description.hasPrefix("the ") })
        #expect(Set(ADALField.allCases.map(\.name)).count == ADALField.allCases.count)
    }
}
