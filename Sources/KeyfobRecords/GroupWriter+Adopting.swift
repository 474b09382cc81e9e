internal import KeyfobFiles
package import KeyfobModel
internal import KeyfobSodium
internal import KeyfobVault

// An account that a name was claimed for becomes the one that a provider has proved: it gets another id, and all else of it
// stays. The old id goes as a removal, so that other machines of a sync let it go too; what they have under it they move as well.

extension GroupWriter {
    /// Gives an account the id of `proved`, and joins it with that account where the group has it.
    ///
    /// Its credentials go along. Of a grant or an ID token that the proved account has already, the claimed one's goes; of access
    /// tokens the newer one stays. The names that it had find the account from now on.
    ///
    /// - Parameters:
    ///   - claimed: Need not be there any more: then its id is noted as a former one, and what else is remembered of it is kept.
    ///   - proved: Who it is, as a provider says.
    /// - Returns: Whether the group had the proved account.
    @discardableResult
    package func adopt(_ claimed: AccountID, as proved: Account) throws -> Bool {
        let present = try account(claimed)
        let former = try present ?? rememberedAccount(claimed)
        var merged = Account(
            id: proved.id, username: former?.username ?? "", displayName: former?.displayName, label: former?.label,
            tenantProfiles: present?.tenantProfiles ?? [])
        let known = try account(proved.id)
        if let known { merged = merged.merging(known) }
        merged = merged.merging(proved)
        merged.noteFormer(former ?? Account(id: claimed, username: claimed.homeAccountID))
        let old = try reader.records(.account, keys.blind(claimed)).first { $0.header.kind == .account }
        _ = try save(merged, from: .owner)
        try moveCredentials(from: claimed, to: proved.id)
        try carryJournal([claimed: proved.id])
        if let old { try bury(old) }
        for id in [claimed, proved.id] { try forgetFormerAccount(id) }
        return known != nil
    }

    /// Lets every account have what the group still holds under an id that it had, where no account has that id now.
    ///
    /// - Parameter some: The accounts to look at; nil for all.
    /// - Returns: Which ids these are, with the account of each.
    @discardableResult
    package func followAdoptions(of some: Set<AccountID>? = nil) throws -> [AccountID: AccountID] {
        let owners = try some.map(formerIDs) ?? formerIDs()
        for (former, owner) in owners {
            try moveCredentials(from: former, to: owner)
            try forgetFormerAccount(former)
        }
        try carryJournal(owners)
        return owners
    }

    /// What is remembered of an account that was removed; without its label where another one has that now.
    private func rememberedAccount(_ id: AccountID) throws -> Account? {
        guard var account = try formerAccounts().first(where: { $0.account.id == id })?.account else { return nil }
        if try reader.isLabelTaken(account) { account.label = nil }
        return account
    }

    /// The ids that accounts of the group had and no account has now, each with the account that had it.
    package func formerIDs() throws -> [AccountID: AccountID] {
        var (owners, present): ([AccountID: AccountID], Set<AccountID>) = ([:], [])
        try reader.forEachRecord(kind: .account) { result in
            // Of one that does not open nothing is known.
            guard let record = try? result.get(), let account = try? record.decode(keys, AccountBody.decode) else {
                return
            }
            present.insert(account.id)
            for id in account.formerIDs { owners[id] = min(owners[id] ?? account.id, account.id) }
        }
        return owners.filter { !present.contains($0.key) }
    }

    private func formerIDs(of some: Set<AccountID>) throws -> [AccountID: AccountID] {
        var owners: [AccountID: AccountID] = [:]
        for account in some.compactMap({ try? account($0) }) {
            for id in account.formerIDs where try !hasAccount(id) {
                owners[id] = min(owners[id] ?? account.id, account.id)
            }
        }
        return owners
    }

    /// Moves credentials to another account.
    ///
    /// They leave no trace under the old id: elsewhere nothing is signed out by that.
    package func moveCredentials(from former: AccountID, to id: AccountID) throws {
        var known = Set(
            try reader.records(.account, keys.blind(id)).filter { $0.header.kind != .account }
                .map { try $0.content(keys).key })
        for record in try reader.records(.account, keys.blind(former)) {
            guard var credential = try record.content(keys).credential else { continue }
            credential.account = id
            let content = ItemContent.credential(credential)
            let body = try record.decode(keys) { body throws(FieldList.Malformed) in
                body.with(try body.history().moved)
            }
            if credential.kind == .accessToken {
                if record.secretCommitment != nil { _ = try save(credential, secret: try reader.secret(record)) }
            } else if known.insert(content.key).inserted {
                if record.secretCommitment != nil {
                    try insert(content, former: body, secret: try reader.secret(record))
                } else {
                    try insert(content, former: body)
                }
            }
            try delete(record)
        }
    }
}

extension GroupWriter {
    /// Changes the value of a setting, or its name too; whoever decided it is who has decided this.
    ///
    /// - Returns: False, and nothing has changed, where only its owner could say so.
    @discardableResult
    package func replaceSetting(_ old: Setting, name: String, value: String) throws -> Bool {
        let content = ItemContent.setting(name: name, value: value)
        let formerContent = ItemContent.setting(name: old.name, value: old.value)
        guard let record = try reader.records(.credential, keys.lookup(formerContent)).first else { return false }
        // Who cannot tell whose it is leaves the owner's as it is.
        if old.writer == .unknown, SettingBody.isMarked(try record.open(keys)) { return false }
        func body(_ body: FieldList) -> FieldList {
            old.writer == .owner ? SettingBody.signed(body, content, keys) : body
        }
        guard name != old.name else {
            let new = try succeeding(record, content, isSameSecret: true)
            try replace(record, with: try keys.seal(new.header, attributes: body(new.body)))
            return true
        }
        let isThere = try setting(name) != nil
        let isThisDeviceOnly = record.header.isThisDeviceOnly
        try bury(record)
        guard !isThere else { return true }
        var new = try beginning(content)
        new.header.isThisDeviceOnly = isThisDeviceOnly
        try insert(try keys.seal(new.header, attributes: body(new.body)))
        return true
    }

    /// Calls `body` with each setting of the group; damaged records are passed over.
    package func settings() throws -> [Setting] {
        var found: [Setting] = []
        try reader.forEachRecord(kind: .setting) { result in
            guard let record = try? result.get(),
                let setting = try? record.decode(keys, { body throws(FieldList.Malformed) in try Setting(body, keys) })
            else { return }
            found.append(setting)
        }
        return found
    }
}
