internal import Keyfob

/// An entry of the audit that is still being found out.
struct AuditDraft {
    let kind: AuditEntry.Kind
    let caller: AgentCaller
    let scopes: ScopeSet
    let clientID: String?
    /// The keyring in whose audit it belongs; nil where none is open.
    var keyring: Keyring? { didSet { vaultID = keyring?.vaultID ?? vaultID } }
    /// The vault of that keyring, also once the keyring is given up.
    private(set) var vaultID: String?
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

    /// Whether a person let the program have what it asked for.
    var isGiven: Bool { permission?.allows ?? false }

    /// The same without what may be long.
    var inBrief: AuditDraft {
        var draft = AuditDraft(kind, caller)
        (draft.keyring, draft.vaultID, draft.account, draft.group) = (keyring, vaultID, account, group)
        (draft.permission, draft.answer, draft.repeats) = (permission, answer, repeats)
        return draft
    }

    /// The same to be kept for later: what is counted holds no keys.
    var withoutKeyring: AuditDraft {
        var draft = self
        draft.keyring = nil
        return draft
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
