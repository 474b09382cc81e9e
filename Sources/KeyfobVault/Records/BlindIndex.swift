package import KeyfobModel
internal import KeyfobSodium

/// What a record is looked up by.
///
/// A database looks for the blinded value; whoever has another index of its own looks for what it stands for.
package struct Lookup: Hashable, Sendable {
    /// What a record is looked up by, in clear and canonical.
    package enum Subject: Hashable, Sendable {
        /// An account's canonical id.
        case account(String)
        /// The credentials of one kind of an account with one client in one realm.
        case credential(account: String, kind: Credential.Kind, clientID: String, realm: String)
        case username(String)
        case label(String)
        case client(id: String, environment: String)
        case setting(String)
        case homeAccountID(String)
        case clientSecret(id: String, environment: String)
        case foreign(section: String, key: String)
        case tombstone(ItemKey)
    }

    /// What is meant.
    package let subject: Subject
    /// The same, blinded.
    package let value: BlindValue

    init(subject: Subject, value: BlindValue) {
        (self.subject, self.value) = (subject, value)
    }

    /// An account of which only the blinded id is known: a database alone finds it.
    package init(blindedAccount value: BlindValue) {
        self.init(subject: .account(""), value: value)
    }
}

/// Lookup fields, blinded: equal values of one group look equal on disk, and nothing else does.
///
///     BLAKE2b-128(index key, field number u32 ‖ length u32 ‖ canonical value)
extension GroupKeys {
    /// An account, by its canonical id.
    package func blind(_ account: AccountID) -> Lookup {
        blind(.account(account.canonical))
    }

    /// The credentials of one kind of an account with one client in one realm.
    package func blind(_ account: AccountID, _ kind: Credential.Kind, clientID: String, realm: String) -> Lookup {
        blind(
            .credential(
                account: account.canonical, kind: kind, clientID: clientID, realm: Identifier.folded(realm)))
    }

    /// A client at an environment.
    package func blind(clientID: String, environment: String) -> Lookup {
        blind(.client(id: clientID, environment: EnvironmentAliases.canonicalName(of: environment)))
    }

    /// A user name, as names are compared.
    package func blind(username: String) -> Lookup {
        blind(.username(Identifier.foldedName(username)))
    }

    /// A home account id, at whichever provider, as names are compared.
    package func blind(homeAccountID: String) -> Lookup {
        blind(.homeAccountID(Identifier.foldedName(homeAccountID)))
    }

    /// A label, as names are compared.
    package func blind(label: String) -> Lookup {
        blind(.label(Identifier.foldedName(label)))
    }

    /// A setting, by its name.
    package func blind(setting name: String) -> Lookup {
        blind(.setting(name))
    }

    /// The secret of a client at an environment.
    package func blind(secretOf clientID: String, environment: String) -> Lookup {
        blind(.clientSecret(id: clientID, environment: EnvironmentAliases.canonicalName(of: environment)))
    }

    /// What another program's file held.
    package func blind(foreignIn section: String, key: String) -> Lookup {
        blind(.foreign(section: section, key: key))
    }

    /// The tombstone of an item.
    package func blind(tombstone key: ItemKey) -> Lookup {
        blind(.tombstone(key))
    }

    private func blind(_ subject: Lookup.Subject) -> Lookup {
        var value = ByteWriter()
        for part in subject.parts { value.writeCounted(Array(part.utf8)) }
        var message = ByteWriter()
        message.write(subject.field)
        message.writeCounted(value.bytes)
        let hash = withIndexKey { BLAKE2b.mac(message.bytes, key: $0, count: 16) }
        guard let blinded = BlindValue(hash) else { preconditionFailure("the hash has 16 bytes") }
        return Lookup(subject: subject, value: blinded)
    }
}

extension Lookup.Subject {
    /// The number that keeps equal values of different fields apart.
    fileprivate var field: UInt32 {
        switch self {
        case .account: 1
        case .credential: 2
        case .username: 3
        case .label: 4
        case .client: 5
        case .setting: 6
        case .homeAccountID: 7
        case .clientSecret: 8
        case .foreign: 9
        case .tombstone: 10
        }
    }

    fileprivate var parts: [String] {
        switch self {
        case .account(let id): [id]
        case .credential(let account, let kind, let clientID, let realm): [account, kind.rawValue, clientID, realm]
        case .username(let text), .label(let text), .setting(let text), .homeAccountID(let text): [text]
        case .client(let id, let environment), .clientSecret(let id, let environment): [environment, id]
        case .foreign(let section, let key): [section, key]
        case .tombstone(let key): [key.kind.rawValue] + key.parts
        }
    }
}
