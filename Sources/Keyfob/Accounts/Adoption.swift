internal import KeyfobLookup
internal import KeyfobRecords
internal import KeyfobVault

// What means an account means it by its id. Where an account gets another id, that follows.

extension GroupWriter {
    /// Lets what was decided for an account mean the account that it is part of now.
    ///
    /// That is bindings, project files, the default, and what programs may have, in the undo journal too. What only the owner can decide stays as it is, and
    /// is read so.
    func adoptDecisions(of former: AccountID, by account: AccountID) throws {
        try changeDecisions(of: former, by: account)
        try carryJournaledSettings { $0.adopted(from: former, by: account) }
    }

    private func changeDecisions(of former: AccountID, by account: AccountID) throws {
        for setting in try settings() {
            if setting.name == Keyring.Accounts.currentAccountSetting {
                if let text = Keyring.Accounts.currentAccount(setting.value, calling: former, by: account) {
                    try replaceSetting(setting, name: setting.name, value: text)
                }
            } else if let new = setting.adopted(from: former, by: account) {
                try replaceSetting(setting, name: new.name, value: new.value)
            }
        }
    }

    /// Moves what the group holds under ids that accounts had, as after a merge with a copy in which they got others.
    ///
    /// - Parameter some: The accounts to look at; nil for all.
    /// - Returns: These ids.
    func followAllAdoptions(of some: Set<AccountID>? = nil) throws -> [AccountID] {
        let owners = try followAdoptions(of: some)
        for (former, account) in owners { try changeDecisions(of: former, by: account) }
        if !owners.isEmpty {
            try carryJournaledSettings { setting in
                setting.account.flatMap { former in owners[former].flatMap { setting.adopted(from: former, by: $0) } }
            }
        }
        return Array(owners.keys)
    }
}

extension Setting {
    /// The same decision for another account; nil where it is not about `former`.
    fileprivate func adopted(from former: AccountID, by id: AccountID) -> (name: String, value: String)? {
        guard account == former else { return nil }
        if let permission = ProgramSetting.permission(self, in: .default) {
            return ProgramSetting.settings(of: permission.with(account: id)).first.map { ($0.name, $0.value) }
        }
        if name == Keyring.Accounts.defaultAccount { return (name, id.canonical) }
        if let allowance = AllowanceSetting(self) {
            let bound = BindingValue(.account(id), tenant: allowance.bound.tenant)
            return (name, AllowanceSetting(path: allowance.path, digest: allowance.digest, bound: bound).value)
        }
        guard let binding = BindingSetting.binding(self, in: .default) else { return nil }
        return (
            BindingSetting(binding.subject, .account(id)).name, BindingValue(.account(id), tenant: binding.tenant).text
        )
    }
}

extension ProgramPermission {
    /// The same of another account.
    func with(account: AccountID) -> ProgramPermission {
        ProgramPermission(
            of: program, to: actions, account: account, clientID: clientID, scopes: scopes, digest: digest,
            isAllowed: isAllowed, in: group, by: writer)
    }
}
