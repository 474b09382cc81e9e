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
            public let fault: Fault

            /// What is wrong with an item.
            public enum Fault: Hashable, Sendable {
                /// One of its attributes makes no sense, or names a group that the vault has not.
                case attributes
                /// It is empty.
                case empty
                /// What is in it holds control characters, as no token does (RFC 6750, section 2.1).
                case controlCharacters
            }
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
                }, unusable: found.unusable.map { Keyring.TokensMadeByHand.UnusableItem($0.item, $0.fault) })
        }
    }
}

extension Keyring.TokensMadeByHand.UnusableItem {
    fileprivate init(_ item: SecretService.ItemPath, _ fault: HandMadeToken.Fault) {
        self.item = item.path
        self.fault =
            switch fault {
            case .attributes: .attributes
            case .empty: .empty
            case .controlCharacters: .controlCharacters
            }
    }
}
