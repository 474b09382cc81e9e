internal import KeyfobFiles
package import KeyfobModel
internal import KeyfobVault

// A setting of the group, sealed and in its manifest as every record. It never leaves the machine: others note by themselves
// that an account goes.

extension GroupWriter {
    /// Notes what an account is called and can do, before its credentials go one by one and then it.
    package func noteRemoval(of id: AccountID) throws { try noteRemoval(try reader.records(.account, keys.blind(id))) }

    /// Notes what an account is called and can do, before it goes.
    ///
    /// - Parameter records: The account's, and its credentials'; what does not open is passed over.
    func noteRemoval(_ records: [StoredRecord]) throws {
        var (account, credentials): (Account?, [Credential]) = (nil, [])
        for record in records {
            switch try? record.content(keys) {
            case .account(let found): account = found
            case .credential(let credential): credentials.append(credential)
            default: break
            }
        }
        guard let account else { return }
        let others = try formerAccounts().filter { $0.account.id != account.id }
        try keep([FormerAccount(account, holding: credentials)] + others)
    }

    /// The accounts that the group had, the latest first.
    package func formerAccounts() throws -> [FormerAccount] {
        try formerRecord().flatMap { record in
            (try? record.decode(keys, NamedValueBody.decode).second).map(FormerAccount.all)
        } ?? []
    }

    /// Forgets that an account was there.
    ///
    /// - Returns: Whether that was noted.
    @discardableResult
    package func forgetFormerAccount(_ id: AccountID) throws -> Bool {
        let all = try formerAccounts()
        let others = all.filter { $0.account.id != id }
        guard others.count < all.count else { return false }
        try keep(others)
        return true
    }

    /// That none is left leaves no tombstone, which would go where the note itself never goes.
    private func keep(_ accounts: [FormerAccount]) throws {
        guard accounts.isEmpty else {
            return try setSetting(FormerAccount.setting, to: FormerAccount.text(of: accounts), isThisDeviceOnly: true)
        }
        if let record = try formerRecord() { try delete(record) }
    }

    private func formerRecord() throws -> StoredRecord? {
        try reader.records(.credential, keys.lookup(.setting(name: FormerAccount.setting, value: nil))).first
    }
}
