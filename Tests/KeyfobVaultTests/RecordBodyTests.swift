import KeyfobModel
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

@Suite("The body of a record")
struct RecordBodyTests {
    private var account: Account
    private let credential: Credential

    init() throws {
        let id = try #require(AccountID(homeAccountID: "uid.utid", environment: "login.microsoftonline.com"))
        let fields = AdditionalFields([.init(name: "x", json: "1.50"), .init(name: "ü", json: #"{"a":[null]}"#)])
        account = Account(
            id: id, username: "ada@contoso.example", displayName: "Ada", label: "work",
            tenantProfiles: [
                TenantProfile(
                    realm: "contoso", localAccountID: "1", environment: "login.windows.net", username: "ada",
                    displayName: nil, authorityType: "MSSTS", additionalFields: fields),
                TenantProfile(realm: "", localAccountID: "", environment: "e", username: ""),
            ], formerNames: ["ada.l@contoso.example", "ada"])
        account.isProved = true
        credential = Credential(
            kind: .refreshToken, account: id, clientID: "client", realm: "contoso",
            scopes: ["Mail.Read", "openid"], familyID: "1", tokenType: "pop", keyID: "k",
            cachedAt: Timestamp(seconds: -1), expiresOn: Timestamp(seconds: .max),
            extendedExpiresOn: Timestamp(seconds: .min), refreshOn: Timestamp(seconds: 0),
            grant: Grant(state: .needsSignIn(reason: "expired"), epoch: 3, generation: .max, rotates: true),
            additionalFields: fields)
    }

    /// The body as it comes back from its bytes.
    private func again(_ body: FieldList) throws -> FieldList {
        try FieldList(encoded: body.encoded()[...])
    }

    @Test("an account survives, with its profiles and fields nobody interprets")
    func accounts() throws {
        #expect(try AccountBody.decode(again(AccountBody.encode(account))) == account)
        let bare = Account(id: account.id, username: "")
        #expect(try AccountBody.decode(again(AccountBody.encode(bare))) == bare)
    }

    @Test("a credential survives, with its times, its grant and fields nobody interprets")
    func credentials() throws {
        let body = try again(CredentialBody.encode(credential))
        let decoded = try CredentialBody.decode(body, kind: .refreshToken)
        #expect(decoded == credential)
        #expect(decoded.scopes.scopes == credential.scopes.scopes)
        let bare = Credential(kind: .accessToken, account: account.id, clientID: "c")
        #expect(try CredentialBody.decode(again(CredentialBody.encode(bare)), kind: .accessToken) == bare)
    }

    @Test(
        "the state of a grant survives",
        arguments: [Grant.State.active, .signedOut, .needsSignIn(reason: ""), .needsSignIn(reason: "why")])
    func grants(state: Grant.State) throws {
        for rotates in [nil, false, true] as [Bool?] {
            var changed = credential
            changed.grant = Grant(state: state, epoch: 2, generation: 5, rotates: rotates)
            let body = try again(CredentialBody.encode(changed))
            #expect(try CredentialBody.decode(body, kind: .refreshToken).grant == changed.grant)
        }
    }

    @Test("app metadata survives", arguments: [AppMetadata.Family.unknown, .none, .member("1")])
    func appMetadata(family: AppMetadata.Family) throws {
        let metadata = AppMetadata(
            clientID: "client", environment: "host", family: family,
            additionalFields: AdditionalFields([.init(name: "a", json: "true")]))
        #expect(try AppMetadataBody.decode(again(AppMetadataBody.encode(metadata))) == metadata)
    }

    @Test("fields that this build does not know survive a change")
    func unknownFields() throws {
        var newer = AccountBody.encode(account)
        newer.append(9, [1, 2, 3])
        newer.append(9, [])
        newer.append(65_535, [9])
        let read = try again(newer)
        var changed = try AccountBody.decode(read)
        changed.label = "home"
        let rewritten = try again(AccountBody.encode(changed, replacing: read))
        #expect(rewritten.fields.suffix(3) == newer.fields.suffix(3))
        #expect(try AccountBody.decode(rewritten).label == "home")

        var metadata = AppMetadataBody.encode(AppMetadata(clientID: "c", environment: "e", family: .none))
        metadata.append(5, [1])
        let kept = try AppMetadataBody.encode(AppMetadataBody.decode(again(metadata)), replacing: again(metadata))
        #expect(kept.bytes(5).map(Array.init) == [1])

        var token = CredentialBody.encode(credential)
        token.append(15, [2])
        let same = try CredentialBody.encode(credential, replacing: again(token))
        #expect(same.bytes(15).map(Array.init) == [2])
    }

    @Test("a body without its identifiers is malformed")
    func missing() throws {
        for (number, body) in [AccountBody.encode(account), CredentialBody.encode(credential)].enumerated() {
            var without = FieldList()
            for field in body.fields where field.number != 1 { without.append(field.number, Array(field.bytes)) }
            let error = failure(of: FieldList.Malformed.self) {
                if number == 0 {
                    _ = try AccountBody.decode(without)
                } else {
                    _ = try CredentialBody.decode(without, kind: .refreshToken)
                }
            }
            #expect(error != nil)
        }
    }

    @Test("text that is not UTF-8, and an integer of another size, are malformed")
    func types() throws {
        var text = FieldList()
        text.append(1, [0xFF])
        #expect(failure(of: FieldList.Malformed.self) { _ = try text.text(1) } != nil)
        var integer = FieldList()
        integer.append(1, [1, 2, 3])
        #expect(failure(of: FieldList.Malformed.self) { _ = try integer.integer(1) as UInt32? } != nil)
    }

    @Test("every truncation and every flipped byte of a body decodes or is malformed, and never crashes")
    func damage() throws {
        let bytes = CredentialBody.encode(credential).encoded()
        for count in 0..<bytes.count {
            guard let list = try? FieldList(encoded: bytes[..<count]) else { continue }
            #expect(list.encoded() == Array(bytes[..<count]))
            _ = try? CredentialBody.decode(list, kind: .refreshToken)
        }
        for offset in bytes.indices {
            for mask in [0x01, 0x80, 0xFF] as [UInt8] {
                guard let list = try? FieldList(encoded: bytes.flipping(mask, at: offset)[...]) else { continue }
                _ = try? CredentialBody.decode(list, kind: .refreshToken)
                _ = try? AccountBody.decode(list)
            }
        }
    }
}

@Suite("A list of numbered fields")
struct FieldListTests {
    @Test("fields are written in ascending order, and repeated ones keep theirs")
    func order() {
        var list = FieldList()
        list.append(2, [1])
        list.append(1, [2])
        list.append(2, [3])
        #expect(list.encoded() == [1, 0, 1, 0, 0, 0, 2] + [2, 0, 1, 0, 0, 0, 1] + [2, 0, 1, 0, 0, 0, 3])
    }

    @Test(
        "malformed lists are refused",
        arguments: [
            [1], [1, 0], [1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], [1, 0, 2, 0, 0, 0, 7],
            [2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0], [1, 0, 255, 255, 255, 255], [1, 0, 1, 0, 16, 0],
        ] as [[UInt8]])
    func malformed(bytes: [UInt8]) {
        #expect(failure(of: FieldList.Malformed.self) { _ = try FieldList(encoded: bytes[...]) } != nil)
    }

    @Test("no field at all is a list")
    func empty() throws {
        #expect(try FieldList(encoded: []) == FieldList())
    }

    @Test("a list can be read from the middle of other bytes")
    func slices() throws {
        let bytes: [UInt8] = [9, 9, 1, 0, 1, 0, 0, 0, 5, 9]
        let list = try FieldList(encoded: bytes[2..<9])
        #expect(list.bytes(1).map(Array.init) == [5])
        #expect(list.bytes(2) == nil)
    }
}
