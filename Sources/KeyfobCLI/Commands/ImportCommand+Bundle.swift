internal import ArgumentParser
internal import Keyfob

extension ImportCommand {
    /// Takes a bundle in, or says what that would do.
    func take(_ bundle: borrowing BundleFile, into keyring: Keyring) throws {
        guard !noLabels else { throw KeyringError(.usage, "--no-labels is for caches, and \(bundle.name) is a bundle") }
        let mode: Keyring.ImportMode = way == .replace ? .replace : .merge
        let opener = try opening.opener(for: bundle, global)
        let groups = try global.groups()
        let plan: ImportPlan
        do throws(KeyringError) {
            if dryRun {
                plan = try keyring.planImport(bundle, with: opener, mode: mode, groups: groups, taking: decisions)
            } else {
                if mode == .replace, !force {
                    try confirm(
                        keyring.planImport(bundle, with: opener, mode: mode, groups: groups, taking: decisions),
                        bundle.name)
                }
                plan = try keyring.importBundle(bundle, with: opener, mode: mode, groups: groups, taking: decisions)
            }
        } catch {
            throw error.naming(bundle: bundle.name)
        }
        global.tellWarnings(of: keyring)
        tell(leftOut: PlanText(plan).leftOut)
        if global.json {
            return try JSONOutput.print(BundleImportDocument(isDryRun: dryRun, plan: PlanDocument(plan)))
        }
        try tell(plan, bundle.name)
    }

    private func confirm(_ plan: ImportPlan, _ name: String) throws(KeyringError) {
        guard !plan.isEmpty else { return }
        let removed = plan.counts["removed"] ?? 0
        try Confirmation.ask(
            "\(name) holds \(plan.source.text). To take it in, \(Quantity.of(removed, "item")) would be removed. Type 'replace' to go on: ",
            "replace", global)
    }

    /// What is named with --with.
    private var decisions: DecisionKinds {
        with.reduce(into: DecisionKinds()) { all, one in all.formUnion(one.kinds) }
    }

    /// What decides in the bundle is listed, whether it is taken or not.
    private func tell(leftOut lines: [String]) {
        guard !lines.isEmpty, !global.quiet else { return }
        for line in lines { StandardError.write(line: line) }
        let names = DecisionKinds.names.map(\.name).joined(separator: ",")
        StandardError.write(line: "note: what decides whose token goes where is taken with --with \(names)")
    }

    private func tell(_ plan: ImportPlan, _ name: String) throws(KeyringError) {
        if !global.quiet { for note in PlanText(plan).notes { StandardError.write(line: note) } }
        let items = dryRun ? PlanText(plan).items : ""
        try StandardOutput.write(lines: PlanText(plan).table + (items.isEmpty ? "" : "\n" + items))
        for group in plan.newGroups {
            global.say(dryRun ? "would make the group '\(group)'" : "made the group '\(group)'")
        }
        if let backup = plan.backup { global.say("backed up what was there to \(backup)") }
        global.say(
            dryRun
                ? "nothing was changed: this was a dry run of \(name), \(plan.source.text)"
                : "imported \(name), \(plan.source.text)")
    }
}

/// The decisions of a bundle that are taken, as they are typed: `bindings,defaults`.
struct DecisionList: ExpressibleByArgument {
    let kinds: DecisionKinds

    init?(argument: String) {
        var kinds = DecisionKinds()
        for word in argument.split(separator: ",", omittingEmptySubsequences: false) {
            guard let named = DecisionKinds.names.first(where: { $0.name == word }) else { return nil }
            kinds.formUnion(named.kind)
        }
        self.kinds = kinds
    }
}
