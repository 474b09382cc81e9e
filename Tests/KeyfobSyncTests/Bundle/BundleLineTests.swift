import KeyfobModel
import KeyfobSync
import KeyfobTestSupport
import Testing

@Suite("The lines of a bundle")
struct BundleLineTests {
    private static let setting = CraftedBundle.setting
    private static let stamps = CraftedBundle.stamps

    /// A record line with these members behind kind and group.
    private static func line(_ kind: String, _ members: String, group: String = "default") -> String {
        #"{"kind":"\#(kind)","group":"\#(group)",\#(members),\#(stamps)}"#
    }

    private static func credential(_ members: String, secret: String = #","secret":"s""#) -> String {
        line(
            "credential",
            #""credential":{"kind":"refresh_token","account":"a@b","homeAccountID":"a","environment":"b","#
                + #""clientID":"c","scopes":[]\#(members)}\#(secret)"#)
    }

    private static func manifest(_ replacements: (String, String)...) -> String {
        replacements.reduce(CraftedBundle.manifest) { $0.replacing($1.0, with: $1.1) }
    }

    private func flaw(_ bundle: CraftedBundle) throws -> BundleError? { BundleSample.flaw(try bundle.file()) }

    @Test("lines as they should be are accepted, with white space and fields nobody knows")
    func right() throws {
        #expect(try flaw(CraftedBundle(Self.setting)) == nil)
        let spaced = Self.setting.replacing(",", with: " ,\t").replacing("}}", with: "} }")
        let unknown = Self.setting.replacing(#""setting":{"#, with: #""new":[1,{"a":null}],"setting":{"new":1,"#)
        for line in [spaced, unknown] { #expect(try flaw(CraftedBundle(line)) == nil) }
        let manifest = Self.manifest((#""minorVersion":0"#, #""minorVersion":7,"new":{}"#))
        #expect(try flaw(CraftedBundle(manifest: manifest, Self.setting)) == nil)
    }

    @Test(
        "a manifest that is wrong is refused, with the field that is",
        arguments: [
            ("{", "[{", .noManifest), ("\"formatVersion\":1,", "", .noManifest),
            ("\"formatVersion\":1", "\"formatVersion\":2", .newerVersion(major: 2, minor: 0)),
            ("\"formatVersion\":1", "\"formatVersion\":0", .badField(line: 1, .formatVersion)),
            ("\"formatVersion\":1", "\"formatVersion\":1.0", .badField(line: 1, .formatVersion)),
            ("\"formatVersion\":1", "\"formatVersion\":\"1\"", .badField(line: 1, .formatVersion)),
            ("\"minorVersion\":0,", "", .missingField(line: 1, .minorVersion)),
            ("\"purpose\":\"backup\",", "", .missingField(line: 1, .purpose)),
            ("\"backup\"", "\"other\"", .badField(line: 1, .purpose)),
            ("\"backup\"", "null", .badField(line: 1, .purpose)),
            ("0f\"", "0F\"", .badField(line: 1, .vault)), ("000102", "0102", .badField(line: 1, .vault)),
            ("\"0000000000000001\"", "\"1\"", .badField(line: 1, .device)),
            ("2026-11-21T10:15:00.000Z", "2026-11-31T10:15:00.000Z", .badField(line: 1, .created)),
            ("2026-11-21T10:15:00.000Z", "2026-11-21T10:15:00Z", .badField(line: 1, .created)),
            ("[\"default\"]", "[\"default\",\"default\"]", .badField(line: 1, .groups)),
            ("[\"default\"]", "[\"a\\u0007b\"]", .badField(line: 1, .groups)),
            ("[\"default\"]", "\"default\"", .badField(line: 1, .groups)),
            ("\"setting\":1", "\"setting\":-1", .badField(line: 1, .counts)),
            ("\"setting\":1", "\"other\":1", .badField(line: 1, .counts)),
            ("\"setting\":1", "\"setting\":9223372036854775807,\"account\":1", .limitExceeded(.records(16_000_000))),
            ("{\"formatVersion\"", "{\"purpose\":\"sync\",\"formatVersion\"", .repeatedName(line: 1)),
        ] as [(String, String, BundleError)])
    func manifests(old: String, new: String, expected: BundleError) throws {
        let range = try #require(CraftedBundle.manifest.firstRange(of: old))
        let manifest = CraftedBundle.manifest.replacingCharacters(in: range, with: new)
        #expect(try flaw(CraftedBundle(manifest: manifest, Self.setting)) == expected)
    }

    @Test(
        "a record that is wrong is refused, with its line and the field that is",
        arguments: [
            ("", .notJSON(line: 2, nil)), ("null", .notJSON(line: 2, nil)), ("[]", .notJSON(line: 2, nil)),
            (" " + setting, .notJSON(line: 2, nil)), ("\u{FEFF}" + setting, .notJSON(line: 2, nil)),
            (setting + "\r", .notJSON(line: 2, nil)), ("{\"a\":}", .notJSON(line: 2, .noValue)),
            ("{}", .missingField(line: 2, .kind)),
            (line("other", #""other":{}"#), .unknownKind(line: 2)),
            (line("end", #""a":1"#), .unknownKind(line: 2)),
            (line("setting", #""setting":{"name":"a"}"#, group: "work"), .unlistedGroup(line: 2)),
            (line("setting", #""setting":{"name":"a"}"#, group: " "), .badField(line: 2, .group)),
            (line("setting", #""setting":{"value":"a"}"#), .missingField(line: 2, .name)),
            (line("setting", #""setting":{"name":"a\u001bb"}"#), .badField(line: 2, .name)),
            (line("setting", #""setting":{"name":"a\u202eb"}"#), .badField(line: 2, .name)),
            (line("setting", #""setting":{"name":" "}"#), .badField(line: 2, .name)),
            (line("setting", #""setting":{"name":"a","value":null}"#), .badField(line: 2, .value)),
            (line("setting", #""setting":{"name":"a"},"secret":"s""#), .badField(line: 2, .secret)),
            (line("setting", #""setting":{"name":"a","name":"b"}"#), .repeatedName(line: 2)),
            (line("setting", #""setting":"a""#), .notJSON(line: 2, nil)),
            (line("setting", #""setting":{"name":"a"},"thisDeviceOnly":"yes""#), .badField(line: 2, .thisDeviceOnly)),
            (setting.replacing("record", with: "other"), .missingField(line: 2, .record)),
            (setting.replacing("0001\"", with: "001\""), .badField(line: 2, .record)),
            (setting.replacing("1a1b2", with: "1A1B2"), .badField(line: 2, .record)),
            (line("foreign", #""foreign":{"section":"","key":"k"}"#), .missingField(line: 2, .secret)),
            (
                line("clientSecret", #""clientSecret":{"clientID":"a","environment":"b"}"#),
                .missingField(line: 2, .secret)
            ),
            (
                line("clientSecret", #""clientSecret":{"clientID":" ","environment":"b"},"secret":"s""#),
                .badField(line: 2, .clientID)
            ),
            (line("tombstone", #""tombstone":{"kind":"other","key":[]}"#), .unknownKind(line: 2)),
            (line("tombstone", #""tombstone":{"kind":"account","key":[]}"#), .badField(line: 2, .tombstone)),
            (line("tombstone", #""tombstone":{"kind":"account","key":[1]}"#), .badField(line: 2, .key)),
            (line("tombstone", #""tombstone":{"kind":"account","key":["a\u001b@b"]}"#), .badField(line: 2, .key)),
            (line("foreign", #""foreign":{"section":"a\u001b","key":"k"},"secret":"s""#), .badField(line: 2, .section)),
            (line("tombstone", #""tombstone":{"kind":"grant","key":["a","b","",""]}"#), .badField(line: 2, .tombstone)),
            (
                line("account", #""account":{"id":"a@c","homeAccountID":"a","environment":"b","username":""}"#),
                .badField(line: 2, .id)
            ),
            (
                line("account", #""account":{"id":"@b","homeAccountID":"","environment":"b","username":""}"#),
                .badField(line: 2, .homeAccountID)
            ),
            (
                line("appMetadata", #""appMetadata":{"clientID":"","environment":"b"}"#),
                .badField(line: 2, .clientID)
            ),
            (credential("", secret: ""), .missingField(line: 2, .secret)),
            (credential("", secret: #","secret":1"#), .badField(line: 2, .secret)),
            (credential("", secret: #","secretBase64":"AA""#), .badField(line: 2, .secretBase64)),
            (credential("", secret: #","secretBase64":"AB==""#), .badField(line: 2, .secretBase64)),
            (credential("", secret: #","secretBase64":"A*==""#), .badField(line: 2, .secretBase64)),
            (credential("", secret: #","secretBase64":"=A==""#), .badField(line: 2, .secretBase64)),
            (credential("", secret: #","secret":"a","secretBase64":"AAAA""#), .badField(line: 2, .secretBase64)),
            (credential(#","expiresOn":"2026-02-29T00:00:00Z""#), .badField(line: 2, .expiresOn)),
            (credential(#","expiresOn":1.5"#), .badField(line: 2, .expiresOn)),
            (credential(#","tenant":"a\u0000b""#), .badField(line: 2, .tenant)),
            (credential(#","grant":{"state":"other","epoch":1,"generation":1}"#), .badField(line: 2, .state)),
            (credential(#","grant":{"state":"active","epoch":-1,"generation":1}"#), .badField(line: 2, .epoch)),
            (
                credential(#","grant":{"state":"active","epoch":18446744073709551616,"generation":1}"#),
                .badField(line: 2, .epoch)
            ),
            (credential(#","grant":{"state":"active","epoch":1}"#), .missingField(line: 2, .generation)),
            (
                credential(#","grant":{"state":"needsSignIn","epoch":1,"generation":1}"#),
                .missingField(line: 2, .reason)
            ),
            (credential(",\"familyID\":7"), .badField(line: 2, .familyID)),
        ] as [(String, BundleError)])
    func records(line: String, expected: BundleError) throws {
        // Those of the account lack the profiles, which are asked for only behind what is wrong here.
        #expect(try flaw(CraftedBundle(line)) == expected)
    }

    @Test("a kind that a newer minor version brought is said to be that")
    func newerMinorVersion() throws {
        let manifest = Self.manifest((#""minorVersion":0"#, #""minorVersion":1"#))
        let other = Self.line("other", #""other":{}"#)
        #expect(try flaw(CraftedBundle(manifest: manifest, other)) == .newerVersion(major: 1, minor: 1))
        let counted = Self.manifest((#""minorVersion":0"#, #""minorVersion":1"#), (#""setting":1"#, #""other":1"#))
        #expect(try flaw(CraftedBundle(manifest: counted, other)) == .newerVersion(major: 1, minor: 1))
    }

    @Test("a bundle of one purpose is refused for another", arguments: BundlePurpose.allCases, BundlePurpose.allCases)
    func purposes(written: BundlePurpose, wanted: BundlePurpose) throws {
        let file = try BundleSample.file([Bundled(.setting(name: "a", value: "b"))], purpose: written)
        #expect(BundleSample.flaw(file, for: [wanted]) == (written == wanted ? nil : .wrongPurpose(written)))
    }

    @Test("an item twice is refused, also where one is a tombstone or spelt in another way")
    func repeated() throws {
        let account = { (id: String) in
            let members = #""username":"","tenantProfiles":[]"#
            return Self.line(
                "account", #""account":{"id":"\#(id)@b","homeAccountID":"\#(id)","environment":"b",\#(members)}"#)
        }
        let tombstone = Self.line("tombstone", #""tombstone":{"kind":"account","key":["a@b"]}"#)
        for second in [account("a"), account("A"), tombstone] {
            #expect(try flaw(CraftedBundle(account("a"), second)) == .repeatedRecord(line: 3))
        }
    }

    @Test("lines that were moved, lost, added or altered do not fit the last one")
    func digest() throws {
        let other = Self.setting.replacing(#""a""#, with: #""c""#)
        let manifest = Self.manifest((#""setting":1"#, #""setting":2"#))
        let right = CraftedBundle(manifest: manifest, Self.setting, other)
        #expect(try flaw(right) == nil)
        #expect(try flaw(CraftedBundle(manifest: manifest, other, Self.setting)) == .wrongOrder(line: 3))
        var altered = CraftedBundle(manifest: manifest, Self.setting, other.replacing(#""b""#, with: #""x""#))
        altered.end = right.rightEnd
        #expect(try flaw(altered) == .wrongDigest)
        var lost = CraftedBundle(manifest: manifest, Self.setting)
        lost.end = right.rightEnd
        #expect(try flaw(lost) == .wrongCounts)
        #expect(try flaw(CraftedBundle(Self.setting, other)) == .wrongCounts)
        let wrongKind = Self.manifest((#""setting":1"#, #""account":1"#))
        #expect(try flaw(CraftedBundle(manifest: wrongKind, Self.setting)) == .wrongCounts)
        var miscounted = CraftedBundle(Self.setting)
        miscounted.end = miscounted.rightEnd.replacing(#""records":1"#, with: #""records":2"#)
        #expect(try flaw(miscounted) == .wrongCounts)
        miscounted.end = miscounted.rightEnd.replacing(#""digest":""#, with: #""digest":"0"#)
        #expect(try flaw(miscounted) == .badField(line: 3, .digest))
    }

    @Test("anything behind the last line is refused", arguments: ["\n\n", "\n{}", "\n{}\n", "\n "])
    func behindTheEnd(tail: String) throws {
        var bundle = CraftedBundle(Self.setting)
        bundle.tail = tail
        #expect(try flaw(bundle) == .dataBehindEnd(line: 4))
    }

    @Test("a last line without its line feed, and none at all, is no end")
    func noEnd() throws {
        var bundle = CraftedBundle(Self.setting)
        bundle.tail = ""
        #expect(try flaw(bundle) == .noEnd)
        bundle.end = ""
        #expect(try flaw(bundle) == .noEnd)
    }

    @Test("what may not travel is refused by the writer and by the reader")
    func notForPurpose() throws {
        var record = Sample.record(.setting(name: "a", value: "b"))
        record.isThisDeviceOnly = true
        var access = Credential(kind: .accessToken, account: Sample.id("ada"), clientID: "c")
        access.scopes = ["s"]
        let token = Bundled(.credential(access), secret: "s")
        func flaw(_ item: Bundled, _ purpose: BundlePurpose) -> BundleError? {
            failure(of: BundleError.self) { _ = try BundleSample.file([item], purpose: purpose) }
        }
        #expect(flaw(Bundled(record), .export) == .notForPurpose(line: 2, .export))
        #expect(flaw(Bundled(record), .sync) == .notForPurpose(line: 2, .sync))
        #expect(flaw(Bundled(record), .backup) == nil)
        #expect(flaw(token, .sync) == .notForPurpose(line: 2, .sync))
        #expect(flaw(token, .export) == nil)

        let manifest = Self.manifest((#""backup""#, #""sync""#))
        let line = Self.setting.replacing(#""setting":{"#, with: #""thisDeviceOnly":true,"setting":{"#)
        #expect(try self.flaw(CraftedBundle(manifest: manifest, line)) == .notForPurpose(line: 2, .sync))
    }
}

extension String {
    fileprivate func replacingCharacters(in range: Range<String.Index>, with text: String) -> String {
        String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
    }
}
