@testable import Keyfob
import KeyfobLookup
import KeyfobModel
import KeyfobRecords
import KeyfobSQLite
@testable import KeyfobStore
import KeyfobSQLiteTestSupport
import KeyfobTestSupport
import Testing

/// Nothing here is timed: rows are counted, and what must not be opened does not open.
@Suite("What is opened to say something of accounts")
struct OpenedRecordsTests {
    private let home: KeyringHome
    private var keyring: Keyring { home.keyring }

    init() throws {
        home = try KeyringHome()
    }

    /// A keyring with so many people, each with an access token, a refresh token and an ID token.
    private func fill(_ count: Int) throws {
        try keyring.addMany((1...count).map { try Account.contoso("person\($0)") })
    }

    /// How many rows a process reads.
    private func rows(_ body: (Keyring) throws -> Void) throws -> Int {
        let keyring = try home.opened()
        let database = try #require(keyring.database as? VaultDatabase)
        let before = try database.reader.rowCount
        try body(keyring)
        #expect(keyring.takeWarnings().isEmpty)
        return try database.reader.rowCount - before
    }

    /// What is done with all accounts.
    enum Whole: String, CaseIterable {
        case list, which, pick

        func run(_ keyring: Keyring) throws {
            switch self {
            case .list: #expect(try keyring.accounts.list().allSatisfy { $0.state == .signedIn })
            case .which: _ = try keyring.accounts.selectAndProve(TokenRequest())
            case .pick: _ = try keyring.accounts.select(TokenRequest(environment: "login.microsoftonline.com"))
            }
        }
    }

    @Test(
        "of each account itself and its grant are read, once, and no row more where it has to be proven",
        arguments: Whole.allCases)
    func whole(_ what: Whole) throws {
        try fill(10)
        let few = try rows(what.run)
        try OpenedRecordsTests().grown(300, what, few: few)
    }

    private func grown(_ count: Int, _ what: Whole, few: Int) throws {
        try fill(count)
        #expect(try rows(what.run) == few + 2 * (count - 10))
    }

    @Test("no access token is opened to list accounts, nor to choose where nothing is asked of it")
    func tokens() throws {
        try fill(20)
        try home.database().runUnnoticed(
            "UPDATE records SET attributes = zeroblob(length(attributes)) WHERE kind IN (2, 4)")
        for what in [Whole.list, .pick] { try what.run(home.opened()) }
        let keyring = try home.opened()
        #expect(try keyring.accounts.list().count == 20 && keyring.takeWarnings().isEmpty)
        // What was not asked for need not be proven.
        let judged = try keyring.accounts.selectAndProve(TokenRequest())
        #expect(judged.selection.verdicts.count == 20 && judged.doubt == nil)
        _ = try keyring.accounts.select(TokenRequest(scopes: ["mail.read"]))
        #expect(keyring.takeWarnings().count == 20)
    }

    @Test(
        "those of an account that has no grant are: they tell how it stands, and none is said to be there only when all were opened"
    )
    func tokensAlone() throws {
        try fill(20)
        let (ada, bob) = (try Account.contoso("ada"), try Account.contoso("bob"))
        try keyring.store(.access(ada), "token of ada", for: ada)
        func state(_ account: Account) throws -> Candidate.SignInState? {
            try home.opened().accounts.list().first { $0.account.id == account.id }?.state
        }
        #expect(try state(ada) == .tokensOnly)
        let read = try rows { _ = try $0.accounts.list() }
        #expect(read < 60)
        try home.keyring.withState { state in
            try home.keyring.change(&state, try state.group(.default)) { _ = try $0.save(bob) }
        }
        #expect(try state(ada) == .tokensOnly)
        #expect(try state(bob) == .noCredentials)
        let account = "(SELECT account_index FROM records WHERE kind = 2 ORDER BY id DESC LIMIT 1)"
        try home.database().runUnnoticed(
            "UPDATE records SET account_index = NULL WHERE kind = 2 AND account_index = \(account)")
        let keyring = try home.opened()
        _ = try keyring.accounts.list()
        #expect(keyring.takeWarnings().map(\.code) == [.damagedRecord])
    }

    @Test("as much for a name, and for the current account that is the default, among 300 as among 10")
    func flat() throws {
        let few = try rowsOfOne(among: 10)
        #expect(try OpenedRecordsTests().rowsOfOne(among: 300) == few)
    }

    /// How many rows are read for one account by its name, and for the current one.
    private func rowsOfOne(among count: Int) throws -> [Int] {
        try fill(count)
        try keyring.accounts.setDefault(try Account.contoso("person3").id, in: .default)
        _ = try keyring.accounts.current()
        let named = try rows { keyring in
            let found = try keyring.accounts.named("person7@contoso.example")
            #expect(found.state == .signedIn && found.tokenScopes == [["mail.read"]])
        }
        let current = try rows { keyring in
            let found = try keyring.accounts.current().now
            #expect(found?.account.username == "person3@contoso.example")
        }
        return [named, current]
    }
}
