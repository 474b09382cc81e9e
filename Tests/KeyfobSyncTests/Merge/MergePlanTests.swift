import KeyfobModel
import KeyfobSync
import Testing

@Suite("The plan of a merge")
struct MergePlanTests {
    private func planned(
        _ incoming: KeyringState, into state: KeyringState,
        refusing refusals: [ItemPlace: MergeOutcome.RefusalReason] = [:]
    ) -> MergePlan {
        MergePlan(merging: incoming, into: state, refusing: refusals, now: 1_000)
    }

    private func account(_ label: String?, at time: Int64) -> ItemRecord {
        Sample.record(.account(Sample.account("ada", label: label)), at: time)
    }

    @Test(
        "of an item without a secret",
        arguments: [
            (nil, 10, .added), (5, 10, .changed([.label])), (15, 10, .kept(.newerHere)), (10, 10, .kept(.same)),
        ] as [(Int64?, Int64, MergeOutcome)])
    func items(here: Int64?, there: Int64, expected: MergeOutcome) {
        let state = here.map { Sample.state(account($0 == there ? "Lab" : "Mine", at: $0)) } ?? KeyringState()
        let plan = planned(Sample.state(account("Lab", at: there)), into: state)
        #expect(plan.lines.map(\.outcome) == [expected])
        #expect(plan.lines.map(\.takesSecret) == [false])
        #expect(plan.isEmpty == (expected.name == "kept"))
    }

    @Test("what is the same but for its version is kept as the same")
    func sameContent() {
        let plan = planned(Sample.state(account("Lab", at: 20)), into: Sample.state(account("Lab", at: 10)))
        #expect(plan.lines.map(\.outcome) == [.kept(.same)])
    }

    @Test(
        "of tombstones",
        arguments: [
            (5, false, .removed), (15, false, .kept(.newerHere)), (nil, false, .kept(.deletedThere)),
            (5, true, .kept(.deletedThere)),
        ] as [(Int64?, Bool, MergeOutcome)])
    func tombstones(here: Int64?, isDeleted: Bool, expected: MergeOutcome) {
        let record = account("Lab", at: here ?? 0)
        let gone = Sample.record(.tombstone(record.key), at: 10)
        var state = KeyringState()
        if here != nil { state = Sample.state(isDeleted ? Sample.record(.tombstone(record.key), at: 5) : record) }
        #expect(planned(Sample.state(gone), into: state).lines.map(\.outcome) == [expected])
    }

    @Test("an item that was deleted here later is not brought back")
    func deletedHere() {
        let record = account("Lab", at: 5)
        let state = Sample.state(Sample.record(.tombstone(record.key), at: 10))
        #expect(planned(Sample.state(record), into: state).lines.map(\.outcome) == [.kept(.deletedHere)])
    }

    private static let grantCases: [(Grant, UInt8?, Grant, UInt8?, MergeOutcome, takesSecret: Bool)] = [
        (Grant(), 1, Grant(), 1, .kept(.same), false),
        (Grant(), 1, Grant(generation: 2), 2, .changed([.state, .token]), true),
        (Grant(generation: 2), 1, Grant(), 2, .kept(.newerHere), false),
        (Grant(), 1, Grant(state: .signedOut), nil, .removed, false),
        (Grant(state: .signedOut), nil, Grant(generation: 9), 2, .kept(.signedOutHere), false),
        (Grant(state: .signedOut), nil, Grant(epoch: 2), 2, .changed([.state, .token]), true),
        (Grant(), 1, Grant(state: .needsSignIn(reason: "r")), 1, .changed([.state]), false),
        (Grant(), 1, Grant(), 2, .changed([.token]), true),
    ]

    @Test("of grants", arguments: grantCases.indices)
    func grants(index: Int) {
        let (here, mine, there, theirs, expected, takesSecret) = Self.grantCases[index]
        func state(_ grant: Grant, _ secret: UInt8?, _ time: Int64) -> KeyringState {
            var state = KeyringState()
            var credential = Sample.refreshToken()
            credential.grant = grant
            state.insert(Sample.record(.credential(credential), at: time), secret: secret.map(Sample.digest))
            return state
        }
        let plan = planned(state(there, theirs, 20), into: state(here, mine, 10))
        #expect(plan.lines.map(\.outcome) == [expected])
        #expect(plan.lines.map(\.takesSecret) == [takesSecret])
    }

    @Test("what is refused is not taken, and says why")
    func refused() {
        let record = account("Lab", at: 10)
        let other = Sample.record(.setting(name: "a", value: "b"))
        let plan = planned(Sample.state(record, other), into: KeyringState(), refusing: [record.place: .notSelected])
        #expect(plan.lines.map(\.outcome) == [.refused(.notSelected), .added])
        #expect(plan.result == Sample.state(other))
        #expect(plan.counts == ["refused": 1, "added": 1])
    }

    @Test(
        "the result is the merge without what is left of removed accounts, and the lines are its places in their order",
        arguments: 0..<100 as Range<UInt64>)
    func result(seed: UInt64) {
        var random = RandomStates(seed: seed)
        let (state, incoming) = (random.state(), random.state())
        let plan = planned(incoming, into: state)
        var merged = state.merged(with: incoming)
        let gone = merged.removeOrphans(in: Set(incoming.places.map(\.group)), since: state)
        #expect(plan.result == merged)
        #expect(Set(plan.lines.map(\.place)) == Set(incoming.places).union(gone.filter(state.holds)))
        #expect(plan.lines.map(\.place) == plan.lines.map(\.place).sorted())
        for line in plan.lines {
            let isHere = state.holds(line.place)
            #expect(
                (line.outcome == .added) == (!isHere && plan.result.holds(line.place) && !gone.contains(line.place)))
            let isSame =
                state.groups[line.place.group]?.secret(of: line.place.key)
                == plan.result.groups[line.place.group]?.secret(of: line.place.key)
            #expect(!line.takesSecret || !isSame)
        }
    }

    @Test("a replacement takes what comes in, removes what does not, and leaves other groups alone")
    func replacement() {
        let (mine, theirs) = (account("Mine", at: 20), account("Lab", at: 10))
        let gone = Sample.record(.setting(name: "gone", value: "x"))
        let added = Sample.record(.setting(name: "new", value: "x"))
        let elsewhere = Sample.record(.setting(name: "work", value: "x"), group: Sample.group("work"))
        let kept = Sample.record(.setting(name: "kept", value: "x"))
        let state = Sample.state(mine, gone, elsewhere, kept)
        let plan = MergePlan(
            replacing: state, in: [.default], with: Sample.state(theirs, added, kept), now: 1_000)
        let outcomes = Dictionary(uniqueKeysWithValues: plan.lines.map { ($0.place.key, $0.outcome) })
        #expect(
            outcomes == [
                mine.key: .changed([.label]), gone.key: .removed, added.key: .added, kept.key: .kept(.same),
            ])
        #expect(plan.result == Sample.state(theirs, added, kept, elsewhere))
    }

    @Test("a replacement keeps what it is told to refuse")
    func replacementRefused() {
        let mine = account("Mine", at: 20)
        let plan = MergePlan(
            replacing: Sample.state(mine), in: [.default], with: KeyringState(),
            refusing: [mine.place: .thisDeviceOnly], now: 1_000)
        // Nobody brought it, so nobody was refused.
        #expect(plan.lines.isEmpty)
        #expect(plan.result == Sample.state(mine))
    }

    @Test("lines read as a person would say them, and name no foreign key")
    func descriptions() {
        let foreign = Sample.record(.foreign(section: "AccessToken", key: "ada-secret-key"))
        let state = Sample.state(account("Mine", at: 5))
        let plan = planned(Sample.state(account("Lab", at: 10), foreign), into: state)
        #expect(
            plan.lines.map(\.description) == [
                "group default: account ada@login.example: changed: label",
                "group default: an unknown entry in AccessToken: added",
            ])
        #expect(plan.lines.map(\.outcome.name) == ["changed", "added"])
        let odd = MergeOutcome.changed([.additional("a\u{1B}[2J", in: ""), .profile(realm: "t"), .profile(realm: "")])
        #expect(odd.description == "changed: a field, profile t, a profile")
        #expect(MergeOutcome.kept(.newerHere).reason == "newerHere")
        #expect(MergeOutcome.added.reason == nil)
    }
}
