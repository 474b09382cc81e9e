public import Keyfob

/// What an agent was asked, and what it answered: never a token.
public struct AuditEntry: Hashable, Sendable {
    /// What was asked for.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case accounts
        case token
        case select
        case signIn
        case signOut
        case permission
        /// Nothing: the agent replaced a token that the program had asked for.
        case renewal
    }

    /// When.
    public var time: Timestamp
    /// What.
    public var kind: Kind
    /// By which program.
    public var program: Program
    /// By which process of it.
    public var process: Int32
    /// By which door.
    public var door: AgentCaller.Door
    /// About whom; nil where that was not known.
    public var account: AccountID?
    /// About which group; nil where that was not known.
    public var group: AccessGroup?
    /// About which scopes.
    public var scopes: ScopeSet
    /// About which client.
    public var clientID: String?
    /// Why this account: the reason of the selection.
    public var reason: String?
    /// By whose word the program may, or may not: a permission as ``Permission`` has it.
    public var permission: Permission?
    /// What was answered: `stored`, `extended` or `provider` for a token from there, `done`, or the code of an error.
    public var answer: String
    /// How often the program was answered alike besides, since its line before, without a line for each: never what it was given.
    public var repeats = 0

    /// Whether a person let the program have what it asked for: such entries have a part of the log for each program.
    public var isGiven: Bool { permission?.allows ?? false }

    /// By whose word.
    public enum Permission: String, Hashable, Sendable, CaseIterable {
        case once
        case session
        case always
        case never

        /// Whether the program may.
        var allows: Bool { self != .never }
    }
}

/// Where an agent writes down what it was asked.
public protocol AuditTrail: Sendable {
    /// Writes an entry down before its answer goes out.
    ///
    /// - Throws: Where it cannot be written; the answer then does not go out.
    func append(_ entry: AuditEntry, _ keyring: Keyring) throws(KeyringError)
}
