internal import KeyfobDesktop
internal import KeyfobSecretService

extension Keyring {
    /// Tokens that somebody has put into the desktop's keyring by hand, beside the items of the vault.
    public struct TokensMadeByHand: Hashable, Sendable {
        /// Those that are handed out for the accounts that they name.
        public internal(set) var tokens: [Token] = []
        /// What the service calls the items that look like one and can't be used: one of their attributes makes no sense, or
        /// names a group that the vault has not.
        public internal(set) var unusable: [String] = []

        /// An access token.
        public struct Token: Hashable, Sendable {
            /// Whose it is.
            public let account: AccountID
            /// The group that it is for.
            public let group: AccessGroup
            /// What the service calls its item.
            public let item: String
            /// When it ends; nil where nobody has said so.
            public let expiresOn: Timestamp?
        }
    }
}

extension Keyring.Tokens {
    /// The tokens that somebody has put into the desktop's keyring by hand; none where the records lie elsewhere.
    ///
    /// Storing a token of the same account and scopes takes their place.
    ///
    /// - Throws: `locked`, `unavailable`, `damaged`.
    public func madeByHand() throws(KeyringError) -> Keyring.TokensMadeByHand {
        guard let storage = database as? SecretServiceStorage else { return Keyring.TokensMadeByHand() }
        return try KeyringError.translating {
            let found = try storage.tokensMadeByHand()
            return Keyring.TokensMadeByHand(
                tokens: found.tokens.map { token in
                    Keyring.TokensMadeByHand.Token(
                        account: token.account, group: token.group, item: token.item.path, expiresOn: token.expiresOn)
                }, unusable: found.unusable.map(\.path))
        }
    }
}
