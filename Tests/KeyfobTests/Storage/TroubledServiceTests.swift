import Foundation
import Keyfob
import KeyfobSecretService
import KeyfobTestSupport
import Synchronization
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
        #expect(code { try home.keyring.groups.create(AccessGroup("work")) } == .locked)
        #expect(code { _ = try home.keyring.accounts.removeForGood(ada.id, from: .default) } == .locked)
        #expect(code { _ = try home.opened() } == .locked)
        #expect(code { _ = try home.keyring.health.verify() } == .locked)
        #expect(code { _ = try home.keyring.health.repair() } == .locked)
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
        #expect(try home.opened().health.verify().problems == [])
    }

    @Test("a service that is restarted during a large change loses nothing, and the change can be made again")
    func restarted() throws {
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
        _ = try source.keyring.caches.exportMSAL { pieces += [UInt8]($0) }
        let cache = pieces
        for _ in 0..<3 {
            let (items, work) = (try home.items(), Work())
            let before = try items.records().count
            // A thread of its own: the tests' threads may all be taken.
            Thread.detachNewThread { [keyring = home.keyring] in
                _ = try? keyring.caches.importMSAL(secret(cache))
                work.isDone.withLock { $0 = true }
            }
            // Somewhere in the middle: once another item is there.
            while !work.isDone.withLock({ $0 }), try items.records().count == before {}
            try session.withSession { try $0.restartService() }
            while !work.isDone.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.01) }
            #expect(try home.opened().tokenText(request) == "token")
            #expect(try home.opened().accounts.credentials(of: ada.id, in: .default).count == 2)
        }
        _ = try home.keyring.caches.importMSAL(secret(cache))
        _ = try home.keyring.health.repair()
        let opened = try home.opened()
        #expect(try opened.health.verify().problems == [])
        #expect(try opened.accounts.list().count == 41)
        for number in 0..<40 {
            let id = try Account.contoso("person\(number)").id
            #expect(try opened.accounts.credentials(of: id, in: .default).count == 1)
        }
    }

    /// Whether something has come to its end.
    private final class Work: Sendable {
        let isDone = Mutex(false)
    }

    @Test("where deleting wants a question that nobody may answer, the item is emptied and not seen any more")
    func emptied() throws {
        let session = try SharedSession(.misbehaving(["ask-to-delete", "ignore"]))
        let home = try KeyringHome(in: session)
        let (ada, bob) = (try Account.contoso("ada"), try Account.contoso("bob"))
        try home.keyring.store(.access(ada), "token", for: ada)
        try home.keyring.store(.access(bob), "token of bob", for: bob)
        let paths = try home.items().records(["account": ada.id.canonical])
        _ = try home.keyring.accounts.removeForGood(ada.id, from: .default)
        #expect(home.keyring.refusal(request) == .noSuchAccount)
        #expect(try home.opened().accounts.list().map(\.account) == [bob])
        #expect(try home.keyring.health.verify().problems == [])
        let items = try home.items()
        #expect(try items.records(["account": ada.id.canonical]) == [])
        let emptied = try items.service.search(["xdg:schema": "io.keyfob.Emptied"], in: nil).items
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
