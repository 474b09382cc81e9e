package import KeyfobModel
internal import KeyfobSodium

/// Lookup fields, blinded: equal values of one group look equal on disk, and nothing else does.
///
///     BLAKE2b-128(index key, field number u32 ‖ length u32 ‖ canonical value)
extension GroupKeys {
    private enum Field: UInt32 {
        case account = 1
        case credential = 2
        case username = 3
        case label = 4
        case client = 5
        case setting = 6
        case homeAccountID = 7
    }

    /// An account, by its canonical id.
    package func blind(_ account: AccountID) -> BlindValue {
        blind(.account, [account.canonical])
    }

    /// The credentials of one kind of an account with one client in one realm.
    package func blind(
        _ account: AccountID, _ kind: Credential.Kind, clientID: String, realm: String
    ) -> BlindValue {
        blind(.credential, [account.canonical, kind.rawValue, clientID, Identifier.folded(realm)])
    }

    /// A client at an environment.
    package func blind(clientID: String, environment: String) -> BlindValue {
        blind(.client, [EnvironmentAliases.canonicalName(of: environment), clientID])
    }

    /// A user name, without regard to ASCII case.
    package func blind(username: String) -> BlindValue {
        blind(.username, [Identifier.folded(username)])
    }

    /// A home account id, at whichever provider, without regard to ASCII case.
    package func blind(homeAccountID: String) -> BlindValue {
        blind(.homeAccountID, [Identifier.folded(homeAccountID)])
    }

    /// A label, without regard to ASCII case.
    package func blind(label: String) -> BlindValue {
        blind(.label, [Identifier.folded(label)])
    }

    /// A setting, by its name.
    package func blind(setting name: String) -> BlindValue {
        blind(.setting, [name])
    }

    private func blind(_ field: Field, _ parts: [String]) -> BlindValue {
        var value = ByteWriter()
        for part in parts { value.writeCounted(Array(part.utf8)) }
        var message = ByteWriter()
        message.write(field.rawValue)
        message.writeCounted(value.bytes)
        let hash = withIndexKey { BLAKE2b.mac(message.bytes, key: $0, count: 16) }
        guard let blinded = BlindValue(hash) else { preconditionFailure("the hash has 16 bytes") }
        return blinded
    }
}
