internal import KeyfobModel
package import KeyfobVault

// Which lookup fields a record of each kind has. Saving and sealing again both ask here.

extension GroupKeys {
    func index(_ account: Account) -> RecordIndex {
        RecordIndex(
            account: blind(account.id).value,
            credential: blind(homeAccountID: account.id.homeAccountID).value,
            username: account.username.isEmpty ? nil : blind(username: account.username).value,
            label: account.label.map { blind(label: $0).value })
    }

    func index(_ credential: Credential) -> RecordIndex {
        RecordIndex(account: blind(credential.account).value, credential: lookup(credential).value)
    }

    func index(_ metadata: AppMetadata) -> RecordIndex {
        RecordIndex(credential: lookup(metadata).value)
    }

    func index(foreignIn section: String, key: String) -> RecordIndex {
        RecordIndex(credential: lookup(foreignIn: section, key: key).value)
    }

    /// The lookup fields of a setting, or of a tombstone by its name.
    package func index(setting name: String) -> RecordIndex {
        RecordIndex(credential: blind(setting: name).value)
    }

    /// The credentials of the same kind, account, client and realm.
    func lookup(_ credential: Credential) -> Lookup {
        blind(credential.account, credential.kind, clientID: credential.clientID, realm: credential.realm)
    }

    func lookup(_ metadata: AppMetadata) -> Lookup {
        blind(clientID: metadata.clientID, environment: metadata.environment)
    }

    func lookup(foreignIn section: String, key: String) -> Lookup {
        blind(setting: "foreign\u{0}" + section + "\u{0}" + key)
    }
}

extension FieldList {
    /// The lookup fields of a record of `kind` with this body, under `keys`.
    package func index(kind: RecordHeader.Kind, keys: GroupKeys) throws -> RecordIndex {
        switch kind {
        case .account: return keys.index(try AccountBody.decode(self))
        case .accessToken: return keys.index(try CredentialBody.decode(self, kind: .accessToken))
        case .refreshToken: return keys.index(try CredentialBody.decode(self, kind: .refreshToken))
        case .idToken: return keys.index(try CredentialBody.decode(self, kind: .idToken))
        case .appMetadata: return keys.index(try AppMetadataBody.decode(self))
        case .foreign:
            let (section, key) = try NamedValueBody.decode(self)
            return keys.index(foreignIn: section, key: key)
        case .setting: return keys.index(setting: try NamedValueBody.decode(self).first)
        }
    }
}
