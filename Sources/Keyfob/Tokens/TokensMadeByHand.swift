internal import KeyfobDesktop
internal import KeyfobSecretService

extension Keyring {
    /// Tokens that somebody has put into the desktop's keyring by hand, beside the items of the vault.
    public struct TokensMadeByHand: Hashable, Sendable {
        /// Those that are handed out for the accounts that they name.
        public internal(set) var tokens: [Token] = []
        /// The items that look like one and can't be used.
        public internal(set) var unusable: [UnusableItem] = []

        /// An item that gives no token.
        public struct UnusableItem: Hashable, Sendable {
            /// What the service calls it.
            public let item: String
            /// Why it gives none.
            public let fault: HandMadeTokenFault
        }

        /// An access token.
        public struct Token: Hashable, Sendable {
            /// Whose it is.
            public let account: AccountID
            /// The group that it is for.
            public let group: AccessGroup
            /// What the service calls its item.
            public let item: String
            /// What it is for, as far as somebody has said so.
            public let scopes: ScopeSet
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
            let found = try storage.tokensMadeByHand(withSecrets: true)
            return Keyring.TokensMadeByHand(
                tokens: found.tokens.map { token in
                    Keyring.TokensMadeByHand.Token(
                        account: token.account, group: token.group, item: token.item.path,
                        scopes: token.scopes, expiresOn: token.expiresOn)
                },
                unusable: found.unusable.map {
                    Keyring.TokensMadeByHand.UnusableItem(item: $0.item.path, fault: $0.fault)
                })
        }
    }
}
