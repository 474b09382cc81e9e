import KeyfobModel
import KeyfobSync
import Testing

@Suite("What a person should know of a merge")
struct ConflictTests {
    private static let account = Sample.record(.account(Sample.account("ada", label: "Lab")))
    private static let now: Int64 = 1_000

    /// What is found, which must be the same from either side.
    @Test("those between accounts are found as well where the result is seen account by account", arguments: 0..<200)
    func wide(seed: Int) throws {
        var random = RandomStates(seed: UInt64(seed))
        let state = random.state().merged(with: random.state())
        var wide = WideConflicts()
        for place in state.places {
            var part = GroupItems()
            part.items[place.key] = state.groups[place.group]?.items[place.key]
            part.grants[place.key] = state.groups[place.group]?.grants[place.key]
            wide.see(KeyringState([place.group: part]))
        }
        var found = try wide.found { body in
            for (group, items) in state.groups {
                for key in items.keys where key.kind == .account {
                    if case .account(let account) = items.record(key, in: group)?.content { try body(group, account) }
                }
            }
        }
        found += wide.settings.compactMap { place, account in
            let isDeleted = state.groups[place.group]?.items[account]?.isDeleted == true
            return isDeleted ? .settingOfDeletedAccount(place, account: account) : nil
        }
        let expected = Conflict.found(in: state, state, now: 1_000).filter { !$0.isOfOneAccount }
        #expect(Set(found) == Set(expected) && found.count == expected.count)
    }

    private func found(_ left: KeyringState, _ right: KeyringState, now: Int64 = now) -> [Conflict] {
        let found = Conflict.found(in: left, right, now: now)
        #expect(Conflict.found(in: right, left, now: now) == found)
        return found
    }

    @Test("two states that agree have nothing to tell")
    func nothing() {
        let state = Sample.state(Self.account, Sample.record(.credential(Sample.refreshToken())))
        #expect(found(state, state) == [])
        #expect(found(state, KeyringState()) == [])
    }

    @Test("one label on two accounts")
    func sameLabel() {
        let other = Sample.state(Sample.record(.account(Sample.account("grace", label: "Lab"))))
        let keys = [ItemKey.account(Sample.id("ada")), .account(Sample.id("grace"))]
        #expect(found(Sample.state(Self.account), other) == [.sameLabel(.default, label: "Lab", accounts: keys)])
        let elsewhere = Sample.state(
            Sample.record(.account(Sample.account("grace", label: "Lab")), group: Sample.group("work")))
        #expect(found(Sample.state(Self.account), elsewhere) == [])
    }

    @Test(
        "two tokens of one epoch and generation are a fork, of others they are not",
        arguments: [(1, 1, true), (1, 2, false), (2, 1, false)] as [(UInt64, UInt64, Bool)])
    func fork(epoch: UInt64, generation: UInt64, isFork: Bool) {
        let mine = Sample.record(.credential(Sample.refreshToken()), at: 1)
        let theirs = Sample.record(.credential(Sample.refreshToken(epoch: epoch, generation: generation)), at: 2)
        var (left, right) = (KeyringState(), KeyringState())
        left.insert(mine, secret: Sample.digest(1))
        right.insert(theirs, secret: Sample.digest(2))
        #expect(found(left, right) == (isFork ? [.forkedGrant(mine.place)] : []))
        right.insert(theirs, secret: Sample.digest(2))
    }

    @Test("a fork is one also where one side already needs a sign-in, and not where a sign-out has no token")
    func forkThatEnded() {
        let mine = Sample.record(.credential(Sample.refreshToken()), at: 1)
        let theirs = Sample.record(.credential(Sample.refreshToken(state: .needsSignIn(reason: "r"))), at: 2)
        let ended = Sample.record(.credential(Sample.refreshToken(state: .signedOut)), at: 2)
        var (left, right, out) = (KeyringState(), KeyringState(), KeyringState())
        left.insert(mine, secret: Sample.digest(1))
        right.insert(theirs, secret: Sample.digest(2))
        out.insert(ended)
        #expect(found(left, right) == [.forkedGrant(mine.place)])
        #expect(found(left, out) == [])
    }

    @Test("an account in two groups")
    func severalGroups() {
        let other = Sample.record(Self.account.content, group: Sample.group("work"))
        let groups = [AccessGroup.default, Sample.group("work")]
        #expect(
            found(Sample.state(Self.account), Sample.state(other))
                == [.accountInSeveralGroups(Self.account.key, groups)])
    }

    @Test(
        "a binding to an account that is deleted, however it is spelt",
        arguments: ["ada@login.example", "Ada@LOGIN.example"])
    func binding(named: String) {
        let setting = Sample.record(.setting(name: "binding:x", value: named))
        let gone = Sample.record(.tombstone(Self.account.key))
        let expected = Conflict.settingOfDeletedAccount(setting.place, account: Self.account.key)
        #expect(found(Sample.state(setting), Sample.state(gone)) == [expected])
        #expect(found(Sample.state(setting), Sample.state(Self.account)) == [])
    }

    @Test("an account that was deleted here and changed there later")
    func deletedAndChanged() {
        let gone = Sample.record(.tombstone(Self.account.key), at: 500)
        #expect(found(Sample.state(Self.account), Sample.state(gone)) == [.deletedAndChanged(Self.account.place)])
        let later = Sample.record(.tombstone(Self.account.key), at: 1_500)
        #expect(found(Sample.state(Self.account), Sample.state(later)) == [])
        // Who wrote it again in the knowledge of the deletion means it.
        var again = Self.account
        again.history.deletion = Sample.version(500)
        #expect(found(Sample.state(again), Sample.state(gone)) == [])
    }

    @Test("a sign-in of an account that is deleted")
    func signedInButDeleted() {
        let grant = Sample.record(.credential(Sample.refreshToken()))
        let gone = Sample.state(Sample.record(.tombstone(Self.account.key)))
        let expected = Conflict.signedInButDeleted(grant.place, account: Self.account.key)
        #expect(found(Sample.state(grant), gone) == [expected])
    }

    @Test("two contents of one version")
    func sameVersion() {
        let other = Sample.record(.account(Sample.account("ada", label: "Home")))
        let expected = Conflict.sameVersion(Self.account.place, device: 1)
        #expect(found(Sample.state(Self.account), Sample.state(other)) == [expected])
    }

    @Test("a stamp more than a day ahead", arguments: [(86_400_000, false), (86_400_001, true)])
    func farAhead(ahead: Int64, isFound: Bool) {
        let record = Sample.record(Self.account.content, at: Self.now + ahead)
        let expected = Conflict.farAhead(record.place, record.version)
        #expect(found(Sample.state(record), KeyringState()) == (isFound ? [expected] : []))
    }

    @Test("each has a name and a sentence of its own, and a place")
    func descriptions() {
        let place = Self.account.place
        let all: [Conflict] = [
            .sameLabel(.default, label: "Lab", accounts: [place.key]), .forkedGrant(place),
            .accountInSeveralGroups(place.key, [.default]), .settingOfDeletedAccount(place, account: place.key),
            .deletedAndChanged(place), .signedInButDeleted(place, account: place.key), .sameVersion(place, device: 1),
            .farAhead(place, Sample.version(1)),
        ]
        #expect(Set(all.map(\.name)).count == all.count)
        #expect(Set(all.map(\.description)).count == all.count)
        #expect(all.allSatisfy { $0.places == [place] })
    }
}
