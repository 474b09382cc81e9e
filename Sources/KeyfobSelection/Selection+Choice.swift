internal import KeyfobModel

extension Selection {
    /// What a choice came to, in verdicts.
    init(_ choice: Choice, _ conclusion: Choice.Conclusion) {
        let candidates = choice.candidates
        let probabilities = candidates.indices.map { choice.ranking?.probability(of: $0) ?? 0 }
        var verdicts = candidates.indices.map { index -> Verdict in
            if let rejection = choice.rejections[index] { return .rejected(rejection) }
            return .possible(choice.ranking.flatMap { $0.isBlank ? nil : $0.usage(of: index) })
        }
        let meant: (index: Int, reason: Verdict.Reason)? =
            switch conclusion {
            case .chosen(let index, let reason), .meantInVain(let index, let reason, _): (index, reason)
            default: nil
            }
        switch conclusion {
        case .boundToNobody(let binding):
            for index in choice.open { verdicts[index] = .rejected(.boundToAnother(binding)) }
        case .boundInVain(let binding, let bound, let rejection):
            for index in choice.open { verdicts[index] = .rejected(.boundToAnother(binding)) }
            verdicts[bound] = .rejected(.meant(.bound(binding), but: rejection))
        default: break
        }
        if let meant {
            for index in choice.open {
                switch meant.reason {
                case .learned:
                    verdicts[index] = verdicts[index].usage.map { .rejected(.lessLikely($0)) } ?? verdicts[index]
                case .groupDefault: verdicts[index] = .rejected(.notDefault)
                case .explicit, .addressUser, .usual, .bound, .onlyOne, .onlyGranted, .indicated, .calledFrom: break
                }
            }
            verdicts[meant.index] = .chosen(meant.reason)
            if case .meantInVain(_, _, let rejection) = conclusion {
                verdicts[meant.index] = .rejected(.meant(meant.reason, but: rejection))
            }
        }
        let order = candidates.indices.sorted { left, right in
            let ranks = (verdicts[left].rank, verdicts[right].rank)
            if ranks.0 != ranks.1 { return ranks.0 < ranks.1 }
            if ranks.0 == Verdict.possible(nil).rank, probabilities[left] != probabilities[right] {
                return probabilities[left] > probabilities[right]
            }
            return Self.precedes(candidates[left], candidates[right], choice.groups)
        }
        self.verdicts = order.filter { !candidates[$0].isRemoved }.map {
            Judged(candidate: candidates[$0], verdict: verdicts[$0])
        }
        passedOver = choice.passedOver
        blocking = choice.blocking
        switch conclusion {
        case .chosen(let index, _): outcome = .chosen(candidates[index])
        case .ambiguous:
            outcome = .ambiguous(
                order.filter { choice.rejections[$0] == nil && !candidates[$0].isRemoved }.map { candidates[$0] })
        case .nobodyNamed(let name): outcome = .nobodyNamed(name)
        case .contradiction(let account, let login): outcome = .contradiction(account: account, login: login)
        case .meantInVain(let index, let reason, let rejection):
            outcome = .meantInVain(candidates[index], reason, rejection)
        case .boundToNobody(let binding): outcome = .boundToNobody(binding)
        case .boundInVain(let binding, let index, let rejection):
            outcome = .boundInVain(binding, candidates[index], rejection)
        case .nobody: outcome = .nobody
        }
    }

    /// By the group's place in the list, then by name, by id, and by group: nothing that depends on history.
    private static func precedes(_ left: Candidate, _ right: Candidate, _ groups: [AccessGroup]) -> Bool {
        let places = (
            groups.firstIndex(of: left.group) ?? groups.count, groups.firstIndex(of: right.group) ?? groups.count
        )
        if places.0 != places.1 { return places.0 < places.1 }
        let names = (left.account.name, right.account.name)
        if names.0 != names.1 { return names.0 < names.1 }
        if left.account.id != right.account.id { return left.account.id < right.account.id }
        return left.group < right.group
    }
}

extension Verdict {
    /// The chosen one first, then those that would do.
    fileprivate var rank: Int {
        switch self {
        case .chosen: 0
        case .possible: 1
        case .rejected: 2
        }
    }
}
