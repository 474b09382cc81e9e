import Keyfob
import KeyfobSecretService
import KeyfobTestSupport
import Testing

/// What others in the session may do to the items of a vault: Ada and Bob are in `default`, Bob is in `work` too.
@Suite("Items that others changed")
struct ChangedItemTests {
    private let home: KeyringHome
    private let keyring: Keyring
    private let items: VaultItems
    private let work: AccessGroup
    private let ada: Account
    private let bob: Account
    private let request = TokenRequest(account: "ada@contoso.example", scopes: ["mail.read"])
    private let bobs = TokenRequest(account: "bob@contoso.example", scopes: ["mail.read"])

    init() throws {
        home = try KeyringHome(in: SharedSession.forOneVault())
        keyring = home.keyring
        work = try AccessGroup("work")
        (ada, bob) = (try .contoso("ada", label: "boss"), try .contoso("bob"))
        try keyring.groups.create(work)
        try keyring.store(.access(ada), "token of ada", for: ada)
        try keyring.store(.access(bob), "token of bob", for: bob)
        try keyring.store(.access(bob), "work token of bob", for: bob, in: [work])
        items = try home.items()
    }

    private func code(_ body: () throws -> Void) -> KeyringError.Code? {
        failure(of: KeyringError.self, body)?.code
    }

    /// An item of an account in a group.
    private func item(_ kind: String, of account: Account, in group: String = "default") throws -> VaultItems.Path {
        try items.record(["xdg:schema": "io.keyfob.\(kind)", "account": account.id.canonical, "group": group])
    }

    /// Expects that a repair finds something to do or to tell, after which all is well.
    private func expectMended(aside: Int = 0, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try !keyring.health.verify().problems.isEmpty, sourceLocation: sourceLocation)
        #expect(try keyring.health.repair().files.count == aside, sourceLocation: sourceLocation)
        #expect(try home.opened().health.verify().problems == [], sourceLocation: sourceLocation)
    }

    @Test("a token whose item is gone is not there, and can be stored again")
    func deleted() throws {
        try items.service.delete(item("AccessToken", of: ada))
        #expect(keyring.refusal(request) == .signInNeeded)
        #expect(try keyring.tokenText(bobs, in: [.default]) == "token of bob")
        #expect(try keyring.store(.access(ada), "again", for: ada) == .added)
        #expect(try home.opened().tokenText(request) == "again")
        try items.service.delete(item("Account", of: ada))
        #expect(keyring.refusal(request) == .noSuchAccount)
        let report = try keyring.health.verify()
        #expect(report.problems == [] && report.orphans.map(\.account) == [ada.id])
        #expect(report.orphans.map(\.tokens) == [1])
        #expect(try keyring.accounts.removeForGood(ada.id, from: .default) == 1)
        #expect(try keyring.health.verify().orphans == [])
    }

    @Test(
        "of two items with one record the one that was written last counts, wherever it lies", arguments: [false, true])
    func doubled(isOlderFirst: Bool) throws {
        let token = try item("AccessToken", of: ada)
        let old = try items.snapshot(token)
        try keyring.store(.access(ada, expires: 7_200), "newer", for: ada)
        let new = try items.snapshot(token)
        let double = try items.double(token)
        try items.put(isOlderFirst ? old : new, into: token)
        try items.put(isOlderFirst ? new : old, into: double)
        #expect(try home.opened().tokenText(request) == "newer")
        #expect(try keyring.health.verify().problems.count == 1)
        // The next change leaves one.
        try keyring.store(.access(ada, expires: 7_300), "newest", for: ada)
        #expect(try home.opened().tokenText(request) == "newest")
        #expect(try items.records(["xdg:schema": "io.keyfob.AccessToken", "account": ada.id.canonical]).count == 1)
        #expect(try keyring.health.verify().problems == [])
    }

    @Test("of two items that are equal one counts, and a repair removes the other")
    func equals() throws {
        try items.double(item("AccessToken", of: ada))
        try items.double(item("Account", of: ada))
        #expect(try home.opened().tokenText(request) == "token of ada")
        #expect(try keyring.accounts.list(in: [.default]).map(\.account) == [ada, bob])
        try expectMended()
        #expect(try items.records(["account": ada.id.canonical]).count == 2)
        #expect(try home.opened().tokenText(request) == "token of ada")
    }

    @Test("what is removed is removed from every item that holds it")
    func removedDoubles() throws {
        try items.double(item("AccessToken", of: ada))
        try items.double(item("Account", of: ada))
        _ = try keyring.accounts.removeForGood(ada.id, from: .default)
        #expect(try items.records(["account": ada.id.canonical]) == [])
        #expect(try home.opened().refusal(request) == .noSuchAccount)
    }

    @Test(
        "a changed letter, a missing end and nonsense in what stands beside a token are damage, for that account alone",
        arguments: 0..<40)
    func damaged(number: Int) throws {
        let token = try item("AccessToken", of: ada)
        try items.change(token) { attributes in
            var text = Array((attributes["record"] ?? "").utf8)
            let place = (text.count - 1) * number / 29
            switch number {
            case 0..<30: text[place] = text[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            case 30..<38: text.removeLast(text.count * (number - 29) / 9)
            case 38: text = Array("S0ZJMg".utf8)
            default: text = Array("{not base64}".utf8)
            }
            attributes["record"] = String(decoding: text, as: UTF8.self)
        }
        #expect(keyring.refusal(request) == .damaged)
        #expect(try home.opened().refusal(request) == .damaged)
        #expect(try keyring.tokenText(bobs, in: [.default]) == "token of bob")
        #expect(code { try keyring.store(.access(ada), "again", for: ada) } == .damaged)
        #expect(try text(of: token) == "token of ada", "nothing is written over it")
        try expectMended(aside: 1)
        #expect(try text(of: token) == "token of ada", "what was put aside is there still")
        let noted = try home.opened().health.losses().map(\.loss)
        #expect(noted.map(\.kind) == [.accessToken] && noted.map(\.account) == [ada.id])
        #expect(noted.first?.file == token.path)
        try keyring.store(.access(ada), "again", for: ada)
        #expect(try home.opened().tokenText(request) == "again")
    }

    @Test(
        "where the note of what is lost is damaged itself, it is put aside, and a new one tells of it and of what follows"
    )
    func damagedNote() throws {
        try items.change(item("AccessToken", of: ada)) { $0["record"] = "x" }
        #expect(try keyring.health.repair().losses.count == 1)
        try items.set(items.record(["xdg:schema": "io.keyfob.Setting", "name": "losses"]), to: Array("x".utf8))
        try items.change(item("AccessToken", of: bob)) { $0["record"] = "x" }
        #expect(try keyring.health.repair().files.count == 2)
        let noted = try home.opened().health.losses().map(\.loss)
        #expect(Set(noted.map(\.kind)) == [.setting, .accessToken] && noted.contains { $0.account == bob.id })
        #expect(try home.opened().health.verify().isSound)
    }

    private func text(of item: VaultItems.Path) throws -> String {
        String(decoding: try items.content(item), as: UTF8.self)
    }

    @Test("a token that another program has changed is told and not given, until a repair takes it over")
    func changedToken() throws {
        let token = try item("AccessToken", of: ada)
        try items.set(token, to: Array("changed by hand\n".utf8))
        for keyring in [keyring, try home.opened()] {
            let refused = failure(of: KeyringError.self) { _ = try keyring.tokens.stored(for: request) }
            #expect(refused?.code == .damaged && refused?.message.contains("changed its secret") == true)
        }
        #expect(try keyring.tokenText(bobs, in: [.default]) == "token of bob")
        let report = try keyring.health.verify()
        #expect(report.problems.count == 1 && report.losses == [])
        #expect(report.problems.first?.contains("another program has changed an access token of \(ada.id)") == true)
        #expect(report.replacedTokens.map(\.loss.account) == [ada.id])
        let repaired = try keyring.health.repair()
        #expect(repaired.files == [] && repaired.losses == [])
        #expect(repaired.takenOver.map(\.loss.account) == [ada.id])
        #expect(try home.opened().health.verify().isSound)
        #expect(try home.opened().tokenText(request) == "changed by hand")
        try keyring.store(.access(ada), "again", for: ada)
        #expect(try home.opened().tokenText(request) == "again")
    }

    @Test("a token that is changed back is the one it was, with the end of a line too")
    func changedBack() throws {
        let token = try item("AccessToken", of: ada)
        try items.set(token, to: Array("x".utf8))
        #expect(keyring.refusal(request) == .damaged)
        try items.set(token, to: Array("token of ada\n".utf8))
        #expect(try keyring.tokenText(request) == "token of ada")
        #expect(try keyring.health.verify().problems == [])
    }

    @Test("an empty item, which a service leaves that ends while it makes one, is nothing, and a repair removes it")
    func unfinished() throws {
        let eve = try Account.contoso("eve")
        let (account, token) = (
            try items.double(item("Account", of: ada)), try items.double(item("AccessToken", of: ada))
        )
        for path in [account.path, token.path] {
            try #require(home.session).withSession { try $0.putRawSecret("", at: path) }
        }
        try items.change(account) { $0["account"] = eve.id.canonical }
        #expect(try keyring.tokenText(request) == "token of ada")
        #expect(try keyring.accounts.list(in: [.default]).map(\.account) == [ada, bob])
        try keyring.store(.access(eve), "token of eve", for: eve)
        try keyring.store(.access(ada, expires: 7_200), "newer", for: ada)
        #expect(try home.opened().tokenText(request) == "newer")
        try expectMended()
        #expect(try items.records(["account": eve.id.canonical]).count == 2)
        #expect(try items.records(["account": ada.id.canonical]).count == 2)
        #expect(try home.opened().tokenText(request) == "newer")
    }

    /// Gives an item the record and the token of another, and leaves it the attributes by which it is found.
    private func paste(_ other: VaultItems.Path, into item: VaultItems.Path) throws {
        let theirs = try items.attributes(other)
        try items.set(item, to: items.content(other))
        try items.change(item) { $0["record"] = theirs["record"] }
    }

    @Test("another record's content is that record, never the one that the attributes tell of")
    func pastedRecord() throws {
        try paste(item("AccessToken", of: bob), into: item("AccessToken", of: ada))
        #expect(keyring.refusal(request) == .signInNeeded)
        #expect(try keyring.tokenText(bobs, in: [.default]) == "token of bob")
        #expect(try keyring.accounts.credentials(of: ada.id, in: .default) == [])
        try expectMended()
        #expect(try keyring.tokenText(bobs, in: [.default]) == "token of bob")
        try paste(item("Account", of: bob), into: item("Account", of: ada))
        #expect(keyring.refusal(request) == .noSuchAccount)
        #expect(keyring.refusal(TokenRequest(account: "boss")) == .noSuchAccount)
    }

    @Test("another's token beside one's own record is not given")
    func pastedToken() throws {
        try items.set(item("AccessToken", of: ada), to: items.content(item("AccessToken", of: bob)))
        #expect(keyring.refusal(request) == .damaged)
        #expect(try keyring.tokenText(bobs, in: [.default]) == "token of bob")
    }

    @Test("another group's content is that group's, whatever stands beside it")
    func pastedFromGroup() throws {
        try paste(item("AccessToken", of: bob, in: "work"), into: item("AccessToken", of: bob))
        #expect(keyring.refusal(bobs, in: [.default]) == .signInNeeded)
        #expect(try keyring.tokenText(bobs, in: [work]) == "work token of bob")
        try expectMended()
        #expect(keyring.refusal(bobs, in: [.default]) == .signInNeeded)
        #expect(try home.opened().tokenText(bobs, in: [work]) == "work token of bob")
    }

    @Test("another vault's content is damage")
    func pastedFromVault() throws {
        let other = try KeyringHome(in: home.session)
        try other.keyring.store(.access(ada), "another's", for: ada)
        try paste(try other.items().record(["xdg:schema": "io.keyfob.AccessToken"]), into: item("AccessToken", of: ada))
        #expect(keyring.refusal(request) == .damaged)
        try expectMended(aside: 1)
        #expect(try other.keyring.tokenText(request) == "another's")
    }

    @Test(
        "attributes that were changed hide an item; a repair finds it",
        arguments: ["xdg:schema", "account", "client", "realm"])
    func misfiled(name: String) throws {
        let token = try item("AccessToken", of: ada)
        let exact = TokenRequest(account: "ada@contoso.example", realm: "contoso", clientID: "mailer")
        let refusal: KeyringError.Code? = ["xdg:schema", "account"].contains(name) ? .signInNeeded : nil
        // GNOME's keyring lets no item be without a schema.
        for value in name == "xdg:schema" ? ["x"] : [nil, "x"] {
            try items.change(token) { $0[name] = value }
            #expect(keyring.refusal(request) == refusal)
            #expect(keyring.refusal(exact) == refusal)
            try expectMended()
            #expect(try home.opened().tokenText(request) == "token of ada")
        }
    }

    @Test("an item of another's with our attributes is damage, and is put aside")
    func foreign() throws {
        let token = try item("AccessToken", of: ada)
        let foreign = try items.double(token, with: Array("somebody's".utf8))
        try items.change(foreign) { $0["record"] = "somebody's" }
        #expect(keyring.refusal(request) == .damaged)
        #expect(try keyring.tokenText(bobs, in: [.default]) == "token of bob")
        try expectMended(aside: 1)
        #expect(try home.opened().tokenText(request) == "token of ada")
        #expect(try items.content(foreign) == Array("somebody's".utf8))
    }

    @Test("an item of the vault that is in none of its groups is told, and put aside")
    func stray() throws {
        let token = try items.double(item("AccessToken", of: ada), with: Array("nobody's".utf8))
        try items.change(token) { attributes in
            attributes["group"] = "nosuch"
            attributes["record"] = "x"
        }
        #expect(try keyring.tokenText(request) == "token of ada")
        try expectMended(aside: 1)
        #expect(try home.opened().health.losses().map(\.loss.account) == [ada.id])
    }

    @Test(
        "a header that is gone is made again, and no record is lost; one that is damaged is told before",
        arguments: [true, false])
    func lostHeader(isDamaged: Bool) throws {
        let header = try #require(items.headers().first)
        if isDamaged {
            try items.set(header, to: [1, 2, 3])
            #expect(code { _ = try home.opened() } == .damaged)
            #expect(code { try keyring.groups.create(AccessGroup("third")) } == .damaged)
            #expect(try items.content(header) == [1, 2, 3])
        }
        try items.service.delete(header)
        let opened = try home.opened()
        let warnings = opened.takeWarnings()
        #expect(warnings.count == 1 && warnings[0].message.contains("made again"))
        #expect(try opened.groups.list().map(\.name) == [.default, work])
        #expect(try opened.tokenText(request) == "token of ada")
        #expect(try opened.tokenText(bobs, in: [work]) == "work token of bob")
        #expect(try items.headers().count == 1)
        try opened.store(.access(ada, expires: 7_200), "newer", for: ada)
        #expect(try home.opened().tokenText(request) == "newer")
        #expect(try home.opened().takeWarnings() == [] && opened.health.verify().problems == [])
        // Who had the vault open goes on.
        #expect(try keyring.tokenText(request) == "newer")
        try keyring.store(.access(ada, expires: 7_300), "newest", for: ada)
        #expect(try opened.tokenText(request) == "newest")
    }

    @Test("a header of garbage can be put aside, and is made again")
    func mendedHeader() throws {
        let options = try #require(home.session).options
        #expect(try Keyring.Health.putDamagedHeaderAside(at: home.location, secretService: options) == [])
        let header = try #require(items.headers().first)
        try items.set(header, to: [1, 2, 3])
        #expect(code { _ = try home.opened() } == .damaged)
        #expect(try Keyring.Health.putDamagedHeaderAside(at: home.location, secretService: options).count == 1)
        #expect(try items.content(header) == [1, 2, 3] && items.headers() == [])
        let opened = try home.opened()
        #expect(opened.takeWarnings().count == 1)
        #expect(try opened.tokenText(request) == "token of ada")
        #expect(try opened.health.verify().problems == [])
    }

    @Test("of two headers the newer counts, wherever it lies", arguments: [false, true])
    func doubledHeader(isOlderFirst: Bool) throws {
        let header = try #require(items.headers().first)
        let old = try items.content(header)
        let third = try AccessGroup("third")
        try keyring.groups.create(third)
        let new = try items.content(header)
        try items.set(header, to: isOlderFirst ? old : new)
        try items.double(header, with: isOlderFirst ? new : old)
        #expect(try home.opened().groups.list().map(\.name) == [.default, work, third])
        #expect(try keyring.health.verify().problems.count == 1)
        try keyring.groups.create(AccessGroup("fourth"))
        #expect(try home.opened().groups.list().count == 4)
        #expect(try keyring.groups.list().count == 4)
    }

    @Test("an older header, put in the place of the newer, is told")
    func olderHeader() throws {
        let header = try #require(items.headers().first)
        let old = try items.content(header)
        try keyring.groups.create(AccessGroup("third"))
        try items.set(header, to: old)
        let opened = try home.opened()
        #expect(opened.takeWarnings().contains { $0.message.contains("earlier state") })
        #expect(try opened.tokenText(request) == "token of ada")
    }

    @Test("another vault's header is not this one's")
    func foreignHeader() throws {
        let other = try KeyringHome(in: home.session)
        let theirs = try #require(other.items().headers().first)
        try items.double(#require(items.headers().first), with: other.items().content(theirs))
        #expect(try home.opened().groups.list().map(\.name) == [.default, work])
        #expect(try home.opened().tokenText(request) == "token of ada")
        try keyring.groups.create(AccessGroup("third"))
        #expect(try home.opened().groups.list().count == 3)
    }
}
