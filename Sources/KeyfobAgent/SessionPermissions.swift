internal import Keyfob

/// What programs were allowed until the agent ends, and which ones were sent away just now.
struct SessionPermissions {
    private struct Permission: Hashable {
        let program: Program
        let account: AccountID
        let group: AccessGroup
        let scopes: ScopeSet
        let clientID: String?
        /// What the program's file held; nil where it has none.
        let digest: String?
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

    mutating func allow(_ caller: AgentCaller, _ candidate: Candidate, _ scopes: ScopeSet, _ clientID: String?) {
        guard permissions.count < Self.capacity else { return }
        permissions.insert(
            Permission(
                program: caller.program, account: candidate.account.id, group: candidate.group, scopes: scopes,
                clientID: clientID, digest: Self.digest(of: caller)))
    }

    /// Takes back what programs were allowed; how many permissions there were.
    mutating func forget(_ programs: [Program], in groups: [AccessGroup]?) -> Int {
        let count = permissions.count
        permissions = permissions.filter { !programs.contains($0.program) || groups?.contains($0.group) == false }
        for program in programs { dismissed[program] = nil }
        return count - permissions.count
    }

    private static func digest(of caller: AgentCaller) -> String? {
        caller.program.kind.isPath ? caller.digest() : nil
    }

    func allows(_ caller: AgentCaller, _ candidate: Candidate, _ scopes: ScopeSet, _ clientID: String?) -> Bool {
        permissions.contains {
            $0.program == caller.program && $0.account == candidate.account.id && $0.group == candidate.group
                && $0.clientID == clientID && $0.digest == Self.digest(of: caller)
                && ($0.scopes.isEmpty || !scopes.isEmpty && scopes.isSubset(of: $0.scopes))
        }
    }

    /// Whether it may have any token of the account.
    func allows(_ caller: AgentCaller, _ candidate: Candidate) -> Bool {
        permissions.contains {
            $0.program == caller.program && $0.account == candidate.account.id && $0.group == candidate.group
                && $0.digest == Self.digest(of: caller)
        }
    }

    /// Whether it may have any token of the account for a client.
    func allows(_ caller: AgentCaller, _ candidate: Candidate, client: String) -> Bool {
        permissions.contains {
            $0.program == caller.program && $0.account == candidate.account.id && $0.group == candidate.group
                && $0.clientID == client && $0.digest == Self.digest(of: caller)
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
