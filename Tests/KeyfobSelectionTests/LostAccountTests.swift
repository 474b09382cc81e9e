import KeyfobModel
import KeyfobSelection
import KeyfobTestSupport
import Testing

/// Nobody gets another's token because an account is missing: 10,000 choices made at random.
@Suite("An account that is lost")
struct LostAccountTests {
    private static let rounds = 10_000
    private static let parts = 20

    /// Whether what came out is nobody's token but that of `meant`.
    private func isOfNobodyElse(_ selection: Selection, than meant: Candidate) -> Bool {
        guard let choice = selection.choice else { return true }
        return choice.candidate.account.id == meant.account.id
    }

    @Test("signing out, expiring or removing whoever is chosen gives nobody else's token", arguments: 0..<parts)
    func chosen(part: Int) throws {
        var random = SeededGenerator(seed: UInt64(part))
        var seen: [String: Int] = [:]
        for _ in 0..<Self.rounds / Self.parts {
            let before = try RandomChoice(&random)
            guard
                let chosen = AccountSelector().choose(
                    before.request, among: before.candidates, groups: before.groups, evidence: before.evidence)
            else { continue }
            let (meant, reason) = (chosen.candidate, chosen.reason)
            seen[reason.name, default: 0] += 1
            // By a part of its name, or because others were lost already, nobody is meant for good.
            let name = (before.request.account ?? before.request.login).map { Identifier.foldedName($0) }
            let isCertain = !chosen.isNarrowed && name.map { meant.account.names.contains($0) } ?? true
            for loss in RandomChoice.Loss.allCases {
                let after = before.losing(meant, loss)
                let selection = after.selection()
                #expect(isOfNobodyElse(selection, than: meant), "\(loss) of \(meant.account.id): \(before)")
                switch (selection.outcome, loss) {
                case (.chosen, .expiry): break
                case (.chosen, _): Issue.record("\(loss) of \(meant.account.id): \(before)")
                case _ where !isCertain: break
                case (.meantInVain(let candidate, _, let rejection), .signOut):
                    #expect(
                        candidate.account.id == meant.account.id && rejection == .signedOut,
                        "\(meant) \(reason): \(selection.outcome) \(before)")
                case (.meantInVain(let candidate, _, let rejection), .removal):
                    #expect(
                        candidate.account.id == meant.account.id && rejection == .removed,
                        "\(meant) \(reason): \(selection.outcome) \(before)")
                case (.boundInVain(_, let candidate, let rejection), .signOut):
                    #expect(
                        candidate.account.id == meant.account.id && rejection == .signedOut,
                        "\(meant) \(reason): \(selection.outcome) \(before)")
                case (.boundToNobody(let binding), .removal):
                    #expect(binding.target.account == meant.account.id)
                // That it was the only one is no reason to tell of it.
                case (.nobody, .removal) where reason == .onlyOne: break
                // Another group has the account still, where it is not called that.
                case (.nobodyNamed, .removal)
                where after.candidates.contains(where: { !$0.isRemoved && $0.account.id == meant.account.id }):
                    break
                default: Issue.record("\(loss) of \(meant.account.id): \(selection.outcome), \(before)")
                }
                #expect(
                    AccountSelector().choose(
                        after.request, among: after.candidates, groups: after.groups, evidence: after.evidence)?
                        .candidate == selection.choice?.candidate)
                #expect(selection.verdicts.allSatisfy { !$0.candidate.isRemoved })
            }
        }
        // It is not idle: of each way to choose there are some.
        for name in ["explicit", "addressUser", "variable", "bound", "onlyOne", "onlyGranted", "owner", "groupDefault"]
        {
            #expect(seen[name] ?? 0 > 0, "\(name) \(seen)")
        }
    }

    @Test("nor does losing anybody else change whose token it is, but to nobody's", arguments: 0..<parts)
    func others(part: Int) throws {
        var random = SeededGenerator(seed: 1_000 + UInt64(part))
        for _ in 0..<Self.rounds / Self.parts / 4 {
            let before = try RandomChoice(&random)
            guard let (meant, _) = before.selection().choice else { continue }
            for other in before.candidates where other != meant {
                for loss in RandomChoice.Loss.allCases {
                    let selection = before.losing(other, loss).selection()
                    #expect(isOfNobodyElse(selection, than: meant), "\(loss) of \(other.account.id): \(before)")
                }
            }
        }
    }

    @Test(
        "a name means nobody in another group while its own is not open, and no part of a name does",
        arguments: 0..<parts)
    func closed(part: Int) throws {
        var random = SeededGenerator(seed: 2_000 + UInt64(part))
        for _ in 0..<Self.rounds / Self.parts / 2 {
            let before = try RandomChoice(&random)
            guard before.request.isNamed, before.groups.count > 1, let (meant, _) = before.selection().choice else {
                continue
            }
            let selection = before.closing(meant.group).selection()
            guard let choice = selection.choice else { continue }
            // Only one that is called just so: before, it was one of several.
            let name = before.request.account ?? before.request.login ?? ""
            #expect(choice.candidate.account.names.contains(Identifier.foldedName(name)), "\(before)")
        }
    }

    @Test("who signs in again is chosen as before", arguments: 0..<parts)
    func back(part: Int) throws {
        var random = SeededGenerator(seed: 3_000 + UInt64(part))
        for _ in 0..<Self.rounds / Self.parts / 4 {
            let before = try RandomChoice(&random)
            guard let (meant, reason) = before.selection().choice else { continue }
            var after = before.losing(meant, .signOut)
            for index in after.candidates.indices where after.candidates[index].account.id == meant.account.id {
                if after.candidates[index].group == meant.group { after.candidates[index] = meant }
            }
            let again = after.selection().choice
            #expect(again?.candidate == meant && again?.reason == reason)
        }
    }

    @Test("the order of accounts and bindings changes nothing of it", arguments: 0..<parts)
    func order(part: Int) throws {
        var random = SeededGenerator(seed: 4_000 + UInt64(part))
        for _ in 0..<100 {
            var choice = try RandomChoice(&random)
            for index in choice.candidates.indices where Bool.random(using: &random) {
                RandomChoice.lose(
                    &choice.candidates[index], RandomChoice.Loss.allCases.randomElement(using: &random) ?? .signOut)
            }
            let expected = choice.selection()
            choice.candidates.shuffle(using: &random)
            choice.evidence.bindings.shuffle(using: &random)
            #expect(choice.selection() == expected)
        }
    }
}
