import Foundation
@testable import Keyfob
import KeyfobModel
import KeyfobRecords
import KeyfobSQLiteTestSupport
import KeyfobTestSupport
import KeyfobVault
import Testing

/// How long, how much and where the journal keeps, and what is left of it.
@Suite("The undo journal", .eachStorage)
struct UndoJournalTests {
    private let home: KeyringHome
    private let clock = MovingClock()
    private let keyring: Keyring

    init() throws {
        home = try KeyringHome()
        keyring = try home.opened(clock: clock.clock)
    }

    private func add(_ name: String, _ token: String, in group: AccessGroup = .default) throws -> Account {
        let id = try #require(AccountID(homeAccountID: name, environment: "git.example"))
        let account = Account(id: id, username: name)
        let credential = Credential(kind: .accessToken, account: id, clientID: "personal-access-token")
        try keyring.store(credential, token, for: account, in: [group])
        return account
    }

    @discardableResult
    private func remove(_ account: Account, in group: AccessGroup = .default) throws -> UndoOffer? {
        clock.advance(by: 60)
        return try keyring.accounts.remove(
            account.id, from: group, undo: .keep(keyring.undo.command("account remove"))
        ).undo
    }

    private func code(_ body: () throws -> Void) -> KeyringError.Code? {
        failure(of: KeyringError.self) { try body() }?.code
    }

    /// The sealed tokens that the database holds; what the Secret Service holds are its items' attributes and secrets.
    private func holds(_ bytes: [UInt8]) throws -> Bool { Data(try home.state()).holds(Data(bytes)) }

    @Test("an entry can be undone for 30 days, and is gone then", arguments: [29, 31])
    func thirtyDays(days: Int64) throws {
        let ada = try add("ada", "only copy")
        let offer = try #require(try remove(ada))
        #expect(offer.until == clock.now.advanced(by: 30 * 86_400))
        clock.advance(by: days * 86_400)
        let other = try home.opened(clock: clock.clock)
        guard days > 30 else {
            _ = try other.undo.undoTaken()
            #expect(try keyring.tokenText(TokenRequest(account: "ada")) == "only copy")
            return
        }
        #expect(try other.undo.taken().isEmpty && keyring.journalCount() > 0)
        #expect(code { _ = try other.undo.undoTaken() } == .noSuchEntry)
        #expect(code { _ = try other.undo.undo(offer.id) } == .noSuchEntry)
        // The next change takes it out of a file; of the desktop's keyring the next one that is kept for an undo.
        let bob = try add("bob", "t")
        if keyring.storage == .secretService { try remove(bob) }
        let entries = try keyring.withState { state in
            try state.vault.groups.flatMap { group in
                try keyring.database.journal(in: group.keys).items.map(\.value.entry.key.short)
            }
        }
        #expect(!entries.contains(offer.id))
        #expect(try keyring.health.verify().problems == [])
    }

    @Test("of commands of the same second the later one comes first")
    func sameSecond() throws {
        let names = (1...12).map { "user\($0)" }
        var accounts: [Account] = []
        for name in names { accounts.append(try add(name, "token of \(name)")) }
        var offers: [String] = []
        for account in accounts {
            let removal = try keyring.accounts.remove(
                account.id, from: .default, undo: .keep(keyring.undo.command("account remove")))
            offers.append(try #require(removal.undo).id)
        }
        let entries = try keyring.undo.taken()
        #expect(entries.map(\.id) == offers.reversed() && Set(entries.map(\.time)) == [clock.now])
    }

    @Test(
        "what is forgotten, erased or too old leaves no byte in the file, free pages included", .embeddedAlone,
        arguments: ["clear", "forever", "time", "undo --clear ID"])
    func deletion(way: String) throws {
        let ada = try add("ada", String(repeating: "long ", count: 300))
        let offer = try #require(try remove(ada))
        let sealed = try home.database().bytes(
            "SELECT bytes FROM secrets JOIN records USING (id) WHERE kind = 10 ORDER BY length(bytes) DESC")
        #expect(sealed.count > 1_000)
        #expect(try holds(sealed))
        switch way {
        case "clear": #expect(try keyring.undo.clear() == 1)
        case "undo --clear ID": #expect(try keyring.undo.clear(offer.id) == 1)
        case "time":
            clock.advance(by: 30 * 86_400)
            try keyring.accounts.setDefault(nil, in: .default)
        default:
            _ = try add("ada", "another")
            _ = try keyring.accounts.remove(ada.id, from: .default, undo: .erase)
        }
        #expect(try !holds(sealed) && keyring.journalCount() == 0)
        #expect(code { _ = try keyring.undo.undoTaken() } == .noSuchEntry)
    }

    @Test("erasing takes what was kept of the account in the group, and nothing of others")
    func erasing() async throws {
        let (ada, bob) = (try add("ada", "of ada"), try add("bob", "of bob"))
        try remove(ada)
        try remove(bob)
        _ = try add("ada", "again")
        let report = try await keyring.accounts.signOut(
            ada.id, from: .default, undo: .erase, network: nil)
        #expect(report.undo == nil)
        // What the sign-out was not about, the account itself, is kept from before.
        let left = try keyring.undo.taken().filter { $0.accountNames == ["ada"] }.flatMap(\.items)
        #expect(left.allSatisfy { $0.kind == .account })
        _ = try add("ada", "once more")
        #expect(try keyring.accounts.remove(ada.id, from: .default, undo: .erase).undo == nil)
        #expect(try keyring.undo.taken().map(\.accountNames) == [["bob"]])
        _ = try keyring.undo.undoTaken()
        #expect(try keyring.tokenText(TokenRequest(account: "bob")) == "of bob")
        #expect(keyring.refusal(TokenRequest(account: "ada")) == .noSuchAccount)
    }

    @Test(
        "where there is too much the oldest entries go, told, and the newest stays however large it is", .embeddedAlone)
    func bound() throws {
        let token = String(repeating: "x", count: 1 << 20)
        var displaced: [Int] = []
        for number in 0..<10 {
            let offer = try #require(try remove(try add("user\(number)", token)))
            displaced.append(offer.displaced)
        }
        #expect(displaced == [0, 0, 0, 0, 0, 0, 0, 1, 1, 1])
        #expect(try keyring.undo.taken().map(\.accountNames) == (3..<10).reversed().map { ["user\($0)"] })
        // One that is larger than all that is kept otherwise.
        let large = try add("large", token)
        for number in 0..<9 {
            let credential = Credential(
                kind: .accessToken, account: large.id, clientID: "personal-access-token", scopes: ["s\(number)"])
            try keyring.store(credential, token, for: large)
        }
        let before = try KeyringContent(keyring)
        #expect(try remove(large)?.displaced == 7)
        _ = try keyring.undo.undoTaken()
        #expect(try KeyringContent(keyring) == before && keyring.health.verify().problems == [])
    }

    @Test("the longest token and a record of the largest size can be kept")
    func largest() throws {
        let ada = try add("ada", String(repeating: "x", count: 1 << 20))
        let name = String(repeating: "n", count: (1 << 20) - 400)
        let credential = Credential(
            kind: .accessToken, account: ada.id, clientID: "c", scopes: ["s"],
            additionalFields: AdditionalFields([.init(name: "x", json: "\"\(name)\"")]))
        if keyring.storage == .embedded { try keyring.store(credential, "t", for: ada) }
        let before = try KeyringContent(keyring)
        try remove(ada)
        _ = try keyring.undo.undoTaken()
        #expect(try KeyringContent(keyring) == before)
    }

    @Test("an entry goes with its group, stays when that is renamed, and brings back records of it alone")
    func groups() throws {
        let (work, new) = (try AccessGroup("work"), try AccessGroup("new"))
        try keyring.groups.create(work)
        let (ada, bob) = (try add("ada", "at work", in: work), try add("bob", "of bob"))
        try remove(ada, in: work)
        try keyring.groups.rename(work, to: new)
        #expect(try keyring.undo.taken().map(\.groups) == [[new]])
        _ = try keyring.undo.undoTaken()
        #expect(try keyring.accounts.list(in: [new]).map(\.account) == [ada])
        try remove(ada, in: new)
        try remove(bob)
        _ = try keyring.groups.remove(new)
        #expect(try keyring.undo.taken().map(\.accountNames) == [["bob"]])
        #expect(try keyring.undo.taken(in: [.default]).count == 1)
        #expect(try keyring.health.verify().problems == [])
    }

    @Test("an account that was moved meanwhile comes back into the group that it was taken from")
    func moved() throws {
        let work = try AccessGroup("work")
        try keyring.groups.create(work)
        let ada = try add("ada", "first")
        try remove(ada)
        _ = try add("ada", "at work", in: work)
        _ = try keyring.undo.undoTaken()
        #expect(try keyring.tokenText(TokenRequest(account: "ada"), in: [.default]) == "first")
        #expect(try keyring.tokenText(TokenRequest(account: "ada"), in: [work]) == "at work")
    }

    @Test("neither a backup nor an export has it, and it is no reason for another backup")
    func bundles() throws {
        let keys = BundleKeys()
        let ada = try add("ada", "KEPT-TOKEN")
        _ = try add("bob", "t")
        try remove(ada)
        #expect(try keyring.journalCount() > 0)
        let bundle = try keyring.bundle(for: keys.seal)
        #expect(try !keys.opened(bundle).contains("KEPT-TOKEN"))
        let path = home.folder.path + "/kept.age"
        _ = try keyring.bundles.backUp(to: path)
        let text = try BundleKeys(home).opened([UInt8](Data(contentsOf: URL(filePath: path))))
        #expect(!text.contains("KEPT-TOKEN") && text.contains("\"bob\""))
        func fingerprint() throws -> [UInt8] {
            try keyring.withState { state in try keyring.database.fingerprint(of: state.group(.default).keys) }
        }
        // The desktop's keyring has no fingerprint that stays.
        guard keyring.storage == .embedded else { return }
        let before = try fingerprint()
        _ = try keyring.undo.clear()
        #expect(try fingerprint() == before)
    }

    @Test("it moves with the records to the other place, and back", .embeddedAlone)
    func migration() throws {
        let session = try SharedSession.forOneVault()
        let ada = try add("ada", "only copy")
        let before = try KeyringContent(keyring)
        try remove(ada)
        _ = try keyring.migration.run(to: .secretService, secretService: session.options)
        let delegated = try LockedKeyring(at: home.location, clock: clock.clock).unlock(
            with: .secretService(session.options))
        #expect(try delegated.undo.taken().map(\.accountNames) == [["ada"]])
        _ = try delegated.undo.undoTaken()
        #expect(try KeyringContent(delegated) == before && delegated.health.verify().problems == [])
    }
}
