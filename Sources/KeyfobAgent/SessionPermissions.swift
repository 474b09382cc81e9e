internal import Keyfob

/// What programs were allowed to do until the agent ends, and which ones were sent away just now.
struct SessionPermissions {
    private struct Permission: Hashable {
        let program: Program
        let action: ProgramAction
        /// Nil for whoever signs in.
        let account: AccountID?
        let group: AccessGroup
        let scopes: ScopeSet
        let clientID: String?
        /// What the program's file held; nil where it has none.
        let digest: String?
    }

    /// What people think of as one permission.
    private struct Subject: Hashable {
        let program: Program
        let account: AccountID?
        let group: AccessGroup
    }

    /// For how many seconds a program that was sent away is not asked about again.
    private static let pause: Int64 = 60
    /// More programs than anybody is asked about.
    private static let capacity = 1_000

    /// Counts how often all of it was forgotten.
    let era: Int
    private var permissions: Set<Permission> = []
    private var dismissed: [Program: Timestamp] = [:]

    init(era: Int = 0) { self.era = era }

    /// - Parameter digest: What the program's file holds: finding out may take long, and others wait for this meanwhile.
    mutating func allow(
        _ caller: AgentCaller, to actions: Set<ProgramAction>, _ account: AccountID?, in group: AccessGroup,
        _ scopes: ScopeSet, _ clientID: String?, digest: String?
    ) {
        for action in actions where permissions.count < Self.capacity {
            permissions.insert(
                Permission(
                    program: caller.program, action: action, account: account, group: group,
                    scopes: action.hasScopes ? scopes : [], clientID: action.hasClient ? clientID : nil,
                    digest: digest))
        }
    }

    /// Takes back what programs were allowed; how many permissions there were.
    mutating func forget(_ programs: [Program], in groups: [AccessGroup]?) -> Int {
        let gone = permissions.filter { programs.contains($0.program) && groups?.contains($0.group) != false }
        permissions.subtract(gone)
        for program in programs { dismissed[program] = nil }
        // What goes along with another action was said at once.
        return Set(gone.map { Subject(program: $0.program, account: $0.account, group: $0.group) }).count
    }

    private static func digest(of caller: AgentCaller) -> String? {
        caller.program.kind.isPath ? caller.digest() : nil
    }

    /// Whether a program was allowed something.
    func has(_ program: Program) -> Bool { permissions.contains { $0.program == program } }

    /// Whether it may do that: for this client alone, and no further than the scopes.
    func allows(
        _ caller: AgentCaller, _ action: ProgramAction, _ account: AccountID?, in group: AccessGroup,
        _ scopes: ScopeSet, _ clientID: String?
    ) -> Bool {
        permissions.contains {
            $0.program == caller.program && $0.action == action && ($0.account == nil || $0.account == account)
                && $0.group == group && (!action.hasClient || $0.clientID == clientID)
                && $0.digest == Self.digest(of: caller)
                && ($0.scopes.isEmpty || !scopes.isEmpty && scopes.isSubset(of: $0.scopes))
        }
    }

    /// Whether it may do that with the account for some client and some scopes.
    func allowsSome(_ action: ProgramAction, _ caller: AgentCaller, _ candidate: Candidate) -> Bool {
        permissions.contains {
            $0.program == caller.program && $0.action == action
                && ($0.account == nil || $0.account == candidate.account.id) && $0.group == candidate.group
                && $0.digest == Self.digest(of: caller)
        }
    }

    mutating func isDismissed(_ caller: AgentCaller, now: Timestamp) {
        if dismissed.count >= Self.capacity { dismissed = [:] }
        dismissed[caller.program] = now
    }

    func mayAsk(_ caller: AgentCaller, now: Timestamp) -> Bool {
        dismissed[caller.program].map { abs(now.seconds - $0.seconds) >= Self.pause } ?? true
    }
}
