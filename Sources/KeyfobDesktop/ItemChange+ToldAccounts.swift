internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobVault

// Accounts without an item of their own come, stay and go with the tokens that tell of them.

extension ItemChange {
    /// The rows of accounts that are written and need no item: a token that is written too tells all of them.
    func accountsTold() throws -> Set<Int64> {
        let accounts = try changed { $1.kind == .account }.filter { try $0.rowID < 0 || hasNoItem($0) }
        guard !accounts.isEmpty else { return [] }
        var told: [BlindValue: [OpenedItem]] = [:]
        for token in changed(where: { $1.kind == .accessToken }) {
            guard let value = token.header.index.account, let account = try account(toldBy: token) else { continue }
            told[value, default: []].append(account)
        }
        let whole = try accounts.filter { account in
            try account.header.index.account.flatMap { told[$0] }?.contains { try $0.says(account, keys) } ?? false
        }
        return Set(whole.map(\.rowID))
    }

    /// Has accounts that go take the tokens with them that tell of them, and those stay of which the last such token goes.
    func keepAccountsWithTokens() throws {
        for account in deleted where try account.header.kind == .account && hasNoItem(account) {
            let value = account.header.index.account
            guard changed(where: { $1.kind == .account && $1.index.account == value }).isEmpty else { continue }
            let id = try account.decode(keys, AccountBody.decode).id
            for token in try tokensTelling(of: id) where token.rowID > 0 && !supersedes(row: token.rowID) {
                try delete(token)
            }
        }
        for token in deleted where token.header.kind == .accessToken && !token.isMadeByHand {
            guard let told = try account(toldBy: token) else { continue }
            let id = try told.record(row: token.rowID).decode(keys, AccountBody.decode).id
            guard let account = try reader.records(of: keys.blind(id), kind: .account).first, account.rowID > 0,
                !supersedes(row: account.rowID), try hasNoItem(account), try tokensTelling(of: id).isEmpty
            else { continue }
            insert(SealedRecord(header: account.header, attributes: account.attributes, secret: nil))
        }
    }

    /// Whether a token's item stands for it.
    private func hasNoItem(_ account: StoredRecord) throws -> Bool {
        try account.rowID > 0 && storage.item(row: account.rowID).tokenOfAccount != nil
    }

    private func account(toldBy token: StoredRecord) throws -> OpenedItem? {
        try OpenedItem(accountOf: token.header, token.attributes, keys)
    }

    /// The tokens that will be there and tell of an account.
    private func tokensTelling(of id: AccountID) throws -> [StoredRecord] {
        try reader.records(of: keys.blind(id), kind: .accessToken).filter { try account(toldBy: $0) != nil }
    }
}

extension OpenedItem {
    /// Whether it is the same version of the same as a record, and says the same, whichever command has added it.
    fileprivate func says(_ record: StoredRecord, _ keys: GroupKeys) throws -> Bool {
        try header.version == record.header.version && header.flags == record.header.flags
            && keys.openAttributes(header, attributes).withoutOrigin == record.open(keys).withoutOrigin
    }
}
