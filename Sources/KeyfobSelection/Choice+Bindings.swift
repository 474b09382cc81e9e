internal import KeyfobModel

// What is bound.

extension Choice {
    /// Keeps what the most specific bindings name that concern the request: the owner's among all accounts, then those
    /// of somebody with a group's key among the accounts of that group.
    ///
    /// - Returns: What that comes to, where nobody is left to choose from.
    mutating func applyBindings() -> Conclusion? {
        guard !evidence.bindings.isEmpty else { return nil }
        let steps = BindingPolicy(evidence.bindings, for: request.context, groups: groups).steps
        var blockers: [Binding] = []
        for step in steps {
            let own = step.filter { $0.writer == .owner }
            for binding in own where binding.target == .nobody { block(binding, &blockers) }
            let found = found(by: own.filter { binding in !blockers.contains { $0.blocks(binding) } })
            if sift(found, where: { _ in true }) {
                boundGroups = Set(groups)
                return nil
            }
            if let vain = found.vain { return vain }
        }
        var vain: Conclusion?
        for group in groups where evidence.bindings.contains(where: { $0.origin.group == group }) {
            let isThere = candidates.map { $0.group == group }
            blockers = []
            for step in steps {
                let own = step.filter { $0.origin.group == group }
                for binding in own where binding.target == .nobody { block(binding, &blockers) }
                let found = found(
                    by: own.filter { binding in
                        binding.writer != .owner && !blockers.contains { $0.blocks(binding) }
                    })
                if sift(found, where: { isThere[$0] }) {
                    boundGroups.insert(group)
                    break
                }
                guard let conclusion = found.vain, let binding = found.vainBinding else { continue }
                passOver(binding)
                vain = vain ?? conclusion
                break
            }
        }
        // Nobody else's token takes the place of one that was bound; but no group speaks for another.
        return open.isEmpty ? vain : nil
    }

    /// Takes, of those that are left, the one to which the folder is bound from which the calling program was called, where the
    /// request meets no binding of its own.
    mutating func applyCaller() -> Conclusion? {
        guard let (caller, bindings) = evidence.caller, let folder = caller.directory,
            BindingPolicy(evidence.bindings, for: request.context, groups: groups).steps.isEmpty
        else { return nil }
        let own = Evidence(bindings: bindings).following(candidates).bindings
        let nearest = BindingPolicy(own, for: caller, groups: groups).steps.first ?? []
        // One to no account leaves it open.
        guard !nearest.contains(where: { $0.target == .nobody }) else { return nil }
        let bound = nearest.filter { groups.count == 1 || $0.writer == .owner }
        let found = open.filter { index in bound.contains { $0.means(candidates[index]) } }
        guard found.count == 1, let binding = bound.first(where: { $0.means(candidates[found[0]]) }) else { return nil }
        reject(.boundToAnother(binding)) { $0 != found[0] }
        return .chosen(found[0], .calledFrom(folder, binding))
    }

    /// Takes note of a binding to no account; of each group the first is told.
    private mutating func block(_ binding: Binding, _ blockers: inout [Binding]) {
        if !blocking.contains(where: { $0.origin.group == binding.origin.group }) { blocking.append(binding) }
        blockers.append(binding)
    }

    /// Leaves out the accounts of a group that has bound the request to one which will not do.
    private mutating func passOver(_ binding: Binding) {
        let isThere = candidates.map { $0.group == binding.origin.group }
        reject(.boundInVain(binding)) { isThere[$0] }
        passedOver.append(binding)
    }

    /// What the bindings of one subject come to.
    private struct BindingsOfSubject {
        var bound: [Int: Binding] = [:]
        var vain: Conclusion?
        var vainBinding: Binding?
        /// Whether an account is gone: that is told, also where another one is bound to the same subject.
        var isLost = false
    }

    private func found(by bindings: [Binding]) -> BindingsOfSubject {
        var found = BindingsOfSubject()
        for binding in bindings {
            guard case .account(let id) = binding.target else { continue }
            if request.excludes(id) { continue }
            // One that was removed from this group, and is in another, is gone from here.
            let index = candidates.indices.first { binding.means(candidates[$0]) && rejections[$0] != .removed }
            guard let index else {
                if found.vain == nil || !found.isLost {
                    (found.vain, found.vainBinding) = (.boundToNobody(binding), binding)
                }
                found.isLost = true
                continue
            }
            guard let rejection = rejections[index] else {
                found.bound[index] = found.bound[index] ?? binding
                continue
            }
            // Its tokens do not go there: it gives way, as one of another provider does.
            if rejection.isOfDestination || found.vain != nil { continue }
            (found.vain, found.vainBinding) = (.boundInVain(binding, index, rejection), binding)
        }
        return found
    }

    /// Leaves of those that `concerns` finds only what is bound.
    ///
    /// One that this request cannot be about gives way to another; one that is lost does not.
    ///
    /// - Returns: Whether a binding decided.
    private mutating func sift(_ found: BindingsOfSubject, where concerns: (Int) -> Bool) -> Bool {
        guard !found.isLost, let first = inOrder(open).compactMap({ found.bound[$0] }).first else { return false }
        reject(.boundToAnother(first)) { concerns($0) && found.bound[$0] == nil }
        for index in open { bound[index] = bound[index] ?? found.bound[index] }
        return true
    }

    /// What it means that accounts are bound which are signed out or were removed: nobody bound beside them takes their place.
    ///
    /// - Parameter kept: One that counts as if it were there.
    /// - Returns: What that comes to, where nobody is left to choose from.
    mutating func loseBound(keeping kept: Int?) -> Conclusion? {
        var vain: Conclusion?
        for index in inOrder(open.filter { bound[$0] != nil && $0 != kept && loss(of: $0) != nil }) {
            guard let binding = bound[index], let loss = loss(of: index) else { continue }
            let conclusion: Conclusion =
                loss == .removed ? .boundToNobody(binding) : .boundInVain(binding, index, loss)
            vain = vain ?? conclusion
            reject(loss) { $0 == index }
            if binding.writer == .owner { return conclusion }
            if !passedOver.contains(binding) { passOver(binding) }
        }
        return open.isEmpty ? vain : nil
    }
}

extension Binding {
    /// Whether it is bound to this account, in the group where the binding stands.
    func means(_ candidate: Candidate) -> Bool {
        target.account == candidate.account.id && origin.group == candidate.group
    }

    /// Whether this binding to no account takes another of its group, which is looked at no earlier, out of play: any of the
    /// keyring, and that of a project file which is no nearer.
    fileprivate func blocks(_ other: Binding) -> Bool {
        guard origin.group == other.origin.group else { return false }
        guard case .file = other.origin else { return true }
        guard case .directory(let own) = subject, case .directory(let its) = other.subject else { return false }
        return own.utf8.count >= its.utf8.count
    }
}
