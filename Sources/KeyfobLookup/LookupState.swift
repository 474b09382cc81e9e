package import KeyfobFiles
package import KeyfobRecords
package import KeyfobSQLite
package import KeyfobModel
package import KeyfobVault

/// What is held of a vault while it is open.
package struct LookupState: ~Copyable {
    /// The vault, with the keys that are at hand.
    package var vault: UnlockedVault
    /// Tokens that were looked up, still sealed.
    package var hits = TokenHits()
    /// What had been seen of the vault when it was opened, and what this process has written since.
    package var marks: Marks
    /// Whether it was told that something could not be noted; once is enough.
    var hasToldUnnoted = false
    /// The state of the storage in which each group was last compared with its marks and its count.
    package var checked: [(group: GroupID, version: StorageVersion)] = []
    /// Whether the last choice of an account came to nobody in a way in which a tool goes on to whoever else may have a
    /// credential.
    var isLeftToOthers = false
    /// What the owner should know, each told once.
    package var warnings: [Warning]

    /// The state of a vault that has just been unlocked.
    package init(vault: consuming UnlockedVault, marks: Marks, warnings: [Warning] = []) {
        self.vault = vault
        self.marks = marks
        self.warnings = warnings
    }

    /// The groups to look through: those named, in their order and each once, or all within reach, `default` first.
    ///
    /// - Throws: `notGranted` or `noSuchGroup` for a name that is not within reach.
    package func reachable(_ names: [AccessGroup]?) throws(LookupRefusal) -> [UnlockedVault.Group] {
        guard let names else {
            return vault.groups.filter { $0.name == .default } + vault.groups.filter { $0.name != .default }
        }
        var groups: [UnlockedVault.Group] = []
        for name in names where !groups.contains(where: { $0.name == name }) { groups.append(try reachable(name)) }
        return groups
    }

    /// The group called `name`.
    ///
    /// - Throws: `notGranted` or `noSuchGroup`.
    package func reachable(_ name: AccessGroup) throws(LookupRefusal) -> UnlockedVault.Group {
        do {
            return try vault.group(name)
        } catch .noSuchGroup {
            throw .noSuchGroup(name)
        } catch {
            throw .notGranted(name)
        }
    }

    /// Adds a warning unless it stands there already.
    package mutating func warn(_ warning: Warning) {
        if !warnings.contains(warning) { warnings.append(warning) }
    }

    /// Adds a warning that a setting, named as in "a binding", was passed over.
    package mutating func warn(unknown setting: String, in group: AccessGroup) {
        warn(
            Warning(
                .unknownSetting, "\(setting) of group '\(group)' makes no sense to this Keyfob and was passed over"))
    }

    /// Adds a warning for each record that was passed over because it does not open.
    package mutating func warn(ofDamage damaged: [String], in group: AccessGroup) {
        for damage in damaged {
            warn(
                Warning(
                    .damagedRecord, "\(damage) of group '\(group)' is damaged and was passed over",
                    advice: .diagnose(.none)))
        }
    }

    /// Says of bindings made with a group's key that they lead nowhere, and so what they keep out.
    package mutating func warn(ofPassedOver bindings: [Binding]) {
        for binding in bindings {
            warn(
                Warning(
                    .foreignDecision,
                    "\(binding.subject.kind) \(binding.subject.text) is bound in group '\(binding.origin.group)' to "
                        + "\(binding.target.text), which does not fit; the other accounts of that group do not count here"
                ))
        }
    }

    /// Says once why the history is not what it could be; that it was in use for a moment is not worth saying.
    package mutating func warn(of problem: UsageProblem?) {
        guard let problem, problem != .busy else { return }
        warn(Warning(.history, problem.description))
    }
}
