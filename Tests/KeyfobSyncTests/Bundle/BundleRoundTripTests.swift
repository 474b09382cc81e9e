import KeyfobAge
import KeyfobModel
import KeyfobSodium
import KeyfobSync
import KeyfobTestSupport
import Testing

@Suite("A bundle that is written and read")
struct BundleRoundTripTests {
    /// Items of every kind with all that they can have.
    static let items: [Bundled] = {
        var account = Sample.account("Ada", label: "Lab \u{1F511} \"quoted\"\\")
        account.displayName = "Ada\nLovelace"
        (account.formerNames, account.isProved) = (["Augusta"], true)
        account.tenantProfiles[0].authorityType = "MSSTS"
        account.tenantProfiles[0].displayName = ""
        account.tenantProfiles[0].additionalFields = AdditionalFields([
            .init(name: "client_info", json: "{\n  \"uid\": 1.50,\r\n \"x\": [1, 2e10]\n}".replacing("\r\n", with: " "))
        ])
        account.tenantProfiles.append(
            TenantProfile(realm: "", localAccountID: "", environment: "LOGIN.example", username: ""))
        var rich = Sample.record(.account(account))
        rich.history.fieldVersions = [
            .label: Sample.version(5, device: .max), .profile(realm: "gone"): Sample.version(6),
        ]
        rich.history.deletion = Sample.version(1)
        rich.isThisDeviceOnly = true

        var refresh = Sample.refreshToken(
            "Ada", state: .needsSignIn(reason: "wants\u{7} MFA"), epoch: .max, generation: 1 << 60)
        refresh.grant?.rotates = false
        refresh.familyID = "1"
        var bare = Sample.refreshToken("bare")
        bare.grant = nil
        var access = Credential(
            kind: .accessToken, account: Sample.id("Ada"), clientID: "client", realm: "Tenant",
            scopes: ["Mail.Read", "offline_access"], tokenType: "pop", keyID: "key")
        access.cachedAt = Timestamp(seconds: 0)
        access.expiresOn = Timestamp(seconds: 253_402_300_799)
        access.extendedExpiresOn = Timestamp(seconds: .max)
        access.refreshOn = Timestamp(seconds: .min)
        access.additionalFields = AdditionalFields([
            .init(name: "requested_claims", json: #""{\"a\":1}""#), .init(name: "zero", json: "0.00"),
        ])
        let idToken = Credential(kind: .idToken, account: Sample.id("Ada"), clientID: "client", realm: "tenant")

        return [
            Bundled(rich), Bundled(.account(Sample.account("grace"))),
            Bundled(Sample.record(.credential(refresh)), secret: Array("tab\t\"quote\" é \u{0}".utf8)),
            Bundled(.credential(bare), secret: "rt"),
            Bundled(.credential(Sample.refreshToken("out", state: .signedOut))),
            Bundled(Sample.record(.credential(access)), secret: [0xFF, 0xFE, 0x00, 0x80]),
            Bundled(.credential(idToken), secret: ""),
            Bundled(.appMetadata(AppMetadata(clientID: "a", environment: "login.example", family: .none))),
            Bundled(.appMetadata(AppMetadata(clientID: "b", environment: "login.example", family: .unknown))),
            Bundled(.appMetadata(AppMetadata(clientID: "c", environment: "login.example", family: .member("1")))),
            Bundled(.clientSecret(clientID: "a", environment: "Login.example"), secret: "of \"a\""),
            Bundled(.setting(name: "default account", value: "ada@login.example")),
            Bundled(.setting(name: "binding:/home/ada", value: nil)),
            Bundled(.foreign(section: "AccessToken", key: "odd\nkey"), secret: "{\n \"secret\": \"s\" }"),
            Bundled(.foreign(section: "", key: "top"), secret: "null"),
            Bundled(.tombstone(.account(Sample.id("gone")))), Bundled(.tombstone(.setting("gone"))),
            Bundled(.tombstone(.clientSecret(clientID: "gone", environment: "login.example"))),
        ].inOrder
    }()

    @Test("every item comes back as it was", arguments: [Age.Encoding.binary, .armored], [1, 7, 65_536])
    func items(encoding: Age.Encoding, pieces: Int) throws {
        let file = try BundleSample.file(Self.items, encoding: encoding)
        let read = try BundleSample.items(file, pieces: pieces)
        #expect(read.count == Self.items.count)
        for (item, expected) in zip(read, Self.items) {
            #expect(item.secret == expected.secret, "\(expected.record.key)")
            #expect(exact(item.record) == exact(expected.record), "\(expected.record.key)")
        }
    }

    @Test("each kind of secret has a length of which base64 has a form", arguments: 0..<10)
    func base64(count: Int) throws {
        let bytes = [UInt8](repeating: 0xFB, count: count) + [0xFF]
        let item = Bundled(Sample.record(.credential(Sample.refreshToken())), secret: bytes)
        #expect(try BundleSample.items(try BundleSample.file([item])) == [item])
    }

    @Test("its size tells no length of a name or a token: it grows in steps", arguments: [0, 1_000, 30_000, 500_000])
    func size(others: Int) throws {
        let sizes = try (1...64).map { length in
            let other = Bundled(.foreign(section: "other", key: "one"), secret: String(repeating: "o", count: others))
            let name = Bundled(.setting(name: "binding", value: String(repeating: "n", count: length)))
            return try BundleSample.file([name, other].inOrder).count
        }
        let step = others < 16_384 ? 512 : others < 65_536 ? 1_024 : 16_384
        #expect(Set(sizes).count <= 2)
        #expect(zip(sizes, sizes.dropFirst()).allSatisfy { [0, step].contains($1 - $0) })
    }

    @Test("the manifest comes back as it was", arguments: BundlePurpose.allCases)
    func manifest(purpose: BundlePurpose) throws {
        let groups = [Sample.group("work"), .default, Sample.group("com.example.\u{E9}")]
        let item = Bundled(.setting(name: "a", value: "b"))
        let file = try BundleSample.file([item], purpose: purpose, groups: groups)
        let bundle = try BundleReader.verify(BundleSample.key(), for: [purpose], from: Pieces(file).next)
        #expect(bundle.manifest == BundleSample.manifest(purpose, counts: [.setting: 1], groups: groups))
        #expect(bundle.manifest.groups == groups.sorted())
        #expect(bundle.digest.count == 32)
    }

    @Test("an empty bundle is a bundle")
    func empty() throws {
        #expect(try BundleSample.items(try BundleSample.file([])) == [])
    }

    @Test("fields that nobody knows survive, wherever they are")
    func unknownFields() throws {
        let credential = Sample.refreshToken()
        var account = Sample.record(.account(Sample.account("ada")))
        let fields = AdditionalFields([.init(name: "mood", json: "[1, {\"a\":null}]"), .init(name: "x", json: "1.0")])
        let paths = ["", "account", "account.tenantProfiles.tenant", "stamps"]
        for path in paths { account.history.unknownFields.objects[path] = fields }
        var grant = Sample.record(.credential(credential))
        for path in ["", "credential", "credential.grant"] { grant.history.unknownFields.objects[path] = fields }
        let items = [Bundled(account), Bundled(grant, secret: Array("rt".utf8))].inOrder
        #expect(try BundleSample.items(try BundleSample.file(items)) == items)

        // And through a merge.
        var state = KeyringState()
        state.insert(account)
        state.insert(grant, secret: Sample.digest(1))
        #expect(
            state.merged(with: KeyringState()).record(at: account.place)?.history.unknownFields
                == account.history.unknownFields)
        #expect(state.record(at: grant.place)?.history.unknownFields == grant.history.unknownFields)
    }

    @Test("a passphrase opens what is written for it, and is not asked for twice the work")
    func passphrase() throws {
        let item = Bundled(.setting(name: "a", value: "b"))
        let encryptor = try AgeEncryptor(passphrase: secret("correct horse"), encoding: .binary, workFactor: 4)
        let writer = try BundleWriter(BundleSample.manifest(counts: [.setting: 1]), encryptor: encryptor)
        let file = try BundleSample.file([item], writer)
        let bundle = try BundleReader.verify(
            .passphrase(secret("correct horse")), for: [.backup], from: Pieces(file).next)
        #expect(bundle.manifest.counts == [.setting: 1])
    }

    @Test("lines stay lines, whatever the items hold")
    func lines() throws {
        let file = try BundleSample.file(Self.items)
        let plaintext = try file.withBytes { try Age.open($0, with: BundleSample.identity()) }
        let text = text(of: plaintext)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == Self.items.count + 3)
        #expect(lines.last == "")
        #expect(lines.dropLast().allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
    }

    /// A text that tells spellings apart which `==` does not: of ids and of scopes.
    private func exact(_ record: ItemRecord) -> String {
        var text = "\(record)".replacing(#/Set\(.*?\)/#, with: "")
        text = text.replacing("\n", with: " ").replacing("\\n", with: " ")
        // Dictionaries have no order.
        return String(text.sorted())
    }
}
