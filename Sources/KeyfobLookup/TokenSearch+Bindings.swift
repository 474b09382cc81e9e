package import KeyfobFiles
internal import KeyfobRecords
package import KeyfobModel
package import KeyfobVault

/// How project files are looked at.
package struct ProjectFileAccess: Sendable {
    /// The files that there are from a folder, a real path, upwards.
    package let paths: @Sendable (_ directory: String) -> [String]
    /// Why the file at a path does not count, where it was allowed with this digest or not at all; nil when it does.
    package let problem: @Sendable (_ path: String, _ digest: String?) -> Warning?

    /// Project files as these two functions see them.
    package init(
        paths: @escaping @Sendable (_ directory: String) -> [String],
        problem: @escaping @Sendable (_ path: String, _ digest: String?) -> Warning?
    ) {
        self.paths = paths
        self.problem = problem
    }
}

extension TokenSearch {
    /// What was decided in groups, and the accounts that they had, of which something may still mean one.
    package struct Decisions {
        /// In an order that does not depend on when they were made.
        package var bindings: [Binding] = []
        package var former: [(account: FormerAccount, group: AccessGroup)] = []
        /// Whether every record that tells of them opens.
        package var isWhole = true
    }

    /// What was decided in `groups`.
    ///
    /// Costs next to nothing where nothing is bound, and nobody was removed.
    package func decisions(
        _ state: inout LookupState, _ groups: [UnlockedVault.Group]
    ) throws(StorageFailure) -> Decisions {
        var decisions = Decisions()
        var bindings: [Binding] = []
        for group in groups {
            let found = try storage.settings(
                prefixes: [BindingSetting.prefix, FormerAccount.setting], in: group.keys)
            state.warn(ofDamage: found.damaged, in: group.name)
            decisions.isWhole = decisions.isWhole && found.damaged.isEmpty
            for item in found.items {
                if item.value.name == FormerAccount.setting {
                    decisions.former += FormerAccount.all(in: item.value.value).map { ($0, group.name) }
                } else if let binding = BindingSetting.binding(item.value, in: group.name) {
                    bindings.append(binding)
                } else {
                    state.warn(unknown: "a binding", in: group.name)
                }
            }
        }
        decisions.bindings = bindings.sorted()
        return decisions
    }

    /// What counts in `directory`, a real path: what was decided in `groups`, and what the nearest project files say that are
    /// allowed.
    ///
    /// Project files that do not count are told by ``takeWarnings()``.
    package func decisions(
        _ state: inout LookupState, _ groups: [UnlockedVault.Group], directory: String?
    ) throws(StorageFailure) -> Decisions {
        var decisions = try decisions(&state, groups)
        guard let directory else { return decisions }
        let (files, warnings) = try projectBindings(&state, directory: directory, groups: groups)
        for warning in warnings { state.warn(warning) }
        decisions.bindings = Binding.combined(decisions.bindings, with: files)
        return decisions
    }

    /// The binding of the nearest project file from `directory`, a real path, upwards that the owner allowed, and
    /// those of nearer ones that somebody with a group's key allowed: such a one counts for that group alone.
    ///
    /// Opens nothing where there is no such file, and never reads what one says: a file counts while it is what it
    /// was when it was allowed.
    ///
    /// - Returns: The bindings, and why nearer files do not count.
    package func projectBindings(
        _ state: inout LookupState, directory: String, groups: [UnlockedVault.Group]
    ) throws(StorageFailure) -> (bindings: [Binding], warnings: [Warning]) {
        let paths = projectFiles.paths(directory)
        guard !paths.isEmpty else { return ([], []) }
        func problem(_ path: String, _ allowance: AllowanceSetting?) -> Warning? {
            projectFiles.problem(path, allowance?.digest)
        }
        let asked = Set(groups.map { $0.name })
        let (allowances, isWhole) = try allowances(&state, reachable(state, nil))
        var bindings: [Binding] = []
        var warnings: [Warning] = []
        for path in paths {
            let own = allowances.filter { $0.setting.path == path }
            let here = own.filter { asked.contains($0.group) }
            let counting = here.filter { problem(path, $0.setting) == nil }
            for item in counting
            where item.writer == .owner || !bindings.contains(where: { $0.origin.group == item.group }) {
                bindings.append(item.setting.binding(in: item.group, by: item.writer))
            }
            if groups.count == 1 && !counting.isEmpty || counting.contains(where: { $0.writer == .owner }) {
                return (bindings, warnings)
            }
            guard counting.isEmpty else { continue }
            if here.isEmpty, let other = own.first(where: { problem(path, $0.setting) == nil }) {
                warnings.append(
                    Warning(
                        .projectFile,
                        "\(path) is allowed in group '\(other.group)', which was not asked for, and does not count"))
            } else if isWhole || !own.isEmpty, let problem = problem(path, here.first?.setting) {
                // Where an allowance does not open, the file may well be allowed.
                warnings.append(problem)
            }
        }
        return (bindings, warnings)
    }

    /// That a project file is allowed, in which group, and by whom.
    package typealias Allowance = (setting: AllowanceSetting, group: AccessGroup, writer: DecisionWriter)

    /// The project files that `groups` allow, and whether every record that tells of them opens.
    package func allowances(
        _ state: inout LookupState, _ groups: [UnlockedVault.Group]
    ) throws(StorageFailure) -> (allowances: [Allowance], isWhole: Bool) {
        var allowances: [Allowance] = []
        var isWhole = true
        for group in groups {
            let found = try storage.settings(prefixes: [AllowanceSetting.prefix], in: group.keys)
            state.warn(ofDamage: found.damaged, in: group.name)
            isWhole = isWhole && found.damaged.isEmpty
            allowances += found.items.compactMap { item in
                AllowanceSetting(item.value).map { ($0, group.name, item.value.writer) }
            }
        }
        return (allowances, isWhole)
    }
}
