import KeyfobModel
import KeyfobSync
import Testing

@Suite("What a device does to its own items")
struct GroupChangeTests {
    @Test("deleting an account deletes its tokens and signs its grants out, and no others")
    func deleteAccount() throws {
        var state = Sample.state(
            Sample.record(.account(Sample.account("ada"))), Sample.record(.account(Sample.account("grace"))),
            Sample.record(.credential(Sample.refreshToken("ada", client: "one", epoch: 3))),
            Sample.record(.credential(Sample.refreshToken("grace", client: "one"))),
            Sample.record(.credential(Credential(kind: .idToken, account: Sample.id("ada"), clientID: "one"))),
            Sample.record(.setting(name: "a", value: "b")))
        var group = try #require(state.groups[Sample.group])
        let version = Sample.version(2_000)
        group.deleteAccount(Sample.id("ADA"), version)
        state.groups[Sample.group] = group

        let gone = group.items.filter { $0.value.isDeleted }.map(\.key)
        #expect(Set(gone.map(\.kind)) == [.account, .idToken])
        #expect(gone.allSatisfy { $0.account == "ada@login.example" })
        for (key, grant) in group.grants {
            let isGone = key.account == "ada@login.example"
            #expect(grant.grant.state == (isGone ? .signedOut : .active))
            #expect(grant.grant.epoch == (isGone ? 3 : 1))
            #expect((grant.secret == nil) == isGone)
        }
        let tombstone = try #require(group.record(.account(Sample.id("ada")), in: Sample.group))
        #expect(tombstone.isTombstone)
        #expect(tombstone.version == version)
    }

    @Test("an item nobody had can be deleted, and a grant nobody had cannot be signed out")
    func unknown() {
        var group = GroupState()
        group.delete(.setting("a"), Sample.version(1))
        group.delete(ItemKey(Sample.refreshToken()), Sample.version(1))
        #expect(group.keys == [.setting("a")])
        #expect(!group.contains(.setting("a")))
    }

    @Test("a grant is signed out once")
    func signOutOnce() throws {
        var group = try #require(Sample.state(Sample.record(.credential(Sample.refreshToken()))).groups[Sample.group])
        let key = ItemKey(Sample.refreshToken())
        group.signOut(key, Sample.version(2))
        let ended = group
        group.signOut(key, Sample.version(3))
        #expect(group == ended)
        #expect(group.version(of: key) == Sample.version(2))
    }
}
