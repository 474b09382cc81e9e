import Foundation
import Keyfob
import KeyfobSecretService
import KeyfobTestSupport
import Testing

@Suite("A vault in a service that is in trouble")
struct TroubledServiceTests {
    private let request = TokenRequest(account: "ada@contoso.example", scopes: ["mail.read"])

    private func code(_ body: () throws -> Void) -> KeyringError.Code? {
        failure(of: KeyringError.self, body)?.code
    }

    @Test("a collection that is locked meanwhile is locked, nothing changes, and it goes on when it is unlocked")
    func locked() throws {
        let session = try SharedSession()
        let home = try KeyringHome(in: session)
        let (ada, bob) = (try Account.contoso("ada"), try Account.contoso("bob"))
        try home.keyring.store(.access(ada), "token", for: ada)
        let state = try home.state()
        try session.withSession { try $0.lock() }
        #expect(home.keyring.refusal(request) == .locked)
        #expect(code { try home.keyring.store(.access(bob), "token", for: bob) } == .locked)
        #expect(code { try home.keyring.createGroup(AccessGroup("work")) } == .locked)
        #expect(code { _ = try home.keyring.remove(ada.id, from: .default) } == .locked)
        #expect(code { _ = try home.opened() } == .locked)
        #expect(code { _ = try home.keyring.verify() } == .locked)
        #expect(code { _ = try home.keyring.repair() } == .locked)
        try session.withSession { try $0.unlock() }
        #expect(try home.state() == state)
        #expect(try home.keyring.tokenText(request) == "token")
        #expect(try home.opened().tokenText(request) == "token")
    }

    @Test("a collection that gets another name is the same one, after the service's restart too")
    func renamed() throws {
        let session = try SharedSession()
        let home = try KeyringHome(in: session)
        let ada = try Account.contoso("ada")
        try home.keyring.store(.access(ada), "token", for: ada)
        try session.withSession { try $0.rename(to: "Something else") }
        #expect(try home.keyring.tokenText(request) == "token")
        try session.withSession { try $0.restartService() }
        #expect(try home.keyring.tokenText(request) == "token")
        try home.keyring.store(.access(ada, expires: 7_200), "newer", for: ada)
        #expect(try home.opened().tokenText(request) == "newer")
        #expect(try home.opened().verify().problems == [])
    }

    @Test("a service that is restarted during a large change loses nothing, and the change can be made again")
    func restarted() async throws {
        let session = try SharedSession()
        let home = try KeyringHome(in: session)
        let ada = try Account.contoso("ada")
        try home.keyring.store(.refresh(ada), "refresh of ada", for: ada)
        try home.keyring.store(.access(ada), "token", for: ada)
        let source = try KeyringHome()
        for number in 0..<40 {
            let account = try Account.contoso("person\(number)")
            try source.keyring.store(.refresh(account), "refresh \(number)", for: account)
        }
        var pieces: [UInt8] = []
        _ = try source.keyring.exportMSALCache { pieces += [UInt8]($0) }
        let cache = pieces
        for _ in 0..<3 {
            let (before, keyring) = (try home.items().records().count, home.keyring)
            async let outcome = Self.imported(cache, into: keyring)
            // Somewhere in the middle: once another item is there.
            while try home.items().records().count == before, try home.items().records().count < 82 {}
            try session.withSession { try $0.restartService() }
            _ = await outcome
            #expect(try home.opened().tokenText(request) == "token")
            #expect(try home.opened().credentials(of: ada.id, in: .default).count == 2)
        }
        _ = try home.keyring.importMSALCache(secret(cache))
        _ = try home.keyring.repair()
        let opened = try home.opened()
        #expect(try opened.verify().problems == [])
        #expect(try opened.accounts().count == 41)
        for number in 0..<40 {
            let id = try Account.contoso("person\(number)").id
            #expect(try opened.credentials(of: id, in: .default).count == 1)
        }
    }

    private static func imported(_ cache: [UInt8], into keyring: Keyring) async -> KeyringError.Code? {
        failure(of: KeyringError.self) { _ = try keyring.importMSALCache(secret(cache)) }?.code
    }

    @Test("where deleting wants a question that nobody may answer, the item is emptied and not seen any more")
    func emptied() throws {
        let session = try SharedSession(.misbehaving(["ask-to-delete", "ignore"]))
        let home = try KeyringHome(in: session)
        let (ada, bob) = (try Account.contoso("ada"), try Account.contoso("bob"))
        try home.keyring.store(.access(ada), "token", for: ada)
        try home.keyring.store(.access(bob), "token of bob", for: bob)
        let paths = try home.items().records(["account": ada.id.canonical])
        _ = try home.keyring.remove(ada.id, from: .default)
        #expect(home.keyring.refusal(request) == .noSuchAccount)
        #expect(try home.opened().accounts().map(\.account) == [bob])
        #expect(try home.keyring.verify().problems == [])
        let items = try home.items()
        #expect(try items.records(["account": ada.id.canonical]) == [])
        let emptied = try items.service.search(["kind": "emptied"], in: nil).items
        #expect(!emptied.isEmpty && Set(emptied).isSubset(of: Set(paths)))
        for item in emptied {
            #expect(try items.content(item) == Array("KFD1".utf8))
            #expect(try items.label(item) == "Keyfob: nothing, may be deleted")
            #expect(try !items.attributes(item).values.contains { $0.contains("ada") })
        }
        // A person may delete them, or sign in again.
        try home.keyring.store(.access(ada), "again", for: ada)
        #expect(try home.opened().tokenText(request) == "again")
    }
}
