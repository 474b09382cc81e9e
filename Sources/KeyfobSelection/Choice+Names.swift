package import KeyfobModel

// Where the request names the account.

extension Choice {
    /// Chooses among those that the request names.
    ///
    /// How a sign-in stands does not tell one of several from the others: whoever asks has not said which.
    mutating func chooseNamed() -> Conclusion {
        let (answering, nobody) = answeringAccounts()
        reject(.notNamed) { !answering.contains($0) }
        if let nobody { return nobody }
        let named = open
        rejectInfeasible()
        let naming = request.naming ?? .explicit
        let meant = named.filter { if case .otherEnvironment = rejections[$0] { false } else { true } }
        if areOfSeveralGroups(meant), let conclusion = chooseByOwner(meant) { return conclusion }
        // Whoever was removed is still whom the name means, where it means nobody who is there.
        let gone = open.filter { candidates[$0].isRemoved }
        if gone.count == open.count, let first = inOrder(gone).first {
            return .meantInVain(first, naming, .removed)
        }
        reject(.removed) { gone.contains($0) }
        // Who may write in one group must not be able to answer for an account of another.
        let present = meant.filter { !candidates[$0].isRemoved }
        if areOfSeveralGroups(present), !open.isEmpty { reopen(present) }
        guard open.count > 1 else { return open.first.map { .chosen($0, naming) } ?? .nobody }
        rank()
        return .ambiguous
    }

    private func areOfSeveralGroups(_ indices: [Int]) -> Bool { Set(indices.map { candidates[$0].group }).count > 1 }

    /// Those that answer to the name; none, and what that means, where nobody does, or two names mean different accounts.
    private func answeringAccounts() -> (answering: Set<Int>, nobody: Conclusion?) {
        guard let text = request.account else {
            let login = request.login ?? ""
            let answering = indices(of: AccountName(login, isLogin: true))
            return (answering, answering.isEmpty ? .nobodyNamed(login) : nil)
        }
        let answering = indices(of: AccountName(text))
        guard !answering.isEmpty else { return ([], .nobodyNamed(text)) }
        guard let login = request.login else { return (answering, nil) }
        let both = answering.filter { candidates[$0].account.isCalled(login) }
        return (both, both.isEmpty ? .contradiction(account: text, login: login) : nil)
    }

    /// Whoever is out of it keeps its names: nobody answers to one of them who has it less.
    private func indices(of name: AccountName?) -> Set<Int> {
        guard let name else { return [] }
        let takesParts = !evidence.hasClosedGroups
        let answering = Set(name.matches(in: candidates, takesParts: takesParts))
        let found = open.filter { answering.contains(candidates[$0]) }
        guard found.isEmpty, !answering.isEmpty else { return Set(found) }
        // It is itself who is there, by another id or in another group, and has the name there too.
        let own = Set(name.matches(in: open.map { candidates[$0] }, takesParts: takesParts))
        let ids = Set(answering.map { $0.account.id })
        return Set(
            open.filter { index in
                own.contains(candidates[index])
                    && !ids.isDisjoint(with: [candidates[index].account.id] + candidates[index].account.formerIDs)
            })
    }

    /// Chooses among accounts of several groups that answer to one name as the owner bound the request; nil where that does
    /// not say.
    private mutating func chooseByOwner(_ meant: [Int]) -> Conclusion? {
        for step in BindingPolicy(evidence.bindings, for: request.context, groups: groups).steps {
            for binding in step where binding.writer == .owner {
                guard let index = meant.first(where: { binding.means(candidates[$0]) }) else { continue }
                if let rejection = rejections[index] { return .boundInVain(binding, index, rejection) }
                reject(.boundToAnother(binding)) { $0 != index }
                return .chosen(index, .bound(binding))
            }
        }
        return nil
    }
}

extension TokenRequest {
    /// By what the account is named; nil where it is not.
    package var naming: Verdict.Reason? {
        if account != nil { return isUsual ? .usual : .explicit }
        return login.map { .addressUser($0) }
    }
}
