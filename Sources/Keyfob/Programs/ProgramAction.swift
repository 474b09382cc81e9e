public import KeyfobModel

/// What a program asks an agent to do with an account: a right is for one of these, and has none of the others with it.
public enum ProgramAction: String, Hashable, Sendable, CaseIterable {
    /// Give an access token of the account.
    case token
    /// Tell that the account is there, what it is called, and what becomes of its sign-in.
    case list
    /// Take a person through a sign-in to the account, or to a new one.
    case signIn = "sign-in"
    /// Sign the account out of a client.
    case signOut = "sign-out"

    /// Whether a right to it can be for some scopes alone.
    public var hasScopes: Bool { self == .token || self == .signIn }

    /// Whether a right to it can be for one client alone.
    public var hasClient: Bool { self != .list }
}

extension Set<ProgramAction> {
    /// What a program gets that is let have an account, where nobody says more.
    public static var usual: Set<ProgramAction> { [.token, .list] }
    /// All of them, those that a later release may have too.
    public static var all: Set<ProgramAction> { Set(ProgramAction.allCases) }

    /// In their usual order.
    public var inOrder: [ProgramAction] { ProgramAction.allCases.filter(contains) }
}

extension Set<ProgramAction> {
    /// What is done, before whose account it is: `list, sign out and get tokens of`.
    ///
    /// - Parameters:
    ///   - scopes: For which the tokens are; empty for any.
    ///   - conjunction: What stands before the last.
    public func words(_ scopes: ScopeSet = [], conjunction: String = "and") -> String {
        let what = scopes.isEmpty ? "tokens" : "tokens for \(scopes)"
        let verbs = [.list, .signIn, .signOut, .token].filter(contains).map { (action: ProgramAction) in
            switch action {
            case .list: "list"
            case .signIn: "sign in"
            case .signOut: "sign out"
            case .token: "get \(what) of"
            }
        }
        guard let last = verbs.last, verbs.count > 1 else { return verbs.first ?? "do nothing with" }
        return verbs.dropLast().joined(separator: ", ") + " \(conjunction) " + last
    }
}
