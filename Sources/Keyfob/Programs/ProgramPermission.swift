public import KeyfobModel

/// What a program may do with accounts of a group, and who decided so.
public struct ProgramPermission: Hashable, Sendable {
    /// The program.
    public let program: Program
    /// What it may do, or never.
    public let actions: Set<ProgramAction>
    /// With which account; nil for each of the group, and for whoever signs in to it.
    public let account: AccountID?
    /// For which client, nil for any; a list of accounts has none.
    public let clientID: String?
    /// For which scopes, of tokens and sign-ins; empty for any.
    public let scopes: ScopeSet
    /// The SHA-256 of the program's file, 64 hexadecimal digits: with other content it is another program; nil where that
    /// does not count.
    public let digest: String?
    /// Whether it may do that, or never.
    public let isAllowed: Bool
    /// The group whose accounts it is about.
    public let group: AccessGroup
    /// Who decided.
    public let writer: DecisionWriter

    /// A permission.
    ///
    /// - Parameter actions: Nil for ``Swift/Set/usual`` of one that allows, and all of one that forbids.
    public init(
        of program: Program, to actions: Set<ProgramAction>? = nil, account: AccountID? = nil,
        clientID: String? = nil, scopes: ScopeSet = [], digest: String? = nil, isAllowed: Bool = true,
        in group: AccessGroup, by writer: DecisionWriter = .unknown
    ) {
        self.program = program
        self.actions = actions ?? (isAllowed ? .usual : .all)
        self.account = account
        self.clientID = clientID
        self.scopes = scopes
        self.digest = digest
        self.isAllowed = isAllowed
        self.group = group
        self.writer = writer
    }

    /// By what it comes before another in a list.
    var order: [String] {
        [
            program.description, group.name, isAllowed ? "1" : "0", account?.canonical ?? "", clientID ?? "",
            actions.inOrder.map(\.rawValue).joined(separator: " "),
        ]
    }

    /// Whether it decides about an action with this account, for this client and these scopes.
    ///
    /// One that forbids does so where any of the scopes is among its own, and where none are named.
    ///
    /// - Parameter account: Nil for whoever signs in: what is for one account says nothing of others.
    func covers(_ action: ProgramAction, _ account: AccountID?, _ clientID: String?, _ scopes: ScopeSet) -> Bool {
        guard actions.contains(action), self.account == nil || self.account == account else { return false }
        if let own = self.clientID {
            if action.hasClient {
                guard let clientID else { return !isAllowed }
                guard own == clientID else { return false }
            } else if !isAllowed {
                return false
            }
        }
        guard !self.scopes.isEmpty else { return true }
        guard action.hasScopes else { return isAllowed }
        return isAllowed
            ? !scopes.isEmpty && scopes.isSubset(of: self.scopes) : scopes.isEmpty || scopes.intersects(self.scopes)
    }
}

/// Whether a program may do something.
public enum ProgramVerdict: Hashable, Sendable {
    /// It may, by this permission.
    case allowed(ProgramPermission)
    /// It never may, by this one.
    case denied(ProgramPermission)
    /// It might, but its file has changed since this permission was given.
    case changed(ProgramPermission)
    /// Nobody has decided.
    case undecided
}

extension Sequence<ProgramPermission> {
    /// What they say of an action: one that forbids counts before all that allow.
    ///
    /// - Parameters:
    ///   - account: With which account; nil for whoever signs in.
    ///   - digest: That of the program's file; asked for only where a permission depends on it.
    public func verdict(
        on program: Program, to action: ProgramAction, digest: () -> String?, account: AccountID?,
        in group: AccessGroup, clientID: String?, scopes: ScopeSet
    ) -> ProgramVerdict {
        let about = filter {
            $0.program == program && $0.group == group && $0.covers(action, account, clientID, scopes)
        }
        if let denial = about.first(where: { !$0.isAllowed }) { return .denied(denial) }
        if let free = about.first(where: { $0.digest == nil }) { return .allowed(free) }
        guard let bound = about.first else { return .undecided }
        guard let digest = digest(), let same = about.first(where: { $0.digest == digest }) else {
            return .changed(bound)
        }
        return .allowed(same)
    }
}
