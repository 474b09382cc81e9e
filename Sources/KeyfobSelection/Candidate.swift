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
    /// Whether a grant is a family's, or was: another client of it can use that.
    public var hasFamilyGrant: Bool
    /// The tenants that it has tokens for.
    public var realms: Set<String>
    /// The scopes of each access token it has.
    public var tokenScopes: [ScopeSet]
    /// The scopes that its grants name, those that have ended too; empty where they name none.
    public var grantScopes: ScopeSet
    /// What it could reach before its person signed out of all of them, or it was removed.
    public var formerReach = FormerReach.any
    /// When the first of its active grants ends that is known to; nil where none is.
    public var end: SignInEnd?
    /// Whether it is the group's default account.
    public var isDefault: Bool
    /// Whether the owner made it that: then it counts among the accounts of other groups too.
    public var isOwnersDefault: Bool
    /// What the account is called in the history.
    public var tag: UsageTag
    /// The API hosts that the description of its provider names, where that is not built in.
    public var apiHosts: [HostPattern]
    /// Whether it was removed, and is told only so that nobody is taken in its place: no list and no verdict has it.
    public var isRemoved = false
    /// Whether somebody has put a token of it into the desktop's keyring by hand; told by a list of accounts alone.
    public var hasTokenMadeByHand = false

    /// A candidate.
    public init(
        account: Account, group: AccessGroup, state: SignInState, clientIDs: Set<String>, hasFamilyGrant: Bool = false,
        realms: Set<String> = [], tokenScopes: [ScopeSet] = [], grantScopes: ScopeSet = [], end: SignInEnd? = nil,
        isDefault: Bool, isOwnersDefault: Bool = false, tag: UsageTag? = nil, apiHosts: [HostPattern] = []
    ) {
        self.account = account
        self.group = group
        self.state = state
        self.clientIDs = clientIDs
        self.hasFamilyGrant = hasFamilyGrant
        self.realms = realms
        self.tokenScopes = tokenScopes
        self.grantScopes = grantScopes
        self.end = end
        self.isDefault = isDefault
        self.isOwnersDefault = isOwnersDefault
        self.tag = tag ?? UsageTag(of: account.id.canonical)
        self.apiHosts = apiHosts
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

    /// Whether it has a token with the scopes, or a grant that names them, or had until its person signed out.
    package func isGranted(_ scopes: ScopeSet) -> Bool { ScopePolicy(scopes: scopes).isGranted(to: self) }
}
