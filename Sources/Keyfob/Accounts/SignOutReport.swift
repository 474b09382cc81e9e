/// What a sign-out did.
public struct SignOutReport: Hashable, Sendable {
    /// Whose tokens went.
    public let account: Account
    /// The clients that were signed out.
    public let clients: [String]
    /// How many refresh tokens the provider revoked.
    public let revoked: Int
    /// What the person should know, one line each.
    public let notes: [Warning]
    /// What the browser opens to end its session too; nil where that was not asked for or the provider has nothing.
    public let endSessionURL: String?
    /// How what went comes back; nil where nothing was kept.
    public let undo: UndoOffer?
    /// The tokens that went, and whether the provider still takes them.
    public let tokens: [SignedOutToken]

    /// Where a person can revoke at the provider what it still takes; nil where all was revoked, and where no such page is
    /// known.
    public var revocationPage: String? {
        let left = tokens.filter { $0.fate == .staysValid }
        guard !left.isEmpty else { return nil }
        let isAddedByHand = left.contains { $0.clientID == nil }
        return TokenPage.of(account.id.environment, isAddedByHand: isAddedByHand)?.url
    }
}

/// A token that was signed out, and what becomes of it at the provider.
public struct SignedOutToken: Hashable, Sendable {
    /// Which token it is.
    public let kind: Credential.Kind
    /// The client it was issued to; nil for one that was added by hand or imported from another tool.
    public let clientID: String?
    /// The scopes of an access token.
    public let scopes: ScopeSet
    /// When it ends; nil where it does not, or, of a refresh token, where nobody knows.
    public let expiresOn: Timestamp?
    /// What becomes of it.
    public let fate: Fate

    /// What becomes of a token at the provider.
    public enum Fate: String, Hashable, Sendable, CaseIterable {
        /// The provider has revoked it.
        case revoked
        /// The provider has revoked the refresh token that it came with; many let it live until it ends.
        case mayStayValid
        /// It is valid until it ends; the report's notes say why.
        case staysValid
    }

    init(_ credential: Credential, _ fate: Fate) {
        kind = credential.kind
        clientID = credential.clientID == Credential.noClient ? nil : credential.clientID
        scopes = credential.scopes
        expiresOn = credential.expiresOn
        self.fate = fate
    }
}
