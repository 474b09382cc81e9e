/// What an item holds, but for its secret.
package enum ItemContent: Hashable, Sendable {
    /// A person at a provider.
    case account(Account)
    /// What is known of a token, which is the secret; a grant that has ended may have none.
    case credential(Credential)
    /// What is known of a client.
    case appMetadata(AppMetadata)
    /// Whose secret the secret is: a client at a provider.
    case clientSecret(clientID: String, environment: String)
    /// Something the keyring remembers; nil where it was told to forget it.
    case setting(name: String, value: String?)
    /// What another program's file held; its JSON is the secret.
    case foreign(section: String, key: String)
    /// An item that was deleted.
    case tombstone(ItemKey)

    /// What names the item in its group.
    package var key: ItemKey {
        switch self {
        case .account(let account): .account(account.id)
        case .credential(let credential): ItemKey(credential)
        case .appMetadata(let metadata):
            .appMetadata(clientID: metadata.clientID, environment: metadata.environment)
        case .clientSecret(let clientID, let environment): .clientSecret(clientID: clientID, environment: environment)
        case .setting(let name, _): .setting(name)
        case .foreign(let section, let key): .foreign(section: section, key: key)
        case .tombstone(let key): key
        }
    }

    /// The credential, where it is one.
    package var credential: Credential? {
        if case .credential(let credential) = self { credential } else { nil }
    }
}
