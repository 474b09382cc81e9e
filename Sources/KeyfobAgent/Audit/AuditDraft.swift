internal import Keyfob

/// An entry of the audit that is still being found out.
struct AuditDraft {
    let kind: AuditEntry.Kind
    let caller: AgentCaller
    let scopes: ScopeSet
    let clientID: String?
    var keyring: Keyring?
    var account: AccountID?
    var group: AccessGroup?
    var reason: String?
    var permission: AuditEntry.Permission?
    var answer = ""
    /// How many others were answered alike, and have no entry.
    var repeats = 0

    init(_ kind: AuditEntry.Kind, _ caller: AgentCaller, _ request: TokenRequest = TokenRequest()) {
        (self.kind, self.caller) = (kind, caller)
        (scopes, clientID) = (request.scopes, request.clientID)
    }

    func entry(_ now: Timestamp) -> AuditEntry {
        var entry = AuditEntry(
            time: now, kind: kind, program: caller.program, process: caller.process, door: caller.door,
            account: account, group: group, scopes: scopes, clientID: clientID, reason: reason,
            permission: permission, answer: answer)
        entry.repeats = repeats
        return entry
    }
}
