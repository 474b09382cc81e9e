internal import KeyfobModel
internal import KeyfobVault

// Which lookup fields a record of each kind has. Saving and sealing again both ask here.

extension GroupKeys {
    func index(_ account: Account) -> RecordIndex {
        RecordIndex(
            account: blind(account.id), credential: blind(homeAccountID: account.id.homeAccountID),
            username: account.username.isEmpty ? nil : blind(username: account.username),
            label: account.label.map { blind(label: $0) })
    }

    func index(_ credential: Credential) -> RecordIndex {
        RecordIndex(
            account: blind(credential.account),
            credential: blind(
                credential.account, credential.kind, clientID: credential.clientID, realm: credential.realm))
    }

    func index(_ metadata: AppMetadata) -> RecordIndex {
        RecordIndex(credential: blind(clientID: metadata.clientID, environment: metadata.environment))
    }

    func index(foreignIn section: String, key: String) -> RecordIndex {
        RecordIndex(credential: blind(setting: "foreign\u{0}" + section + "\u{0}" + key))
    }

    func index(setting name: String) -> RecordIndex {
        RecordIndex(credential: blind(setting: name))
    }
}

extension FieldList {
    /// The lookup fields of a record of `kind` with this body, under `keys`.
    func index(kind: RecordHeader.Kind, keys: GroupKeys) throws -> RecordIndex {
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
