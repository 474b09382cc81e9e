internal import KeyfobFiles
package import KeyfobModel
internal import KeyfobVault

extension GroupWriter {
    /// Stores an account, or brings the one that is stored up to date.
    ///
    /// A label stays when `account` brings none, or brings one from a file; so do the profiles of tenants
    /// that `account` does not mention. Unless it comes from a file it is written in any case, so that it stays where it
    /// was removed elsewhere before.
    package func save(_ account: Account, from source: Source = .file) throws -> Outcome {
        guard
            let record = try reader.records(.account, keys.blind(account.id)).first(where: {
                $0.header.kind == .account
            })
        else {
            try insert(.account(account))
            return .added
        }
        let stored = try record.decode(keys, AccountBody.decode)
        var merged = stored.merging(account)
        if source.mayBeOlder { merged.label = stored.label ?? account.label }
        if source.mayBeOlder {
            guard merged != stored else { return .unchanged }
            try replace(record, .account(merged))
        } else {
            try renew(record, merged)
        }
        return merged == stored ? .unchanged : .changed
    }

    /// Whether the account was here and was removed, or moved to another group.
    package func wasRemoved(_ id: AccountID) throws -> Bool {
        try !hasAccount(id) && tombstone(of: .account(id)) != nil
    }

    /// The accounts with this label.
    package func accounts(label: String) throws -> [Account] {
        try reader.accounts(AccountLookup(label: keys.blind(label: label)))
            .map { try $0.decode(keys, AccountBody.decode) }
    }

    /// Changes an account that is stored.
    ///
    /// - Throws: `notFound`.
    package func update(_ id: AccountID, _ body: (inout Account) -> Void) throws {
        guard let record = try reader.records(.account, keys.blind(id)).first(where: { $0.header.kind == .account })
        else { throw StoreError.notFound }
        var account = try record.decode(keys, AccountBody.decode)
        body(&account)
        try replace(record, .account(account))
    }

    /// Removes an account and every credential of it; tombstones and ended grants without a token stay, and what it was called.
    ///
    /// - Parameter isNoted: Whether ``noteRemoval(of:)`` came before, when all its credentials were there.
    /// - Returns: How many records went.
    package func remove(_ id: AccountID, isNoted: Bool = false) throws -> Int {
        let records = try reader.records(.account, keys.blind(id))
        if !isNoted { try noteRemoval(records) }
        for record in records { try bury(record) }
        try removeForeign(of: id)
        return records.count
    }
}

extension Account {
    /// This account, brought up to date by `newer`; a user name that it has no more is noted as a former one, and
    /// whoever was proved stays so.
    func merging(_ newer: Account) -> Account {
        var merged = self
        // A name that is only the id again says nothing.
        let isNamed = { (name: String) in !name.isEmpty && name != newer.id.homeAccountID }
        if isNamed(newer.username) || username.isEmpty { merged.username = newer.username }
        merged.formerNames = newer.formerNames
        merged.noteFormerNames(formerNames)
        if !username.isEmpty { merged.noteFormerUsername(username) }
        merged.isProved = isProved || newer.isProved
        merged.displayName = newer.displayName ?? displayName
        merged.label = newer.label ?? label
        for profile in newer.tenantProfiles {
            let realm = Identifier.folded(profile.realm)
            if let index = merged.tenantProfiles.firstIndex(where: { Identifier.folded($0.realm) == realm }) {
                let known = merged.tenantProfiles[index]
                merged.tenantProfiles[index] = profile
                if !isNamed(profile.username), !known.username.isEmpty {
                    merged.tenantProfiles[index].username = known.username
                }
            } else {
                merged.tenantProfiles.append(profile)
            }
        }
        merged.tenantProfiles.sort { $0.realm < $1.realm }
        return merged
    }
}
