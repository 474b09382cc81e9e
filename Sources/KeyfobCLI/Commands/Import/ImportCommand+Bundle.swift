internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

extension ImportCommand {
    /// Takes a bundle in, or says what that would do.
    func take(_ bundle: borrowing BundleFile, into keyring: Keyring) throws {
        guard !noLabels else { throw KeyringError(.usage, "--no-labels is for caches, and \(bundle.name) is a bundle") }
        let mode: Keyring.ImportMode = way == .replace ? .replace : .merge
        let opener = try opening.opener(for: bundle, global)
        let groups = try global.groups()
        if bringBack, mode == .replace {
            throw KeyringError(
                .usage, "--bring-back is for a merge; a replacement brings all of the bundle anyhow", hint: nil)
        }
        var plan: ImportPlan
        do throws(KeyringError) {
            let broughtBack =
                bringBack
                ? try keyring.bundles.bringBackRemoved(from: bundle, with: opener, groups: groups, isDryRun: dryRun)
                : nil
            if dryRun {
                plan = try keyring.bundles.planImport(
                    bundle, with: opener, mode: mode, groups: groups, taking: decisions)
            } else {
                if mode == .replace, !force {
                    try confirm(
                        keyring.bundles.planImport(bundle, with: opener, mode: mode, groups: groups, taking: decisions),
                        bundle.name, keyring)
                }
                plan = try keyring.bundles.import(bundle, with: opener, mode: mode, groups: groups, taking: decisions)
            }
            if let broughtBack { plan = plan.after(broughtBack) }
        } catch {
            throw error.naming(bundle: bundle.name)
        }
        global.tellWarnings(of: keyring)
        tell(leftOut: PlanText(plan).leftOut)
        if global.json {
            try JSONOutput.print(BundleImportDocument(isDryRun: dryRun, plan: PlanDocument(plan)))
        } else {
            try tell(plan, bundle.name, keyring)
        }
        if plan.isLeftOut { throw ReportedFailure(status: .malformed) }
    }

    private func confirm(_ plan: ImportPlan, _ name: String, _ keyring: Keyring) throws(KeyringError) {
        guard !plan.isEmpty else { return }
        let text = ReplacementText(plan, into: keyring)
        for line in text.before("import") { StandardError.write(line: line) }
        let removed = plan.counts["removed"] ?? 0
        try Confirmation.ask(
            "\(name) holds \(plan.source.text). To take it in, \(Quantity.of(removed, "item")) would be removed. Type 'replace' to go on: ",
            "replace", global, to: "this puts \(name) in the place of what its groups hold\(text.lossCount)")
    }

    /// What is named with --with.
    var decisions: DecisionKinds {
        with.reduce(into: DecisionKinds()) { all, one in all.formUnion(one.kinds) }
    }

    /// What decides in the bundle is listed, whether it is taken or not.
    private func tell(leftOut lines: [String]) {
        guard !lines.isEmpty, !global.quiet else { return }
        for line in lines { StandardError.write(line: line) }
        let names = DecisionKinds.names.map(\.name).joined(separator: ",")
        StandardError.write(line: "note: what decides whose token goes where is taken with --with \(names)")
    }

    private func tell(_ plan: ImportPlan, _ name: String, _ keyring: Keyring) throws(KeyringError) {
        let loss = plan.mode == .replace ? ReplacementText(plan, into: keyring) : nil
        if !global.quiet {
            for note in (loss?.losses ?? []) + PlanText(plan).notes {
                StandardError.write(line: note)
            }
        }
        let items = dryRun ? PlanText(plan).items : ""
        try StandardOutput.write(lines: PlanText(plan).table + (items.isEmpty ? "" : "\n" + items))
        for group in plan.newGroups {
            global.say(dryRun ? "would make the group '\(group)'" : "made the group '\(group)'")
        }
        if let backup = plan.backup { global.say("backed up what was there to \(backup)") }
        let removed = plan.lines.filter { $0.kind == "account" && $0.reason == "deletedHere" }
        if !removed.isEmpty {
            global.say(
                "left out \(Quantity.of(removed.count, "account")) that \(removed.count == 1 ? "was" : "were") removed here; "
                    + "the same with --bring-back takes \(removed.count == 1 ? "it" : "them") in")
        }
        global.say(
            plan.isLeftOut
                ? "nothing of \(name) was taken: every entry was left out"
                : dryRun
                    ? "nothing was changed: this was a dry run of \(name), \(plan.source.text)"
                    : "imported \(name), \(plan.source.text)")
        if let wayBack = loss?.wayBack { global.say(wayBack) }
    }
}

extension ImportPlan {
    /// Whether it has entries, and every one of them was left out, for another reason than that it is here.
    fileprivate var isLeftOut: Bool {
        let entries = lines.filter { $0.reason != "deletedThere" }
        return !entries.isEmpty && moreLines == 0 && newGroups.isEmpty
            && entries.allSatisfy { $0.outcome == "refused" || ["deletedHere", "signedOutHere"].contains($0.reason) }
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
