import KeyfobFiles
import KeyfobModel
import KeyfobRecords
import KeyfobStoreTestSupport
import KeyfobTestSupport
import KeyfobVault
import Testing

@testable import KeyfobStore

@Suite("Storing credentials")
struct CredentialStorageTests {
    private let home: StoreHome

    init() throws {
        home = try StoreHome()
    }

    @discardableResult
    private func save(_ credential: Credential, _ text: String) throws -> GroupWriter.Outcome {
        try home.change { try $0.save(credential, secret: secret(text)) }
    }

    private func grant() throws -> Grant? {
        try home.database.credentials(.refreshToken, in: home.keys()).items.first?.value.grant
    }

    @Test("an access token takes the place of those with a scope in common")
    func overlap() throws {
        #expect(try save(.access(scopes: ["a", "b"]), "1") == .added)
        #expect(try save(.access(scopes: ["c"]), "2") == .added)
        #expect(try home.secrets(.accessToken) == ["1", "2"])
        #expect(try save(.access(scopes: ["B", "C"]), "3") == .changed)
        #expect(try home.secrets(.accessToken) == ["3"])
        #expect(try home.problems() == [])
    }

    @Test("tokens with other scopes, of another tenant, client, account, type or key stay")
    func others() throws {
        try save(.access(), "1")
        try save(.access(scopes: ["other"]), "2")
        try save(.access(realm: "fabrikam"), "3")
        try save(.access(client: "other"), "4")
        try save(.access("bob"), "5")
        var proof = try Credential.access()
        proof.tokenType = "pop"
        try save(proof, "6")
        proof.keyID = "key"
        try save(proof, "7")
        #expect(try home.secrets(.accessToken) == ["1", "2", "3", "4", "5", "6", "7"])
        #expect(try save(.access(realm: "CONTOSO", expires: 7_200), "8") == .changed)
        #expect(try home.secrets(.accessToken) == ["8", "2", "3", "4", "5", "6", "7"])
    }

    @Test("the same token once more changes nothing")
    func same() throws {
        try save(.access(), "1")
        let before = try home.database.state(of: home.keys()).sequence
        #expect(try save(.access(), "1") == .unchanged)
        #expect(try home.database.state(of: home.keys()).sequence == before)
    }

    @Test("an older token is not taken", arguments: [(3_599, true), (3_600, false), (3_601, false)] as [(Int64, Bool)])
    func older(expires: Int64, isKept: Bool) throws {
        try save(.access(), "stored")
        #expect(try save(.access(expires: expires), "other") == (isKept ? .kept : .changed))
        #expect(try home.secrets(.accessToken) == [isKept ? "stored" : "other"])
    }

    @Test("a refresh token that a cache wrote earlier than the one stored is not taken")
    func olderRefreshToken() throws {
        func written(_ seconds: Int) throws -> Credential {
            var credential = try Credential.refresh()
            credential.additionalFields = AdditionalFields([
                .init(name: "last_modification_time", json: "\"\(seconds)\"")
            ])
            return credential
        }
        try save(written(2_000), "newer")
        #expect(try save(written(1_000), "older") == .kept)
        #expect(try home.secrets(.refreshToken) == ["newer"])
        #expect(try save(written(3_000), "newest") == .changed)
    }

    @Test("the same token that comes in again later changes nothing")
    func again() throws {
        try save(.access(), "stored")
        var later = try Credential.access()
        later.cachedAt = later.cachedAt?.advanced(by: 60)
        #expect(try save(later, "stored") == .unchanged)
    }

    @Test("the owner's own word counts, whatever its age")
    func owner() throws {
        try save(.access(), "stored")
        let outcome = try home.change {
            try $0.save(.access(expires: 60), secret: secret("given"), from: .owner)
        }
        #expect(outcome == .changed)
        #expect(try home.secrets(.accessToken) == ["given"])
    }

    @Test("a refresh token that differs raises the generation, and the same one does not")
    func generations() throws {
        try save(.refresh(), "1")
        #expect(try grant() == Grant(epoch: 1, generation: 1))
        #expect(try save(.refresh(), "1") == .unchanged)
        #expect(try grant() == Grant(epoch: 1, generation: 1))
        #expect(try save(.refresh(), "2") == .changed)
        #expect(try grant() == Grant(epoch: 1, generation: 2))
        #expect(try home.secrets(.refreshToken) == ["2"])
    }

    @Test(
        "a sign-in after a grant ended begins a new epoch",
        arguments: [
            Grant.State.signedOut, .needsSignIn(reason: "expired"),
        ])
    func epochs(state: Grant.State) throws {
        try save(.refresh(grant: Grant(state: state, epoch: 4, generation: 9, rotates: true)), "1")
        #expect(try save(.refresh(), "1") == .unchanged)
        #expect(try grant()?.state == state)
        try save(written(1), "2")
        #expect(try grant() == Grant(epoch: 5, rotates: true, ended: state == .signedOut ? 4 : 0))
    }

    /// A refresh token that a cache wrote so many seconds after noon, when the grants of these tests end.
    private func written(_ seconds: Int64?, isModification: Bool = true, family: String? = nil) throws -> Credential {
        var credential = try Credential.refresh(family: family)
        credential.cachedAt = nil
        guard let time = seconds.map(noon.advanced(by:)) else { return credential }
        if isModification {
            let field = AdditionalFields.Field(name: "last_modification_time", json: "\"\(time.seconds)\"")
            credential.additionalFields = AdditionalFields([field])
        } else {
            credential.cachedAt = time
        }
        return credential
    }

    @Test(
        "a file that may be from before a grant's end does not revive it",
        arguments: [
            (-60, true), (0, true), (-60, false), (0, false), (nil, true),
        ] as [(Int64?, Bool)], [Grant.State.signedOut, .needsSignIn(reason: "expired")])
    func staysEnded(time: (seconds: Int64?, isModification: Bool), state: Grant.State) throws {
        let incoming = try written(time.seconds, isModification: time.isModification)
        try save(.refresh(), "1")
        try home.change { try $0.endGrant(GrantKey(.refresh()), as: state) }
        // The same token as before, which nobody remembers, or another.
        for text in ["1", "2"] { #expect(try save(incoming, text) == .kept) }
        #expect(try grant()?.state == state)
        #expect(try home.database.credentials(.refreshToken, in: home.keys()).items.count == 1)
    }

    @Test("a file from after a grant's end revives it, and so does the owner's word", arguments: [true, false])
    func revived(isFile: Bool) throws {
        try save(.refresh(), "1")
        try home.change { try $0.endGrant(GrantKey(.refresh()), as: .signedOut) }
        let outcome = try home.change {
            try $0.save(written(isFile ? 1 : -60), secret: secret("2"), from: isFile ? .file : .owner)
        }
        #expect(outcome == .changed)
        #expect(try grant() == Grant(epoch: 2, ended: 1) && home.secrets(.refreshToken) == ["2"])
    }

    @Test("the token with which a grant ended does not revive it, however new the file is")
    func sameToken() throws {
        try save(.refresh(), "1")
        try home.change { try $0.updateGrant(GrantKey(.refresh())) { $0.grant?.state = .needsSignIn(reason: "no") } }
        try save(written(60), "1")
        #expect(try grant()?.state == .needsSignIn(reason: "no"))
    }

    @Test(
        "a sign-out before there was a token covers those of a family too",
        arguments: [(0, .kept), (1, .added)]
            as [(Int64, GroupWriter.Outcome)])
    func signOutMark(seconds: Int64, outcome: GroupWriter.Outcome) throws {
        try home.change { writer in
            try writer.signOut("mailer", of: Account.named("ada").id, leavesMark: true) { _, _ in }
        }
        #expect(try save(written(seconds, family: "1"), "2") == outcome)
    }

    @Test("an account that comes in again keeps its label and its other tenants")
    func accounts() throws {
        var ada = try Account.named("ada")
        ada.label = "work"
        ada.tenantProfiles = [TenantProfile(realm: "b", localAccountID: "1", environment: "e", username: "u")]
        #expect(try home.change { try $0.save(ada) } == .added)
        #expect(try home.change { try $0.save(ada) } == .unchanged)
        var again = try Account.named("ada")
        again.displayName = "Ada"
        again.tenantProfiles = [TenantProfile(realm: "a", localAccountID: "2", environment: "e", username: "u")]
        #expect(try home.change { try $0.save(again) } == .changed)
        let stored = try #require(try home.database.account(ada.id, in: home.keys()))
        #expect(stored.label == "work" && stored.displayName == "Ada")
        #expect(stored.tenantProfiles.map(\.realm) == ["a", "b"])
    }

    @Test("accounts are found by id, user name and label, and nothing else is")
    func lookups() throws {
        let (ada, keys) = (try Account.named("ada"), try home.keys())
        try home.change { writer in
            _ = try writer.save(ada)
            _ = try writer.save(Account.named("bob"))
            try writer.update(ada.id) { $0.label = "Work" }
        }
        #expect(try home.database.accounts(named: "ADA@contoso.example", in: keys).map(\.id) == [ada.id])
        #expect(try home.database.accounts(named: "work", in: keys).map(\.id) == [ada.id])
        #expect(try home.database.accounts(named: "", in: keys).isEmpty)
        #expect(try home.database.accounts(named: "ada", in: keys).isEmpty)
        #expect(
            storeError { try home.change { try $0.update(Account.named("eve").id) { $0.label = "x" } } } == .notFound)
    }

    @Test("metadata, foreign entities and settings are kept apart")
    func values() throws {
        let metadata = AppMetadata(clientID: "c", environment: "login.windows.net", family: .member("1"))
        try home.change { writer in
            #expect(try writer.save(metadata) == .added)
            #expect(try writer.save(metadata) == .unchanged)
            #expect(try writer.saveForeign(section: "s", key: "k", json: secret("{}")) == .added)
            #expect(try writer.saveForeign(section: "s", key: "k", json: secret("{}")) == .unchanged)
            #expect(try writer.saveForeign(section: "s", key: "k", json: secret("[]")) == .changed)
            try writer.setSetting("k", to: "1")
            try writer.setSetting("k", to: "2")
            #expect(try writer.setting("k") == "2")
            try writer.setSetting("gone", to: nil)
        }
        let keys = try home.keys()
        #expect(try home.database.appMetadata(in: keys).items.map(\.value) == [metadata])
        #expect(try home.database.foreignEntities(in: keys).items.map(\.value) == [["s", "k"]])
        #expect(try home.database.setting("k", in: keys)?.value == "2")
        #expect(try home.database.setting("other", in: keys) == nil)
        try home.change { try $0.setSetting("k", to: nil) }
        #expect(try home.database.setting("k", in: keys) == nil)
        #expect(try home.problems() == [])
    }
}
