import KeyfobModel
import KeyfobSelection
import KeyfobTestSupport
import Testing

@Suite("The learned policy")
struct LearnedPolicyTests {
    private static let now: Int64 = 1_800_000_000
    private let ada: Candidate
    private let bob: Candidate
    private let request = TokenRequest(
        context: RequestContext(remote: SelectionSample.address("git.example/contoso/app")))

    init() throws {
        ada = try SelectionSample.candidate("ada")
        bob = try SelectionSample.candidate("bob")
    }

    private func select(
        _ events: [UsageEvent], among candidates: [Candidate]? = nil, now: Int64 = Self.now,
        at text: String = "git.example/contoso/app"
    ) -> Selection {
        AccountSelector().select(
            request, among: candidates ?? [ada, bob], groups: [.default],
            evidence: Evidence(
                history: UsageHistory(events, context: SelectionSample.context(text)), now: Timestamp(seconds: now)))
    }

    @Test("an account that was taken often and lately is taken, and it says so")
    func habit() throws {
        let events = SelectionSample.events(ada, at: "git.example/contoso/app", count: 12, end: Self.now - 600)
        let selection = select(events)
        #expect(selection.outcome == .chosen(ada))
        let usage = try #require(selection.verdicts[0].verdict.usage)
        #expect(usage.probability >= 0.9)
        #expect(usage.share?.count == 12 && usage.share?.total == 12 && usage.share?.scope == .place)
        #expect(selection.verdicts[0].verdict.description == "chosen: used all of the last 12 times here")
        #expect(selection.verdicts[1].verdict.description == "rejected: not among the last 12 used here")
    }

    @Test("with no history, and after one use of each, somebody is asked")
    func doubt() {
        #expect(select([]).outcome == .ambiguous([ada, bob]))
        let mixed =
            SelectionSample.events(ada, at: "git.example/contoso/app", count: 1, end: Self.now - 7_200)
            + SelectionSample.events(bob, at: "git.example/contoso/app", count: 1, end: Self.now - 3_600)
        guard case .ambiguous(let list) = select(mixed).outcome else {
            Issue.record("taken after two choices that differ")
            return
        }
        #expect(Set(list) == [ada, bob])
    }

    @Test("a place has a habit of its own")
    func places() {
        let events =
            SelectionSample.events(ada, at: "git.example/contoso/app", count: 15, end: Self.now - 9_000)
            + SelectionSample.events(bob, at: "git.example/bob/notes", count: 15, end: Self.now - 600)
        #expect(select(events).verdicts[0].candidate == ada)
        #expect(select(events, at: "git.example/bob/notes").outcome == .chosen(bob))
    }

    @Test("a place that was never seen is judged by its owner, its host, or everything")
    func backingOff() throws {
        let events =
            SelectionSample.events(ada, at: "git.example/contoso/app", count: 6, end: Self.now - 90_000)
            + SelectionSample.events(bob, at: "git.example/bob/notes", count: 2, end: Self.now - 600)
        let selection = select(events, at: "git.example/contoso/other")
        #expect(selection.verdicts[0].verdict.usage?.share?.scope == .owner)
        let host = select(events, at: "git.example/fabrikam/site")
        #expect(host.verdicts[0].verdict.usage?.share?.scope == .host)
        let elsewhere = select(events, at: "other.example/x/y")
        #expect(elsewhere.verdicts[0].verdict.usage?.share?.scope == .everywhere)
    }

    @Test("probabilities add up to one, among two accounts and among ten thousand", arguments: [2, 7, 10_000])
    func sum(count: Int) throws {
        let candidates = try (0..<count).map { try SelectionSample.candidate("user\($0)") }
        let events =
            SelectionSample.events(candidates[0], at: "git.example/contoso/app", count: 3, end: Self.now - 50_000)
            + SelectionSample.events(candidates[1], at: "git.example/contoso/app", count: 2, end: Self.now - 600)
        let selection = select(events, among: candidates)
        let total = selection.verdicts.compactMap { $0.verdict.usage?.probability }.reduce(0, +)
        #expect(abs(total - 1) < 1e-9)
    }

    @Test("events of accounts that are not to choose from count for nothing")
    func foreignEvents() throws {
        let carol = try SelectionSample.candidate("carol")
        let own = SelectionSample.events(ada, at: "git.example/contoso/app", count: 10, end: Self.now - 600)
        let others = SelectionSample.events(carol, at: "git.example/contoso/app", count: 30, end: Self.now - 60)
        #expect(select(own + others) == select(own))
    }

    @Test("a default is taken where nothing was used, and gives way to a habit")
    func defaults() throws {
        let preferred = try SelectionSample.candidate("bob", isDefault: true)
        let many = try (0..<50).map { try SelectionSample.candidate("user\($0)") }
        #expect(select([], among: many + [preferred]).outcome == .chosen(preferred))
        let habit = SelectionSample.events(ada, at: "git.example/contoso/app", count: 40, end: Self.now - 600)
        #expect(select(habit, among: [ada, preferred]).outcome == .chosen(ada))
        // A little use of another is a reason to ask, not to overrule the owner.
        let little = SelectionSample.events(ada, at: "git.example/contoso/app", count: 2, end: Self.now - 90_000)
        #expect(select(little, among: [ada, preferred]).outcome != .chosen(ada))
    }

    @Test(
        "a clock that ran backwards, and times at the ends of the range, give an answer",
        arguments: [
            Int64.min, -1, 0, now - 1_000_000_000, now, Int64.max,
        ])
    func clocks(now: Int64) {
        let events =
            SelectionSample.events(ada, at: "git.example/contoso/app", count: 8, end: Self.now)
            + [UsageEvent(time: Timestamp(seconds: .max), account: bob.tag, context: UsageContext())]
            + [UsageEvent(time: Timestamp(seconds: .min), account: bob.tag, context: UsageContext())]
        let selection = select(events, now: now)
        for judged in selection.verdicts {
            let probability = judged.verdict.usage?.probability ?? 0
            #expect((0...1).contains(probability))
        }
    }

    @Test("asking changes nothing: the same question has the same answer")
    func repeated() {
        let events = SelectionSample.events(ada, at: "git.example/contoso/app", count: 5, end: Self.now - 60)
        #expect((0..<5).allSatisfy { _ in select(events) == select(events) })
    }

    @Test("choosing says what selecting says", arguments: 0..<200 as Range<UInt64>)
    func agreement(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let candidates = try (0..<Int.random(in: 1...5, using: &generator)).map {
            try SelectionSample.candidate("user\($0)", isDefault: $0 == 2 && Bool.random(using: &generator))
        }
        let events = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
            UsageEvent(
                time: Timestamp(seconds: Self.now - .random(in: 0...1_000_000, using: &generator)),
                account: candidates[.random(in: 0..<candidates.count, using: &generator)].tag,
                context: SelectionSample.context(
                    Bool.random(using: &generator) ? "git.example/contoso/app" : "git.example/a/b"))
        }
        let evidence = Evidence(
            history: UsageHistory(events, context: SelectionSample.context("git.example/contoso/app")),
            now: Timestamp(seconds: Self.now))
        let selector = AccountSelector()
        let chosen = selector.choose(request, among: candidates, groups: [.default], evidence: evidence)
        let selection = selector.select(request, among: candidates, groups: [.default], evidence: evidence)
        if let chosen {
            #expect(selection.outcome == .chosen(chosen.candidate))
            #expect(selection.verdicts.first?.verdict == .chosen(chosen.reason))
        } else {
            if case .chosen = selection.outcome { Issue.record("select chose, and choose did not") }
        }
        // Any other order of everything: the same answer.
        let shuffled = Evidence(
            history: UsageHistory(
                events.shuffled(using: &generator), context: SelectionSample.context("git.example/contoso/app")),
            now: Timestamp(seconds: Self.now))
        #expect(
            selector.select(
                request, among: candidates.shuffled(using: &generator), groups: [.default], evidence: shuffled)
                == selection)
    }
}
