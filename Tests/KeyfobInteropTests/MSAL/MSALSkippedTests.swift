import KeyfobInterop
import KeyfobModel
import Testing

@Suite("Entities left out")
struct MSALSkippedTests {
    struct Case: CustomTestStringConvertible {
        let section: MSALSection
        let field: String
        let json: String?
        let reason: MSALFinding.Reason

        init(_ section: MSALSection, _ field: String, _ json: String?, _ reason: MSALFinding.Reason) {
            (self.section, self.field, self.json, self.reason) = (section, field, json, reason)
        }

        var testDescription: String { "\(section.rawValue) \(field) \(json ?? "missing")" }
    }

    static let cases: [Case] =
        [MSALSection.accessToken, .refreshToken, .idToken].flatMap { section in
            [
                Case(section, "secret", nil, .missing(.secret)), Case(section, "secret", "\"\"", .missing(.secret)),
                Case(section, "secret", "null", .missing(.secret)), Case(section, "secret", "1", .notText(.secret)),
                Case(section, "secret", "\"<tombstone>\"", .tombstone),
                Case(section, "environment", nil, .missing(.environment)),
                Case(section, "environment", "\" \"", .missing(.environment)),
                Case(section, "environment", "[]", .notText(.environment)),
                Case(section, "client_id", "\"\"", .missing(.clientID)),
                Case(section, "client_id", "5", .notText(.clientID)),
                Case(section, "client_id", "\"a\\u0000b\"", .unacceptable(.clientID)),
                Case(section, "credential_type", "7", .notText(.credentialType)),
                Case(section, "home_account_id", "\"a\\nb\"", .unacceptable(.homeAccountID)),
                Case(section, "token_type", "{}", .notText(.tokenType)),
            ]
        } + [
            Case(.accessToken, "home_account_id", "\"\"", .tokenOfAnApp),
            Case(.accessToken, "home_account_id", "null", .tokenOfAnApp),
            Case(.accessToken, "home_account_id", nil, .tokenOfAnApp),
            Case(.refreshToken, "home_account_id", "\"\"", .missing(.homeAccountID)),
            Case(.accessToken, "target", nil, .missing(.target)),
            Case(.accessToken, "target", "[\"s1\"]", .notText(.target)),
            Case(.accessToken, "target", "\"s1 s\\u00012\"", .unacceptable(.target)),
            Case(.accessToken, "expires_on", nil, .missing(.expiresOn)),
            Case(.accessToken, "credential_type", "\"RefreshToken\"", .wrongSection),
            Case(.refreshToken, "credential_type", "\"idtoken\"", .wrongSection),
            Case(.refreshToken, "family_id", "1", .notText(.familyID)),
            Case(.account, "home_account_id", "\"\"", .missing(.homeAccountID)),
            Case(.account, "environment", nil, .missing(.environment)),
            Case(.account, "username", "3", .notText(.username)),
            Case(.appMetadata, "client_id", nil, .missing(.clientID)),
            Case(.appMetadata, "environment", "\"\"", .missing(.environment)),
        ]

    @Test("an entity that makes no sense is left out with its reason, and the rest is read", arguments: cases)
    func skipped(_ testCase: Case) throws {
        let bad = CacheFile.entity(testCase.section, [testCase.field: testCase.json])
        let good = CacheFile.entity(testCase.section)
        let file = try CacheFile(#"{"\#(testCase.section.rawValue)":{"a john doe":\#(bad),"b":\#(good)}}"#)
        let finding = MSALFinding(section: testCase.section.rawValue, ordinal: 1, reason: testCase.reason)
        #expect(file.cache.skipped == [finding])
        #expect(file.cache.credentials.count + file.cache.accounts.count + file.cache.appMetadata.count > 0)
        #expect(finding.description.hasPrefix("\(testCase.section.rawValue) entity 1: it"))
        #expect(!finding.description.contains("john"))
    }

    @Test("what is not an object is left out", arguments: ["null", "\"text\"", "1", "[]", "true"])
    func notAnObject(json: String) throws {
        for section in MSALSection.allCases {
            let file = try CacheFile(#"{"\#(section.rawValue)":{"k":\#(json),"l":\#(CacheFile.entity(section))}}"#)
            #expect(file.cache.skipped.map(\.description) == ["\(section.rawValue) entity 1: it is not an object"])
        }
    }

    @Test("a section that is not an object is left out, null is an empty one")
    func sections() throws {
        let file = try CacheFile(#"{"AccessToken":[],"IdToken":null,"Account":{"k":\#(CacheFile.entity(.account))}}"#)
        #expect(file.cache.skipped.map(\.description) == ["AccessToken section: it is not an object"])
        #expect(file.cache.accounts.count == 1)
    }

    @Test("more scopes than anybody has are refused")
    func manyScopes() throws {
        func scopes(_ count: Int) -> String { "\"" + (0..<count).map { "s\($0)" }.joined(separator: " ") + "\"" }
        #expect(try CacheFile(.accessToken, ["target": scopes(1_000)]).cache.credentials.count == 1)
        let refused = try CacheFile(.accessToken, ["target": scopes(1_001)])
        #expect(refused.cache.skipped.map(\.reason) == [.unacceptable(.target)])
    }

    @Test("every reason reads as a sentence about the entity")
    func sentences() {
        let reasons: [MSALFinding.Reason] = [
            .notAnObject, .missing(.secret), .notText(.realm), .unacceptable(.target), .noTime(.expiresOn),
            .tokenOfAnApp, .tombstone, .wrongSection, .superseded(by: 2), .repeatedKey, .droppedTime(.cachedAt),
        ]
        #expect(Set(reasons.map(\.description)).count == reasons.count)
        #expect(reasons.allSatisfy { $0.description.hasPrefix("it ") || $0.description.hasPrefix("its ") })
    }
}
