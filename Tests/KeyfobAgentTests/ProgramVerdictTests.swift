import Keyfob
import Testing

/// What permissions say of a program: what forbids goes first, and nothing reaches further than it says.
@Suite("What a program may have")
struct ProgramVerdictTests {
    let git: Program
    let ada: AccountID
    let bob: AccountID

    init() throws {
        git = try #require(Program("executable:/usr/bin/git"))
        ada = try #require(AccountID(homeAccountID: "ada", environment: "login.example"))
        bob = try #require(AccountID(homeAccountID: "bob", environment: "login.example"))
    }

    private func verdict(
        _ permissions: [ProgramPermission], of account: AccountID, client: String? = nil, scopes: ScopeSet = ["read"],
        digest: String? = nil
    ) -> ProgramVerdict {
        permissions.verdict(
            on: git, to: .token, digest: { digest }, account: account, in: .default, clientID: client, scopes: scopes)
    }

    @Test("What nobody decided is undecided, and of another program, account or group nothing is said")
    func undecided() throws {
        let other = try #require(Program("service:backup.service"))
        let work = try AccessGroup("work")
        let permissions = [
            ProgramPermission(of: other, in: .default), ProgramPermission(of: git, account: bob, in: .default),
            ProgramPermission(of: git, in: work),
        ]
        #expect(verdict(permissions, of: ada) == .undecided)
        #expect(verdict(permissions, of: bob) == .allowed(permissions[1]))
    }

    @Test("One that forbids goes before all that allow, however narrow these are")
    func denial() {
        let permissions = [
            ProgramPermission(of: git, account: ada, in: .default),
            ProgramPermission(of: git, isAllowed: false, in: .default),
        ]
        #expect(verdict(permissions, of: ada) == .denied(permissions[1]))
    }

    @Test("One for some scopes allows no others, and not those that are not named")
    func scopes() {
        let permissions = [ProgramPermission(of: git, scopes: ["read", "list"], in: .default)]
        #expect(verdict(permissions, of: ada, scopes: ["READ"]) == .allowed(permissions[0]))
        #expect(verdict(permissions, of: ada, scopes: ["read", "write"]) == .undecided)
        #expect(verdict(permissions, of: ada, scopes: []) == .undecided)
    }

    @Test("One that forbids some scopes forbids whatever might have them")
    func forbiddenScopes() {
        let permissions = [
            ProgramPermission(of: git, in: .default),
            ProgramPermission(of: git, account: ada, scopes: ["write"], isAllowed: false, in: .default),
        ]
        #expect(verdict(permissions, of: ada, scopes: ["read"]) == .allowed(permissions[0]))
        #expect(verdict(permissions, of: ada, scopes: ["read", "Write"]) == .denied(permissions[1]))
        #expect(verdict(permissions, of: ada, scopes: []) == .denied(permissions[1]))
    }

    @Test("One for a client allows that client alone, and one that forbids a client forbids what names none")
    func client() {
        let allowed = [ProgramPermission(of: git, clientID: "c", in: .default)]
        #expect(verdict(allowed, of: ada, client: "c") == .allowed(allowed[0]))
        #expect(verdict(allowed, of: ada, client: "d") == .undecided)
        #expect(verdict(allowed, of: ada) == .undecided)
        let denied = allowed + [ProgramPermission(of: git, clientID: "c", isAllowed: false, in: .default)]
        #expect(verdict(denied, of: ada) == .denied(denied[1]))
    }

    @Test("With another file it is another program")
    func changed() {
        let permissions = [ProgramPermission(of: git, digest: "aa", in: .default)]
        #expect(verdict(permissions, of: ada, digest: "aa") == .allowed(permissions[0]))
        #expect(verdict(permissions, of: ada, digest: "bb") == .changed(permissions[0]))
        #expect(verdict(permissions, of: ada) == .changed(permissions[0]))
    }

    @Test(
        "What no program can be called is none",
        arguments: [
            "", "git", "executable:git", "script:", "service:/x.service", "service:x", "nothing:x", "executable:/a\nb",
            "flatpak:\u{7f}",
        ])
    func names(_ text: String) { #expect(Program(text) == nil) }

    @Test("A path is an executable's, and what it is called is read again")
    func description() {
        #expect(Program("/usr/bin/git") == git)
        #expect(Program(git.description) == git)
    }
}
