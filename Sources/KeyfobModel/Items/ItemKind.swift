/// The kinds of items, as keys name them; a refresh token is the grant that it belongs to.
package enum ItemKind: String, Hashable, Comparable, Sendable, CaseIterable {
    /// A person at a provider.
    case account
    /// What a sign-in gave: a refresh token.
    case grant
    /// Who signed in.
    case idToken
    /// A token for a resource.
    case accessToken
    /// What is known of a client.
    case appMetadata
    /// The secret of a client.
    case clientSecret
    /// Something the keyring itself remembers: a binding, the default account.
    case setting
    /// What another program's file held and Keyfob does not interpret.
    case foreign

    private var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// Orders as the cases are listed.
    package static func < (left: ItemKind, right: ItemKind) -> Bool { left.place < right.place }
}
