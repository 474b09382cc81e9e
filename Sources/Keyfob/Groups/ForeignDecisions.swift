internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobVault

extension Keyring.Groups {
    /// What decides in the groups and was not decided by the owner: it counts for the accounts of its group alone.
    ///
    /// Only the key of the whole vault can tell; with the key of one group there is none.
    ///
    /// - Throws: as ``Keyring/Accounts/list(in:)``.
    public func foreignDecisions(in groups: [AccessGroup]? = nil) throws(KeyringError) -> [GroupDecision] {
        try withState { state in
            try state.groups(groups).flatMap { group in try foreignDecisions(&state, group) }
        }
    }

    /// Whether a setting of this name is a note that nothing follows from.
    static func decidesNothing(_ name: String) -> Bool {
        Keyring.Programs.isAuditHead(name)
            || [Keyring.Accounts.currentAccountSetting, FormerAccount.setting].contains(name)
    }

    func foreignDecisions(_ state: inout State, _ group: UnlockedVault.Group) throws -> [GroupDecision] {
        let found = try database.settings(prefixes: [""], in: group.keys)
        state.warn(ofDamage: found.damaged, in: group.name)
        return found.items.filter { $0.value.writer == .group && !Self.decidesNothing($0.value.name) }
            .map { GroupDecision($0.value, in: group.name) }.sorted { $0.name < $1.name }
    }

    /// Removes what was not decided by the owner in a group, but for what is kept.
    ///
    /// - Returns: What went, and what stays.
    /// - Throws: `usage` for a name that no such decision has, `needsVaultKey`, and what writing can throw.
    public func forgetForeignDecisions(
        in name: AccessGroup, keeping kept: KeptDecisions = .none
    ) throws(KeyringError) -> (removed: [GroupDecision], kept: [GroupDecision]) {
        try withState { state in
            guard state.vault.opensWholeVault else { throw VaultError.needsVaultKey }
            let group = try state.group(name)
            return try change(&state, group) { try $0.forgetForeignDecisions(in: name, keeping: kept) }
        }
    }
}

extension GroupWriter {
    /// Removes what was not decided by the owner, and the secrets of clients that go with it; from the undo journal too.
    func forgetForeignDecisions(
        in group: AccessGroup, keeping kept: KeptDecisions
    ) throws -> (removed: [GroupDecision], kept: [GroupDecision]) {
        var staying: [GroupDecision] = []
        let removed = try forgetSettings { setting in
            guard setting.writer == .group, !Keyring.Groups.decidesNothing(setting.name) else { return false }
            guard kept.contains(setting.name) else { return true }
            staying.append(GroupDecision(setting, in: group))
            return false
        }.map { GroupDecision($0, in: group) }
        if case .named(let names) = kept, let unknown = names.subtracting(staying.map(\.name)).sorted().first {
            throw KeyringError(
                .usage, "nobody with the key of group '\(group)' alone decided '\(unknown)'",
                candidates: (staying + removed).map(\.name))
        }
        // What was removed before cannot come back either.
        try removeForeignSettingsFromJournal { !Keyring.Groups.decidesNothing($0) && !kept.contains($0) }
        for decision in removed where decision.kind == .client {
            guard let client = RegistrySetting.client(decision.name) else { continue }
            try removeClientSecret(clientID: client.id, environment: client.environment)
        }
        return (removed.sorted { $0.name < $1.name }, staying.sorted { $0.name < $1.name })
    }
}
