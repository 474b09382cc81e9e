import KeyfobModel
import KeyfobSync
import KeyfobTestSupport
import Testing

@Suite("The laws of a merge")
struct MergeLawTests {
    /// How many triples of states the laws are tried on.
    private static let triples = TestLength.rounds(1_500, full: 100_000)

    /// Counts how often a law did not hold, so that a broken merge does not write a report for every triple.
    private struct Breaches: Equatable {
        var commutative = 0
        var associative = 0
        var idempotent = 0
        var absorbing = 0
    }

    @Test("order, grouping and repetition do not matter, spelling and all", arguments: 0..<10 as Range<UInt64>)
    func laws(part: UInt64) {
        var random = RandomStates(seed: part)
        var breaches = Breaches()
        var busy = 0
        for _ in 0..<Self.triples / 10 {
            let (a, b, c) = (random.state(), random.state(), random.state())
            let ab = a.merged(with: b)
            let abc = ab.merged(with: c)
            if ab != b.merged(with: a) { breaches.commutative += 1 }
            if abc != a.merged(with: b.merged(with: c)) { breaches.associative += 1 }
            if abc.merged(with: abc) != abc { breaches.idempotent += 1 }
            if ab.merged(with: a) != ab { breaches.absorbing += 1 }
            if ab != a && ab != b { busy += 1 }
        }
        #expect(breaches == Breaches())
        // Laws that are tried on states that do not meet prove nothing.
        #expect(busy > Self.triples / 10 / 2)
    }

    @Test("what both know is found the same from either side", arguments: 0..<200 as Range<UInt64>)
    func conflictsAreSymmetric(seed: UInt64) {
        var random = RandomStates(seed: seed)
        let (a, b) = (random.state(), random.state())
        #expect(Conflict.found(in: a, b, now: 0) == Conflict.found(in: b, a, now: 0))
    }

    @Test("a state that goes out as records and comes in again is the same state", arguments: 0..<500 as Range<UInt64>)
    func records(seed: UInt64) throws {
        var random = RandomStates(seed: seed)
        let state = random.state().merged(with: random.state())
        var again = KeyringState()
        for place in state.places {
            // A foreign entity or a token without its secret is no record.
            let record = try #require(state.record(at: place))
            let isTaken = again.insert(record, secret: state.groups[place.group]?.secret(of: place.key))
            #expect(isTaken)
        }
        for place in state.places {
            let item = state.groups[place.group]?.items[place.key]
            // Of a deleted item only that is told.
            let told = item.map { $0.isDeleted ? FieldItem(deletion: $0.deletion) : $0 }
            #expect(again.groups[place.group]?.items[place.key] == told)
            #expect(again.groups[place.group]?.grants[place.key] == state.groups[place.group]?.grants[place.key])
        }
        #expect(again.places == state.places)
    }
}
