public import KeyfobModel

/// An account as the selection sees it: who it is and how its sign-in stands, and no token.
public struct Candidate: Hashable, Sendable {
    /// The account.
    public var account: Account
    /// The group it is in.
    public var group: AccessGroup
    /// How its sign-in stands.
    public var state: SignInState
    /// The clients that hold a credential of it.
    public var clientIDs: Set<String>
    /// The tenants that it has tokens for.
    public var realms: Set<String>
    /// Whether it is the group's default account.
    public var isDefault: Bool

    /// A candidate.
    public init(
        account: Account, group: AccessGroup, state: SignInState, clientIDs: Set<String>, realms: Set<String> = [],
        isDefault: Bool
    ) {
        self.account = account
        self.group = group
        self.state = state
        self.clientIDs = clientIDs
        self.realms = realms
        self.isDefault = isDefault
    }

    /// How an account's sign-in stands, over all its grants.
    public enum SignInState: Hashable, Sendable {
        /// A grant is active.
        case signedIn
        /// There are tokens, and no grant to get further ones.
        case tokensOnly
        /// The person signed out of every grant.
        case signedOut
        /// The provider wants the person to sign in; the text says why.
        case needsSignIn(reason: String)
        /// The account is known, and nothing else.
        case noCredentials

        /// The state's name in documents.
        public var name: String {
            switch self {
            case .signedIn: "signedIn"
            case .tokensOnly: "tokensOnly"
            case .signedOut: "signedOut"
            case .needsSignIn: "needsSignIn"
            case .noCredentials: "noCredentials"
            }
        }
    }
}
