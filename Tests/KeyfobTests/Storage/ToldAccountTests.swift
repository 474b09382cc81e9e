import Foundation
import Keyfob
import KeyfobModel
import KeyfobSecretService
import KeyfobTestSupport
import Testing

/// A token of Ada's as `keyfob add ada@git.example` stores it.
private struct PlainToken {
    let account: Account

    init(_ name: String = "ada@git.example") throws {
        account = .knownByName(try #require(AccountID(name)))
    }

    func store(_ text: String, _ scopes: ScopeSet, in keyring: Keyring, group: AccessGroup = .default) throws {
        let credential = Credential(
            kind: .accessToken, account: account.id, clientID: Credential.noClient, scopes: scopes, cachedAt: noon)
        try keyring.store(credential, text, for: account, in: [group])
    }
}

@Suite("Accounts of which nothing but a token is known", .eachStorage)
struct PlainAccountTests {
    private let home: KeyringHome
    private let keyring: Keyring
    private let ada: PlainToken
    private let work: AccessGroup

    init() throws {
        home = try KeyringHome()
        keyring = home.keyring
        ada = try PlainToken()
        work = try AccessGroup("work")
        try ada.store("token", ["repo"], in: keyring)
    }

    private func accounts(_ group: AccessGroup = .default) throws -> [Account] {
        try home.opened().accounts.list(in: [group]).map(\.account)
    }

    private func text(_ name: String, _ group: AccessGroup = .default) -> String? {
        try? home.opened().tokenText(TokenRequest(account: name), in: [group])
    }

    @Test("are found by their names, listed and counted like all others")
    func found() throws {
        #expect(try accounts() == [ada.account])
        for name in ["ada@git.example", "ADA@git.example", "ada", "a"] { #expect(text(name) == "token") }
        #expect(text("ada@elsewhere.example") == nil)
        #expect(try keyring.groups.list().map(\.accounts) == [1])
        #expect(try keyring.groups.list().map(\.credentials) == [1])
        #expect(try home.opened().tokenText(TokenRequest()) == "token")
        #expect(try keyring.health.verify().problems == [])
    }

    @Test("who has the id of one as a user name is told from it")
    func namesake() throws {
        let id = try #require(AccountID("42@idp.example"))
        let other = Account(id: id, username: "ada@git.example")
        try keyring.store(.access(other), "another's", for: other)
        #expect(try home.opened().refusal(TokenRequest(account: "ada@git.example")) == .ambiguous)
        #expect(text("42@idp.example") == "another's")
        let request = TokenRequest(account: "ada@git.example", environment: "git.example")
        #expect(try home.opened().tokenText(request) == "token")
    }

    @Test("a label, another token and a later one change nothing of whose they are")
    func changed() throws {
        try keyring.accounts.setLabel("boss", of: ada.account.id, in: .default)
        #expect(try accounts().map(\.label) == ["boss"] && text("boss") == "token")
        try ada.store("newer", ["repo"], in: keyring)
        try ada.store("gist", ["gist"], in: keyring)
        #expect(try accounts().map(\.label) == ["boss"])
        #expect(try home.opened().tokenText(TokenRequest(account: "boss", scopes: ["repo"])) == "newer")
        #expect(try home.opened().tokenText(TokenRequest(account: "boss", scopes: ["gist"])) == "gist")
        #expect(try keyring.health.verify().problems == [])
    }

    @Test("who stores another token of one after it was removed elsewhere keeps it")
    func addedAgain() throws {
        let (other, keys) = (try KeyringHome(), BundleKeys())
        let bundle = try keyring.bundle(for: keys.seal)
        _ = try other.keyring.bundles.import(try other.folder.bundle(bundle), with: keys.opener)
        let removing = try other.opened(at: noon.advanced(by: 30))
        _ = try removing.accounts.removeForGood(ada.account.id, from: .default)
        try ada.store("gist", ["gist"], in: home.opened(at: noon.advanced(by: 60)))
        let removal = try removing.bundle(for: keys.seal)
        _ = try home.keyring.bundles.import(try home.folder.bundle(removal), with: keys.opener)
        #expect(try accounts() == [ada.account])
        let request = TokenRequest(account: "ada", scopes: ["gist"])
        #expect(try home.opened().tokenText(request) == "gist")
    }

    @Test("they stay when their last token goes, and go when they are removed")
    func lastToken() async throws {
        try keyring.accounts.setDefault(ada.account.id, in: .default)
        _ = try await keyring.accounts.signOut(
            ada.account.id, reach: .everywhere, from: .default, undo: .none, network: nil)
        #expect(try accounts() == [ada.account] && text("ada") == nil)
        try ada.store("again", ["repo"], in: keyring)
        #expect(text("ada") == "again")
        try ada.store("gist", ["gist"], in: keyring)
        _ = try keyring.accounts.removeForGood(ada.account.id, from: .default)
        #expect(try accounts() == [] && text("ada@git.example") == nil)
        #expect(try keyring.health.verify().problems == [])
        try ada.store("back", ["repo"], in: keyring)
        #expect(try accounts() == [ada.account] && text("ada") == "back")
    }

    @Test("they move to another group with their tokens")
    func moved() throws {
        try keyring.groups.create(work)
        _ = try keyring.accounts.move(ada.account.id, from: .default, to: work)
        #expect(try accounts() == [] && accounts(work) == [ada.account])
        #expect(text("ada", work) == "token" && text("ada") == nil)
        try keyring.groups.rename(work, to: AccessGroup("job"))
        #expect(text("ada", try AccessGroup("job")) == "token")
        #expect(try keyring.health.verify().problems == [])
    }
}

@Suite("Accounts without an item of their own", .waitsForPrograms)
struct ToldAccountTests {
    private let home: KeyringHome
    private let items: VaultItems
    private let ada: PlainToken

    init() throws {
        home = try KeyringHome(in: SharedSession.forOneVault())
        items = try home.items()
        ada = try PlainToken()
        try ada.store("token", ["repo"], in: home.keyring)
    }

    private func schemas() throws -> [String] {
        try items.records().map {
            try items.attributes($0)["xdg:schema"]?.split(separator: ".").last.map(String.init) ?? ""
        }
    }

    /// The same without what is kept for an undo.
    private func schemasOfUse() throws -> [String] { try schemas().filter { $0 != "Undo" } }

    @Test("a token is one item with few attributes, and its account gets one when more is known")
    func oneItem() throws {
        #expect(try schemas() == ["AccessToken"])
        let attributes = try items.attributes(items.record([:]))
        #expect(Set(attributes.keys) == ["xdg:schema", "keyfob", "account", "called:ada", "record"])
        try ada.store("newer", ["repo"], in: home.opened(at: noon.advanced(by: 1)))
        try ada.store("gist", ["gist"], in: home.opened(at: noon.advanced(by: 2)))
        // The token that was replaced, and nothing of the one that was added.
        let all = try schemas()
        #expect(all.sorted() == ["AccessToken", "AccessToken", "Undo"])
        // The later token goes alone.
        let undone = try home.opened(at: noon.advanced(by: 3)).undo.undo()
        #expect(undone.items.map(\.outcome) == [.goes] && undone.items.map(\.kind) == [.accessToken], "\(undone)")
        #expect(try home.opened().accounts.list().count == 1)
        try ada.store("gist", ["gist"], in: home.opened(at: noon.advanced(by: 4)))
        try home.keyring.accounts.setLabel("boss", of: ada.account.id, in: .default)
        #expect(try schemasOfUse() == ["AccessToken", "AccessToken", "Account"])
        try ada.store("newest", ["repo"], in: home.keyring)
        #expect(try schemasOfUse() == ["AccessToken", "AccessToken", "Account"])
    }

    @Test("a label that a new account brings, and a user name, need one")
    func labelled() throws {
        let bob = try PlainToken("bob@git.example")
        var account = bob.account
        account.label = "friend"
        let credential = Credential(kind: .accessToken, account: account.id, clientID: Credential.noClient)
        try home.keyring.store(credential, "bobs", for: account)
        #expect(try schemas() == ["AccessToken", "Account", "AccessToken"])
        #expect(try home.opened().tokenText(TokenRequest(account: "friend")) == "bobs")
    }

    @Test("whoever removes the token's item removes the account with it")
    func removedItem() throws {
        try items.service.delete(items.record([:]))
        #expect(try home.opened().accounts.list() == [])
        #expect(try home.keyring.health.verify().problems == [])
        try ada.store("again", ["repo"], in: home.keyring)
        #expect(try home.opened().tokenText(TokenRequest(account: "ada")) == "again")
    }

    @Test("one whose token does not open is damage, and not gone")
    func damaged() throws {
        try items.change(items.record([:])) { $0["record"] = "what somebody typed" }
        for name in ["ada@git.example", "ada"] {
            #expect(try home.opened().refusal(TokenRequest(account: name)) == .damaged)
        }
        #expect(try home.opened().refusal(TokenRequest()) == .damaged)
        let opened = try home.opened()
        #expect(try opened.accounts.list() == [] && !opened.takeWarnings().isEmpty)
        #expect(try opened.health.repair().files.count == 1)
        #expect(try home.opened().health.verify().problems == [])
    }

    @Test("an item of its own counts, whatever a token tells")
    func ownItem() throws {
        try home.keyring.accounts.setLabel("boss", of: ada.account.id, in: .default)
        let account = try items.record(["xdg:schema": "io.keyfob.Account"])
        try items.service.delete(account)
        #expect(try home.opened().accounts.list().map(\.account) == [ada.account])
        #expect(try home.opened().refusal(TokenRequest(account: "boss")) == .noSuchAccount)
        #expect(try home.keyring.health.verify().problems == [])
    }

    @Test("a label whose first call has not come to the service is completed, for the tokens too")
    func beforeFirstCall() throws {
        let refusing = try RefusingSession()
        let home = try KeyringHome(in: refusing.session)
        try ada.store("token", ["repo"], in: home.keyring)
        // The first is what the label is taken back by.
        try refusing.order("refuse from 3 \(RefusingSession.changes)")
        _ = failure(of: KeyringError.self) {
            try home.keyring.accounts.setLabel("boss", of: ada.account.id, in: .default)
        }
        try refusing.order("")
        let items = try home.items()
        try items.service.delete(items.record(["xdg:schema": "io.keyfob.Account"]))
        let opened = try home.opened()
        #expect(try opened.tokenText(TokenRequest(account: "boss")) == "token")
        #expect(try items.attributes(items.record(["xdg:schema": "io.keyfob.AccessToken"]))["label"] == "boss")
        #expect(try opened.health.verify().problems == [])
    }

    @Test(
        "a change of one that is stopped at whichever call is completed by whoever looks next",
        arguments: [true, false])
    func stopped(isRemoval: Bool) async throws {
        let refusing = try RefusingSession()
        var (number, isRefused) = (0, true)
        while isRefused {
            number += 1
            let home = try KeyringHome(in: refusing.session)
            try ada.store("token", ["repo"], in: home.keyring)
            try refusing.order("refuse from \(number) \(RefusingSession.changes)")
            let keyring = home.keyring
            do {
                if isRemoval {
                    _ = try await keyring.accounts.signOut(
                        ada.account.id, reach: .everywhere, from: .default, undo: .none, network: nil)
                } else {
                    try keyring.accounts.setLabel("boss", of: ada.account.id, in: .default)
                }
                isRefused = false
            } catch {
                #expect(error.code != .damaged, "\(number)")
            }
            try refusing.order("")
            let opened = try home.opened()
            let isMade = number > 1 || !isRefused
            let accounts = try opened.accounts.list().map(\.account)
            #expect(accounts.map(\.id) == [ada.account.id], "\(number)")
            let token = try? opened.tokenText(TokenRequest(account: "ada"))
            if isRemoval {
                #expect(token == (isMade ? nil : "token"), "\(number)")
            } else {
                #expect(token == "token" && accounts[0].label == (isMade ? "boss" : nil), "\(number)")
            }
            #expect(try opened.health.verify().problems == [], "\(number)")
        }
        #expect(number > 1)
    }

    @Test("two vaults beside one another with the same account have a token each")
    func twoVaults() throws {
        let other = try KeyringHome(in: home.session)
        #expect(try other.opened().refusal(TokenRequest(account: "ada@git.example")) == .noSuchAccount)
        try ada.store("another's", ["repo"], in: other.keyring)
        for name in ["ada@git.example", "ada"] {
            #expect(try home.opened().tokenText(TokenRequest(account: name)) == "token")
            #expect(try other.opened().tokenText(TokenRequest(account: name)) == "another's")
        }
        _ = try other.keyring.accounts.removeForGood(ada.account.id, from: .default)
        #expect(try other.opened().accounts.list() == [])
        #expect(try home.opened().accounts.list().map(\.account) == [ada.account])
    }

    @Test(
        "a bus that ends at whichever call of a change, before or after the service has it, costs nothing",
        arguments: ["cut", "finish"])
    func endOfTheBus(end: String) throws {
        let refusing = try RefusingSession(before: .keyring)
        var number = 0
        repeat {
            number += 1
            let home = try KeyringHome(in: refusing.session)
            try ada.store("token", ["repo"], in: home.keyring)
            let opened = try home.opened()
            try refusing.order("\(end) once \(number)")
            let error = failure(of: KeyringError.self) {
                try opened.accounts.setLabel("boss", of: ada.account.id, in: .default)
            }
            try refusing.order("")
            #expect(error == nil || error?.code == .unavailable, "\(end) \(number): \(String(describing: error))")
            let next = try home.opened()
            #expect(try next.tokenText(TokenRequest(account: "ada@git.example")) == "token", "\(end) \(number)")
            let labels = try next.accounts.list().map(\.account.label)
            #expect(labels == ["boss"] || error != nil && labels == [nil], "\(end) \(number)")
            #expect(try next.health.verify().problems == [], "\(end) \(number)")
        } while refusing.hasRefused
        #expect(number > 4)
    }
}
