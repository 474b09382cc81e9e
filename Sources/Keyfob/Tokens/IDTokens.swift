internal import KeyfobRecords
internal import KeyfobVault

extension Keyring {
    /// A token that cannot be copied, where a value is to be.
    package final class TokenText: Sendable {
        /// The token.
        package let secret: SecretBytes

        init(_ secret: consuming SecretBytes) { self.secret = secret }
    }
}

extension Keyring.Tokens {
    /// The ID token that a client was given for an account in a tenant, the newest first; nil where none is stored.
    ///
    /// - Throws: `noSuchGroup`, `groupNotGranted`, `damaged`.
    package func idToken(
        of account: AccountID, clientID: String, realm: String, in group: AccessGroup
    ) throws(KeyringError) -> Keyring.TokenText? {
        try withState { state in
            let keys = try state.group(group).keys
            let found = try database.credentials(.idToken, of: account, in: keys).items.filter { item in
                item.value.clientID == clientID && item.record.secretCommitment != nil
                    && Identifier.folded(item.value.realm) == Identifier.folded(realm)
            }
            let earliest = Timestamp(seconds: .min)
            let newest = found.max { ($0.value.cachedAt ?? earliest) < ($1.value.cachedAt ?? earliest) }
            return try newest.map { Keyring.TokenText(try database.secret(of: $0.record, in: keys)) }
        }
    }
}
