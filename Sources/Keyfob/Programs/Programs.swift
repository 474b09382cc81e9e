internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobVault
internal import Synchronization

extension Keyring {
    /// What programs may ask for, and the key of what was asked.
    public struct Programs: KeyringPart {
        let keyring: Keyring
    }
}

extension Keyring.Programs {
    /// What programs may do, by program and group, what forbids first.
    ///
    /// - Throws: as ``Keyring/Accounts/list(in:)``.
    public func permissions(in groups: [AccessGroup]? = nil) throws(KeyringError) -> [ProgramPermission] {
        try withState { state in
            var found: [ProgramPermission] = []
            // Before anything is read, so that what changes meanwhile is read again the next time.
            let version = try database.version()
            let sequence = state.vault.sequence
            keyring.decisions.withLock { $0.isAt(version, sequence) }
            for group in try state.groups(groups) {
                if let known = keyring.decisions.withLock({ $0[group] }) {
                    found += known
                    continue
                }
                let settings = try database.settings(prefixes: [ProgramSetting.prefix], in: group.keys)
                state.warn(ofDamage: settings.damaged, in: group.name)
                // What forbids might be among what does not open.
                if let damage = settings.damaged.first { throw StoreError.damaged(what: damage) }
                let permissions = try followed(
                    ProgramSetting.permissions(settings.items.map(\.value), in: group.name), in: group)
                keyring.decisions.withLock { $0[group] = permissions }
                found += permissions
            }
            return found.sorted { $0.order.lexicographicallyPrecedes($1.order) }
        }
    }

    /// The same, where what was decided of an id that an account of the group had means that account, unless another has the id
    /// now.
    private func followed(
        _ permissions: [ProgramPermission], in group: UnlockedVault.Group
    ) throws -> [ProgramPermission] {
        let missing = try Set(permissions.compactMap(\.account)).filter {
            try database.account($0, in: group.keys) == nil
        }
        guard !missing.isEmpty else { return permissions }
        var owners: [AccountID: AccountID] = [:]
        for account in try database.accounts(in: group.keys).items.map(\.value) {
            for id in account.formerIDs where missing.contains(id) {
                owners[id] = min(owners[id] ?? account.id, account.id)
            }
        }
        guard !owners.isEmpty else { return permissions }
        return permissions.map { permission in
            permission.account.flatMap { owners[$0] }.map { permission.with(account: $0) } ?? permission
        }
    }

    /// Decides what a program may do, in the place of what was decided alike for the same program, actions, account and client.
    ///
    /// It stays on this machine: no bundle for others and no synchronisation carries it.
    ///
    /// - Throws: `usage` where it has no action, `noSuchAccount` where the account is not in the group, `groupNotGranted`, `noSuchGroup`, and what writing can throw.
    public func permit(_ permission: ProgramPermission) throws(KeyringError) {
        guard !permission.actions.isEmpty else { throw KeyringError(.usage, "a permission is to do something") }
        try withState { state in
            let group = try state.group(permission.group)
            if let account = permission.account, try database.account(account, in: group.keys) == nil {
                throw StoreError.notFound
            }
            try change(&state, group, as: permission.isAllowed ? "program allow" : "program deny") { writer in
                for setting in ProgramSetting.settings(of: permission) {
                    try writer.setSetting(setting.name, to: setting.value, isThisDeviceOnly: true)
                }
            }
        }
    }

    /// Takes all that was decided of programs back: it is as if they had never asked.
    ///
    /// - Returns: How many permissions there were, as ``permissions(in:)`` has them.
    /// - Throws: `noSuchBinding` when there was none, and as ``permit(_:)``.
    public func forgetPermissions(
        of programs: [Program], in groups: [AccessGroup]? = nil
    ) throws(KeyringError) -> Int {
        let decided = try permissions(in: groups).filter { programs.contains($0.program) }
        let note = ChangeNote(keyring.entry("program forget"))
        try withState { state in
            for group in try state.groups(groups) {
                try change(&state, [group], note: note) { writers in
                    let writer = writers[0]
                    let names = try programs.flatMap { program in
                        try writer.settingNames(prefix: ProgramSetting.prefix(of: program))
                    }
                    for name in names { try writer.setSetting(name, to: nil) }
                    // What went with an account must not come back with it.
                    try writer.removeFromJournal { item in
                        guard case .setting(let name, _) = item.content else { return false }
                        return programs.contains { name.hasPrefix(ProgramSetting.prefix(of: $0)) }
                    }
                }
            }
        }
        let count = decided.count
        guard count > 0 else {
            throw KeyringError(
                .noSuchBinding, "nothing was decided about \(programs.first.map { "\($0)" } ?? "no program")",
                advice: .listPrograms)
        }
        return count
    }
}
