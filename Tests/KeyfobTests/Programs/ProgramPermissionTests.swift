@testable import Keyfob
import KeyfobRecords
import KeyfobTestSupport
import Testing

/// How permissions are kept, and with what they go.
@Suite("Permissions of programs in a keyring")
struct ProgramPermissionTests {
    private let place: AuthorityHome
    private let git: Program

    init() throws {
        place = try AuthorityHome()
        git = try #require(Program("script:/opt/a:b*/c d%"))
    }

    @Test("a permission is read as it was given, and one for the same takes its place")
    func roundTrip() throws {
        let ada = try place.add("ada", "a", by: place.owner)
        let wide = ProgramPermission(of: git, scopes: ["b", "a"], digest: "aa", in: .default, by: .owner)
        let narrow = ProgramPermission(
            of: git, account: ada.id, clientID: "x:*", isAllowed: false, in: .default, by: .owner)
        try place.owner.programs.permit(wide)
        try place.owner.programs.permit(narrow)
        #expect(Set(try place.home.opened().programs.permissions()) == [wide, narrow])
        let other = ProgramPermission(of: git, digest: "bb", in: .default, by: .owner)
        try place.owner.programs.permit(other)
        #expect(Set(try place.owner.programs.permissions()) == [other, narrow])
        #expect(try place.owner.programs.forgetPermissions(of: [git]) == 2)
        #expect(try place.owner.programs.permissions().isEmpty)
        #expect(place.refusal { _ = try place.owner.programs.forgetPermissions(of: [git]) }?.code == .noSuchBinding)
    }

    @Test("each action is by itself: one that is given or forbidden leaves the others as they were")
    func actions() throws {
        let ada = try place.add("ada", "a", by: place.owner)
        func permit(
            _ actions: Set<ProgramAction>?, _ isAllowed: Bool = true, scopes: ScopeSet = [], digest: String? = nil
        ) throws {
            try place.owner.programs.permit(
                ProgramPermission(
                    of: git, to: actions, account: ada.id, scopes: scopes, digest: digest, isAllowed: isAllowed,
                    in: .default))
        }
        func rows() throws -> [String] {
            try place.home.opened().programs.permissions().map {
                "\($0.isAllowed) \($0.actions.inOrder.map(\.rawValue)) \($0.scopes) \($0.digest ?? "-")"
            }.sorted()
        }
        try permit(nil, scopes: ["a"], digest: "aa")
        #expect(try rows() == [#"true ["token", "list"] a aa"#])
        // A list has no scopes.
        try permit([.token], scopes: ["b"], digest: "aa")
        #expect(try rows() == [#"true ["token", "list"] b aa"#])
        try permit([.signOut], digest: "bb")
        #expect(try rows() == [#"true ["sign-out"]  bb"#, #"true ["token", "list"] b aa"#])
        try permit([.signIn], scopes: ["c"], digest: "aa")
        try permit([.signOut], false)
        #expect(
            try rows() == [
                #"false ["sign-out"]  -"#, #"true ["sign-in"] c aa"#, #"true ["sign-out"]  bb"#,
                #"true ["token", "list"] b aa"#,
            ])
        try permit(nil, false)
        #expect(try rows().first == #"false ["token", "list", "sign-in", "sign-out"]  -"#)
        #expect(place.refusal { try permit([]) }?.code == .usage)
        #expect(try place.owner.programs.forgetPermissions(of: [git]) == 4)
    }

    @Test("one that allows does not take the place of one that forbids")
    func denialStays() throws {
        for isAllowed in [false, true] {
            try place.owner.programs.permit(ProgramPermission(of: git, isAllowed: isAllowed, in: .default))
        }
        #expect(Set(try place.owner.programs.permissions().map(\.isAllowed)) == [false, true])
    }

    @Test("of an account that is not there none is kept")
    func noAccount() throws {
        let ada = try Account.contoso("ada")
        let permission = ProgramPermission(of: git, account: ada.id, in: .default)
        #expect(place.refusal { try place.owner.programs.permit(permission) }?.code == .noSuchAccount)
    }

    @Test("what somebody with the group's key wrote is shown as theirs, and goes with them")
    func writer() throws {
        try place.adversary.programs.permit(ProgramPermission(of: git, in: place.tools))
        #expect(try place.owner.programs.permissions().map(\.writer) == [.group])
        #expect(try place.owner.groups.foreignDecisions().map(\.kind) == [.program, .program])
        let slot = try #require(try place.owner.slots.list().first { $0.group == place.tools }).id
        let revocation = try place.owner.slots.revoke(slot, of: place.tools, keeping: .none)
        #expect(
            revocation.removed.map(\.text).sorted() == [
                "script:/opt/a:b*/c d% may get tokens of each account", "script:/opt/a:b*/c d% may list each account",
            ])
        #expect(try place.owner.programs.permissions().isEmpty)
    }

    @Test("it goes with the account that it names, and the others stay")
    func removal() throws {
        let ada = try place.add("ada", "a", by: place.owner)
        let bob = try place.add("bob", "b", by: place.owner)
        for account in [ada, bob] {
            try place.owner.programs.permit(ProgramPermission(of: git, account: account.id, in: .default))
        }
        _ = try place.owner.accounts.removeForGood(ada.id, from: .default)
        #expect(try place.owner.programs.permissions().map(\.account) == [bob.id])
        try place.owner.programs.permit(ProgramPermission(of: git, account: bob.id, clientID: "c", in: .default))
        _ = try place.owner.accounts.move(bob.id, from: .default, to: place.tools)
        #expect(try place.owner.programs.permissions().isEmpty)
    }

    @Test(
        "what is written of a program and makes no sense forbids it",
        arguments: [
            (":token:*:*", ""), (":token:*:*", "perhaps"), (":token:*:*", "always-but x"), (":*:*:*", "always"),
            (":refresh:*:*", "always"), (":token:*", "always"), (":token:*:*:never", "always"),
            (":token:*:*", "never"), (":token:x:*", "always"), (":token:*:*:*", "always"),
        ])
    func nonsense(_ name: String, _ value: String) throws {
        try place.write(
            "program:\(git.description.replacing("%", with: "%25").replacing(":", with: "%3A").replacing("*", with: "%2A"))\(name)",
            value)
        let permission = try #require(try place.owner.programs.permissions().first)
        #expect(permission.program == git && !permission.isAllowed && permission.group == place.tools)
        #expect(permission.actions == .all && permission.account == nil)
        #expect(try place.owner.programs.forgetPermissions(of: [git]) == 1)
    }
}
