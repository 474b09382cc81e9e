import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

/// Says where the contract did not run with all services.
@Suite("The storages' contract with KeePassXC")
struct KeePassXCContractTests {
    @Test(
        "runs on a screen, with a person before it",
        .enabled(if: TestLength.isFull, "the suites for each storage run with GNOME's keyring alone; make test-full"))
    func isRun() {
        let isThere = SecretServiceSession.hasKeePassXC && SecretServiceSession.hasScreen
        #expect(isThere, "Scripts/install-dependencies --full")
    }
}

@Suite("What every storage does", .eachStorage)
struct StorageContractTests {
    private let home: KeyringHome
    private let keyring: Keyring
    private let work: AccessGroup
    private let ada: Account
    private let bob: Account

    init() throws {
        home = try KeyringHome()
        keyring = home.keyring
        work = try AccessGroup("work: a")
        (ada, bob) = (try .contoso("ada"), try .contoso("bob"))
    }

    private func code(_ body: () throws -> Void) -> KeyringError.Code? {
        failure(of: KeyringError.self, body)?.code
    }

    @Test("the keyring says where its records lie")
    func place() throws {
        #expect(keyring.storage == StoragePlace.ofTest)
        #expect(try Keyring.storage(at: home.location) == StoragePlace.ofTest)
        #expect(try home.opened().vaultID == keyring.vaultID)
        #expect(try home.opened().storage == keyring.storage)
        #expect(try LockedKeyring(at: home.location).storage == keyring.storage)
    }

    @Test("one account in two groups has a token of its own in each")
    func twoGroups() throws {
        try keyring.groups.create(work)
        try keyring.store(.access(ada), "at home", for: ada)
        try keyring.store(.access(ada), "at work", for: ada, in: [work])
        let request = TokenRequest(account: "ada@contoso.example", scopes: ["mail.read"])
        for keyring in [keyring, try home.opened()] {
            #expect(try keyring.tokenText(request, in: [.default]) == "at home")
            #expect(try keyring.tokenText(request, in: [work]) == "at work")
            #expect(keyring.refusal(request) == .ambiguous)
            #expect(try keyring.groups.list().map(\.accounts) == [1, 1])
            #expect(try keyring.groups.list().map(\.credentials) == [1, 1])
        }
        #expect(code { try keyring.groups.create(work) } == .alreadyExists)
        #expect(code { try keyring.groups.rename(work, to: .default) } == .alreadyExists)
        _ = try keyring.accounts.removeForGood(ada.id, from: .default)
        #expect(keyring.refusal(request, in: [.default]) == .noSuchAccount)
        #expect(try home.opened().tokenText(request) == "at work")
        #expect(try keyring.health.verify().problems == [])
    }

    @Test("a group has what it had under its new name, and takes everything along when it goes")
    func renaming() throws {
        try keyring.groups.create(work)
        try keyring.store(.access(bob), "token of bob", for: bob, in: [work])
        try keyring.store(.refresh(bob), "refresh of bob", for: bob, in: [work])
        try keyring.store(.access(ada), "token of ada", for: ada)
        let new = try AccessGroup("Büro: b")
        let other = try home.opened()
        try keyring.groups.rename(work, to: new)
        #expect(try other.tokenText(TokenRequest(account: "bob"), in: [new]) == "token of bob")
        #expect(other.refusal(TokenRequest(account: "bob"), in: [work]) == .noSuchGroup)
        #expect(try other.health.verify().problems == [])
        #expect(try other.health.verify().records == 5)
        #expect(try keyring.groups.remove(new) == 3)
        #expect(try other.groups.list().map(\.name) == [.default])
        #expect(other.refusal(TokenRequest(account: "bob")) == .noSuchAccount)
        #expect(try keyring.health.verify().records == 2)
        #expect(try keyring.health.verify().problems == [])
        #expect(code { _ = try keyring.groups.remove(new) } == .noSuchGroup)
    }

    @Test("two vaults beside one another never see each other")
    func twoVaults() throws {
        let other = try KeyringHome(in: home.session)
        #expect(other.keyring.vaultID != keyring.vaultID)
        try keyring.store(.access(ada), "token of ada", for: ada)
        try other.keyring.store(.access(ada), "token of another ada", for: ada)
        try other.keyring.store(.access(bob), "token of bob", for: bob)
        let request = TokenRequest(account: "ada", scopes: ["mail.read"])
        #expect(try home.opened().tokenText(request) == "token of ada")
        #expect(try other.opened().tokenText(request) == "token of another ada")
        #expect(keyring.refusal(TokenRequest(account: "bob")) == .noSuchAccount)
        #expect(try keyring.health.verify().records == 2 && keyring.health.verify().problems == [])
        _ = try keyring.accounts.removeForGood(ada.id, from: .default)
        #expect(try keyring.health.repair().files == [])
        #expect(try other.opened().tokenText(request) == "token of another ada")
        #expect(try other.keyring.health.verify().records == 4 && other.keyring.health.verify().problems == [])
    }

    @Test("a token of 100,000 bytes comes back, one of more than a mebibyte changes nothing")
    func bigTokens() throws {
        let text = String(repeating: "0123456789", count: 10_000)
        try keyring.store(.access(ada), text, for: ada)
        #expect(try home.opened().tokenText(TokenRequest(account: "ada")) == text)
        let state = try home.state()
        let long = String(repeating: "x", count: (1 << 20) + 1)
        #expect(code { try keyring.store(.access(ada, expires: 7_200), long, for: ada) } == .limitExceeded)
        #expect(code { try keyring.store(.refresh(bob), long, for: bob) } == .limitExceeded)
        #expect(try home.state() == state)
        #expect(try keyring.accounts.list().map(\.account) == [ada])
    }

    @Test("what two keyrings write at once, from several threads, is all there")
    func writers() async throws {
        let keyrings = [keyring, try home.opened()]
        let accounts = try (0..<12).map { try Account.contoso("person\($0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, account) in accounts.enumerated() {
                let keyring = keyrings[number % 2]
                group.addTask {
                    try keyring.store(.refresh(account), "refresh \(number)", for: account)
                    try keyring.store(.access(account), "token \(number)", for: account)
                    try keyring.accounts.setLabel("label \(number)", of: account.id, in: .default)
                }
            }
            try await group.waitForAll()
        }
        for keyring in keyrings {
            for number in accounts.indices {
                #expect(try keyring.tokenText(TokenRequest(account: "label \(number)")) == "token \(number)")
            }
            #expect(try keyring.health.verify().records == 3 * accounts.count)
            #expect(try keyring.health.verify().problems == [])
        }
    }

    @Test("names that are alike in the beginning, in case or in their parts stay apart")
    func lookalikes() throws {
        let names = ["ada", "ada.b", "ada-b", "adaa"]
        var accounts = try names.map { try Account.contoso($0) }
        let id = try #require(AccountID(homeAccountID: "ada-uid.contoso", environment: "login.example"))
        accounts.append(Account(id: id, username: "ada@contoso.example/"))
        for account in accounts { try keyring.store(.access(account), "of \(account.id)", for: account) }
        for account in accounts {
            let request = TokenRequest(account: account.id.description)
            #expect(try home.opened().tokenText(request) == "of \(account.id)")
            #expect(try keyring.tokenText(TokenRequest(account: account.username)) == "of \(account.id)")
        }
        let expected = DesktopService.ofTest.tellsOrder ? accounts : accounts.sorted { $0.id < $1.id }
        #expect(try keyring.accounts.list().inOrder.map(\.account) == expected)
        #expect(keyring.refusal(TokenRequest(account: "ada-uid.contoso")) == .ambiguous)
    }
}
