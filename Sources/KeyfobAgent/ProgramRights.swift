internal import Keyfob
internal import KeyfobModel

/// What a program may have: by what is stored, and by what was allowed until the agent ends.
struct ProgramRights {
    let caller: AgentCaller
    let session: SessionPermissions

    /// What was decided of a program and some accounts.
    struct Judged {
        var allowed: [(candidate: Candidate, word: AuditEntry.Permission)] = []
        /// Those that nobody has decided about.
        var open: [Candidate] = []
        /// What would allow one of them if the program had not changed.
        var changed: ProgramPermission?
    }

    /// Sorts accounts by whether the program may have tokens of them for these scopes and this client.
    func judge(
        _ candidates: [Candidate], _ scopes: ScopeSet, _ clientID: String?, _ keyring: Keyring
    ) throws(KeyringError) -> Judged {
        judge(
            candidates, scopes, clientID,
            by: try keyring.programs.permissions(in: Array(Set(candidates.map(\.group)))))
    }

    /// The same, by what is stored, which was read before.
    func judge(
        _ candidates: [Candidate], _ scopes: ScopeSet, _ clientID: String?, by permissions: [ProgramPermission]
    ) -> Judged {
        var judged = Judged()
        for candidate in candidates {
            let verdict = permissions.verdict(
                on: caller.program, digest: caller.digest, account: candidate.account.id, in: candidate.group,
                clientID: clientID, scopes: scopes)
            switch verdict {
            case .allowed: judged.allowed.append((candidate, .always))
            case .denied: break
            case .changed where session.allows(caller, candidate, scopes, clientID),
                .undecided where session.allows(caller, candidate, scopes, clientID):
                judged.allowed.append((candidate, .session))
            case .changed(let permission):
                judged.changed = permission
                judged.open.append(candidate)
            case .undecided: judged.open.append(candidate)
            }
        }
        return judged
    }

    /// Whether the program may have a token without asking.
    func mayHave(_ candidate: Candidate, _ scopes: ScopeSet, _ clientID: String?, _ keyring: Keyring) -> Bool {
        guard let judged = try? judge([candidate], scopes, clientID, keyring) else { return false }
        return !judged.allowed.isEmpty
    }

    /// Whether the program may have some token of an account for a client.
    func mayUse(
        _ clientID: String, of candidate: Candidate, _ keyring: Keyring
    ) throws(KeyringError) -> Bool {
        let isAllowed = try keyring.programs.permissions(in: [candidate.group]).contains {
            $0.program == caller.program && $0.isAllowed && $0.account.map { $0 == candidate.account.id } ?? true
                && $0.clientID.map { $0 == clientID } ?? true && ($0.digest == nil || $0.digest == caller.digest())
        }
        return isAllowed || session.allows(caller, candidate, client: clientID)
    }

    /// The accounts of which the program may have some token.
    func accounts(of keyring: Keyring, in groups: [AccessGroup]?) throws(KeyringError) -> [Candidate] {
        let permissions = try keyring.programs.permissions(in: groups).filter { $0.program == caller.program }
        return try keyring.accounts.list(in: groups).filter { candidate in
            let about = permissions.filter {
                $0.group == candidate.group && $0.account.map { $0 == candidate.account.id } ?? true
            }
            if about.contains(where: { !$0.isAllowed && $0.clientID == nil && $0.scopes.isEmpty }) { return false }
            return about.contains { $0.isAllowed && ($0.digest == nil || $0.digest == caller.digest()) }
                || session.allows(caller, candidate)
        }
    }

    /// Why no account fits, in words that tell nothing of accounts that the program may not use.
    func error(
        _ selection: Selection, for request: TokenRequest, _ keyring: Keyring, in groups: [AccessGroup]?
    ) throws(KeyringError) -> KeyringError {
        let own = Set(try accounts(of: keyring, in: groups).map(\.place))
        guard !own.isEmpty else {
            // The same words as of an account that is there.
            let isDenied = try keyring.programs.permissions(in: groups).contains {
                $0.program == caller.program && !$0.isAllowed
            }
            return isDenied ? caller.program.denied : caller.program.notPermitted
        }
        let known = selection.verdicts.filter { own.contains($0.candidate.place) }
        if let error = KeyringError(selection, for: request), known.count == selection.verdicts.count { return error }
        let signedOut = known.filter { $0.verdict == .rejected(.signedOut) }.map(\.candidate.account.name)
        if let name = signedOut.first, signedOut.count == 1 {
            return KeyringError(.signInNeeded, "\(name) must sign in", advice: .signIn(name, request.scopes))
        }
        return KeyringError(.noSuchAccount, "no account fits of those that \(caller.program) may use")
    }
}

extension Program {
    /// Nobody has decided that it may.
    var notPermitted: KeyringError {
        KeyringError(
            .notPermitted, "nobody has let \(self) have this token",
            advice: .permitProgram(description, account: nil, group: nil))
    }

    /// Somebody has decided that it may not.
    var denied: KeyringError {
        KeyringError(.notPermitted, "\(self) may not have this token", advice: .forgetProgram(description))
    }
}

/// An account of a group, whatever else is known of it.
struct AccountPlace: Hashable {
    let account: AccountID
    let group: AccessGroup
}

extension Candidate {
    /// Which account of which group it is.
    var place: AccountPlace { AccountPlace(account: account.id, group: group) }
}
