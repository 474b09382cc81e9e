import Keyfob
import KeyfobModel
import KeyfobTestSupport
import Testing

@Suite("Bindings by somebody with one group's key")
struct BindingAuthorityTests {
    private let place: AuthorityHome
    private let alice: Account
    private let request = TokenRequest(context: RequestContext(tool: "gh", directory: "/home/ada"))

    init() throws {
        place = try AuthorityHome()
        alice = try place.add("alice", "owner's", by: place.owner)
    }

    @Test("a binding to the id of another group's account, which was removed again, sends no token of that")
    func acrossGroups() throws {
        let bob = try place.add("bob", "bound", by: place.owner)
        try place.owner.bindings.set(.host("git.example"), to: .account(bob.id), in: .default)
        let copy = try place.add("alice", "planted", by: place.adversary)
        try place.adversary.bindings.set(.directory("/"), to: .account(copy.id), in: place.tools)
        let request = TokenRequest(
            context: RequestContext(url: ResourceURL(host: "git.example"), directory: "/home/ada"))
        #expect(try place.owner.tokenText(request) == "bound")
        _ = try place.adversary.accounts.removeForGood(copy.id, from: place.tools)
        // The binding stays, as what means an account that is gone does, and decides nothing for the owner.
        #expect(try place.owner.bindings.list(in: [place.tools]).count == 1)
        #expect(try place.owner.tokenText(request) == "bound")
    }

    @Test("one whose account is gone ends no request of the owner's, and is told")
    func dangling() throws {
        let id = try Account.contoso("gone").id
        // As a program that checks nothing would write it.
        try place.write("binding:tool:gh:login.microsoftonline.com", id.canonical)
        #expect(try place.owner.tokenText(request) == "owner's")
        #expect(place.owner.takeWarnings().contains { $0.message.contains("bound in group 'tools'") })
        // Where there is no other group it is what it always was.
        #expect(place.adversary.refusal(request) == .noSuchAccount)
    }

    @Test("it neither takes the place of the owner's nor of another group's, and is said to be theirs")
    func beside() throws {
        try place.owner.bindings.set(.directory("/home"), to: .account(alice.id), in: .default)
        let eve = try place.add("eve", "theirs", by: place.adversary)
        try place.adversary.bindings.set(.directory("/home/ada"), to: .account(eve.id), in: place.tools)
        #expect(try place.owner.tokenText(request) == "owner's")
        #expect(try place.adversary.tokenText(request) == "theirs")
        #expect(try place.owner.bindings.list().map(\.writer) == [.owner, .group])
        #expect(try place.adversary.bindings.list().map(\.writer) == [.unknown])
        // The owner takes it over by binding again.
        try place.owner.bindings.set(.directory("/home/ada"), to: .account(eve.id), in: place.tools)
        #expect(try place.owner.tokenText(request) == "theirs")
    }

    @Test("a default counts where only accounts of its group are left, the owner's among all")
    func defaults() throws {
        let eve = try place.add("eve", "theirs", by: place.adversary)
        try place.adversary.accounts.setDefault(eve.id, in: place.tools)
        #expect(place.owner.refusal(request) == .ambiguous)
        #expect(try place.owner.tokenText(request, in: [place.tools]) == "theirs")
        try place.owner.accounts.setDefault(alice.id, in: .default)
        #expect(try place.owner.tokenText(request) == "owner's")
    }

    @Test("a value that the owner wrote is the owner's no more once somebody changed it")
    func changed() throws {
        let (eve, dan) = (
            try place.add("eve", "e", by: place.adversary), try place.add("dan", "d", by: place.adversary)
        )
        try place.owner.bindings.set(.tool("gh"), to: .account(eve.id), in: place.tools)
        #expect(try place.owner.tokenText(request) == "e")
        try place.adversary.bindings.set(.tool("gh"), to: .account(dan.id), in: place.tools)
        #expect(try place.owner.bindings.list().map(\.writer) == [.group])
        #expect(place.owner.refusal(request) == .ambiguous)
    }

    @Test("what the owner decided is the owner's after a restore, and after a group's new key")
    func restored() throws {
        let keys = BundleKeys()
        try place.owner.bindings.set(.tool("gh"), to: .account(alice.id), in: .default)
        let eve = try place.add("eve", "theirs", by: place.adversary)
        try place.adversary.bindings.set(.tool("gh"), to: .account(eve.id), in: place.tools)
        let before = try place.owner.bindings.list()
        let backup = try place.owner.bundles.backUp(for: [keys.recipient]).path
        _ = try place.owner.bindings.remove(.tool("gh"))
        _ = try place.owner.bundles.restore(try BundleFile(path: backup), with: keys.opener)
        #expect(try place.owner.bindings.list() == before)
        _ = try place.owner.groups.rotate(place.tools)
        #expect(try place.owner.bindings.list() == before)
    }
}
