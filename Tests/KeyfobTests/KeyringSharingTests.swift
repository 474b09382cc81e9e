import Keyfob
import KeyfobTestSupport
import Testing

/// Imports of what another program, another group or an earlier decision has to do with.
@Suite("What an import shares", .eachStorageInFullRun)
struct KeyringSharingTests {
    private let home: KeyringHome
    private let keyring: Keyring
    private let work: AccessGroup
    private let ada: AccountID

    init() throws {
        home = try KeyringHome()
        keyring = home.keyring
        work = try AccessGroup("work")
        try keyring.groups.create(work)
        ada = try #require(AccountID(homeAccountID: "ada-sub", environment: "id.example"))
    }

    private func cache(_ token: String = "rt1", environment: String = "id.example") -> SecretBytes {
        let owner = "\"home_account_id\": \"ada-sub\", \"environment\": \"\(environment)\""
        return secret(
            """
            {"RefreshToken": {"rt": {"credential_type": "RefreshToken", "secret": "\(token)", \(owner), "client_id": "app"}},
             "AccessToken": {"at": {"credential_type": "AccessToken", "secret": "at", \(owner), "client_id": "app",
               "target": "mail.read", "realm": "", "cached_at": "\(noon.seconds)", "expires_on": "\(noon.seconds + 60)"}},
             "Account": {"a": {\(owner), "realm": "", "local_account_id": "ada", "username": "ada@id.example"}}}
            """)
    }

    private func warnings(_ keyring: Keyring? = nil) -> [Warning] {
        (keyring ?? self.keyring).takeWarnings().filter { $0.code == .sharedSignIn }
    }

    @Test("with the program the cache came from is told, unless that loses its tokens or the provider takes old ones")
    func program() throws {
        _ = try keyring.caches.import(cache())
        let told = warnings()
        #expect(told.count == 1 && told.first?.advice == .takeOver)
        #expect(told.first?.message.contains("the program that the cache came from") == true)
        _ = try keyring.caches.import(cache(), isTakenOver: true)
        _ = try keyring.caches.import(cache(environment: "login.microsoftonline.com"))
        #expect(warnings().isEmpty)
    }

    @Test("with another group is told where the two refresh tokens differ")
    func otherGroup() throws {
        _ = try keyring.caches.import(cache(), isTakenOver: true)
        _ = try keyring.caches.import(cache(), in: [work], isTakenOver: true)
        #expect(warnings().isEmpty)
        _ = try keyring.caches.import(cache("rt2"), isTakenOver: true)
        let told = warnings()
        #expect(told.count == 1 && told.first?.message.contains("in group 'work' too") == true)
        #expect(told.first?.advice == .removeFromOneGroup("ada@id.example"))
    }

    @Test("is told where groups are not within reach", .embeddedAlone)
    func beyondReach() throws {
        let shared = try home.sharedGroup("shared")
        let theirs = try home.opened(keyFile: 2)
        _ = try theirs.caches.import(cache(), in: [shared], isTakenOver: true)
        let told = warnings(theirs)
        #expect(told.count == 1 && told.first?.message.contains("the key opens some groups only") == true)
    }

    @Test("an account that moves to a group is told where a third has another token of its sign-in")
    func moving() throws {
        let third = try AccessGroup("third")
        try keyring.groups.create(third)
        _ = try keyring.caches.import(cache(), isTakenOver: true)
        _ = try keyring.caches.import(cache("rt2"), in: [third], isTakenOver: true)
        _ = warnings()
        _ = try keyring.accounts.move(ada, from: .default, to: work)
        #expect(warnings().map { $0.message.contains("in group 'third' too") } == [true])
    }

    @Test("an account that was removed stays away with its tokens, until it is asked for", arguments: [true, false])
    func removed(isMoved: Bool) throws {
        _ = try keyring.caches.import(cache())
        if isMoved {
            _ = try keyring.accounts.move(ada, from: .default, to: work)
        } else {
            _ = try keyring.accounts.removeForGood(ada, from: .default)
        }
        for isDryRun in [true, false] {
            let report = try keyring.caches.import(cache(), isDryRun: isDryRun)
            #expect(report.removedAccounts.map(\.id) == [ada] && report.accounts.isEmpty && report.credentials.isEmpty)
        }
        #expect(try keyring.accounts.list(in: [.default]).isEmpty)
        #expect(try keyring.accounts.credentials(of: ada, in: .default).isEmpty)
        let report = try keyring.caches.import(cache(), bringsBackRemoved: true)
        #expect(report.removedAccounts.isEmpty && report.accounts == [.added: 1])
        #expect(try keyring.accounts.credentials(of: ada, in: .default).count == 2)
        #expect(try keyring.caches.import(cache()).removedAccounts.isEmpty)
    }

    @Test("and so does one that was signed out and forgotten")
    func forgotten() async throws {
        _ = try keyring.caches.import(cache())
        _ = try await keyring.accounts.signOut(ada, reach: .forget, from: .default, undo: .none, network: nil)
        #expect(try keyring.caches.import(cache()).removedAccounts.map(\.id) == [ada])
        #expect(try keyring.accounts.list(in: [.default]).isEmpty)
    }
}
