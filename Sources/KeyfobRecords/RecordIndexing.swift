internal import KeyfobModel
package import KeyfobVault

// Which lookup fields the record of an item has. Saving and sealing again both ask here.

extension GroupKeys {
    /// The lookup fields of an item's record.
    func index(_ content: ItemContent) -> RecordIndex {
        var index = RecordIndex(credential: lookup(content).value)
        switch content {
        case .account(let account):
            index.account = blind(account.id).value
            index.username = account.username.isEmpty ? nil : blind(username: account.username).value
            index.label = account.label.map { blind(label: $0).value }
        case .credential(let credential): index.account = blind(credential.account).value
        case .tombstone(let key): index.account = key.account.flatMap { AccountID($0) }.map { blind($0).value }
        case .appMetadata, .clientSecret, .setting, .foreign: break
        }
        return index
    }

    /// What an item's record is found by in the field `credential`: of a credential, those of the same kind, account,
    /// client and realm.
    func lookup(_ content: ItemContent) -> Lookup {
        switch content {
        case .account(let account): blind(homeAccountID: account.id.homeAccountID)
        case .credential(let credential):
            blind(credential.account, credential.kind, clientID: credential.clientID, realm: credential.realm)
        case .appMetadata(let metadata): blind(clientID: metadata.clientID, environment: metadata.environment)
        case .clientSecret(let clientID, let environment): blind(secretOf: clientID, environment: environment)
        case .setting(let name, _): blind(setting: name)
        case .foreign(let section, let key): blind(foreignIn: section, key: key)
        case .tombstone(let key): blind(tombstone: key)
        }
    }
}

extension FieldList {
    /// The lookup fields of a record of `kind` with this body, under `keys`.
    package func index(kind: RecordHeader.Kind, keys: GroupKeys) throws -> RecordIndex {
        // What the journal keeps of an item must not be found as the item.
        if kind == .journal { return RecordIndex() }
        let content = try ItemBody.decode(self, kind)
        return keys.index(kind == .tombstone ? .tombstone(content.key) : content)
    }
}
