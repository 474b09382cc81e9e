import Keyfob
import KeyfobTestSupport
import Testing

@Suite("The current account", .eachStorageInFullRun)
struct CurrentAccountTests {
    private let home: KeyringHome
    private let keyring: Keyring
    private let (ada, bob): (Account, Account)

    init() throws {
        home = try KeyringHome()
        keyring = home.keyring
        (ada, bob) = (try .contoso("ada"), try .contoso("bob"))
    }

    private func signIn(_ account: Account) throws { try keyring.store(.refresh(account), "rt", for: account) }

    @Test("is told with the one before and by what it changed")
    func changes() async throws {
        let nobody = try keyring.accounts.current()
        #expect(nobody.now == nil && nobody.before == nil && nobody.change == nil && !nobody.isNews)
        try signIn(ada)
        let first = try keyring.accounts.current()
        #expect(first.now?.account == ada && first.before == nil && first.isNews)
        let change = try #require(first.change)
        #expect(change.what == .signIn && change.writer == nil && !change.isElsewhere && change.seenOn == noon)
        #expect(try keyring.accounts.current().isNews == false)
        _ = try await keyring.accounts.signOut(ada.id, from: .default, undo: .none, network: nil)
        let second = try home.opened().accounts.current()
        #expect(second.now == nil && second.before?.username == ada.username && second.change?.what == .signOut)
        try signIn(bob)
        #expect(try keyring.accounts.current().change?.what == .signIn)
        _ = try keyring.accounts.removeForGood(bob.id, from: .default)
        try signIn(ada)
        let third = try keyring.accounts.current()
        #expect(third.now?.account.id == ada.id && third.before?.id == bob.id && third.before?.username == bob.username)
        #expect(third.change?.what == .removal && third.isNews)
        #expect(try home.opened().accounts.current().before?.id == bob.id)
    }

    @Test("is the default of several, and who chose that is told")
    func choice() throws {
        try signIn(ada)
        _ = try keyring.accounts.current()
        try signIn(bob)
        let error = failure(of: KeyringError.self) { _ = try keyring.accounts.current() }
        #expect(error?.code == .ambiguous && error?.advice == .makeDefault(such: ada.name))
        try keyring.accounts.setDefault(bob.id, in: .default)
        let current = try keyring.accounts.current()
        #expect(current.now?.account.id == bob.id && current.before?.id == ada.id)
        #expect(current.change?.what == .choice && current.change?.writer == .owner)
    }

    @Test(
        "what is remembered of it is no decision of whoever holds the group's key",
        .embeddedAlone)
    func group() throws {
        let shared = try home.sharedGroup("shared")
        let theirs = try home.opened(keyFile: 2)
        try theirs.store(.refresh(ada), "rt", for: ada)
        _ = try theirs.accounts.current()
        #expect(try home.opened().groups.foreignDecisions(in: [shared]).isEmpty)
        #expect(try home.opened().accounts.current(in: [shared]).now?.account.id == ada.id)
    }
}
