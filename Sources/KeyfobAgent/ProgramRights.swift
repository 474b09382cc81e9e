internal import Keyfob
internal import KeyfobModel

/// What a program may do: by what is stored, and by what was allowed until the agent ends.
///
/// Every door asks here, for each action by itself.
struct ProgramRights {
    let caller: AgentCaller
    let session: SessionPermissions

    /// What is decided of an action with an account.
    enum Verdict {
        case allowed(AuditEntry.Permission)
        case denied
        /// Nobody has decided; a permission that would allow it if the program had not changed.
        case open(ProgramPermission?)
    }

    /// What was decided of a program and some accounts.
    struct Judged {
        var allowed: [(candidate: Candidate, word: AuditEntry.Permission)] = []
        /// Those that nobody has decided about.
        var open: [Candidate] = []
        /// What would allow one of them if the program had not changed.
        var changed: ProgramPermission?
    }

    /// What is decided of an action, by what is stored, which was read before.
    ///
    /// - Parameter account: Nil for whoever signs in.
    func verdict(
        on action: ProgramAction, with account: AccountID?, in group: AccessGroup, _ scopes: ScopeSet = [],
        _ clientID: String? = nil, by permissions: [ProgramPermission]
    ) -> Verdict {
        let verdict = permissions.verdict(
            on: caller.program, to: action, digest: caller.digest, account: account, in: group, clientID: clientID,
            scopes: scopes)
        let isAllowedHere: Bool
        switch verdict {
        // What a socket gives was said when it was made; nothing that is stored widens that.
        case .allowed where caller.program.kind == .socket:
            isAllowedHere = session.allows(caller, action, account, in: group, scopes, clientID)
        case .allowed: return .allowed(.always)
        case .denied: return .denied
        case .changed, .undecided:
            isAllowedHere = session.allows(caller, action, account, in: group, scopes, clientID)
        }
        if isAllowedHere { return .allowed(.session) }
        if case .changed(let permission) = verdict { return .open(permission) }
        return .open(nil)
    }

    /// Sorts accounts by whether the program may do something with them.
    func judge(
        _ action: ProgramAction, _ candidates: [Candidate], _ scopes: ScopeSet, _ clientID: String?,
        _ keyring: Keyring
    ) throws(KeyringError) -> Judged {
        judge(
            action, candidates, scopes, clientID,
            by: try keyring.programs.permissions(in: Array(Set(candidates.map(\.group)))))
    }

    /// The same, by what is stored, which was read before.
    func judge(
        _ action: ProgramAction, _ candidates: [Candidate], _ scopes: ScopeSet, _ clientID: String?,
        by permissions: [ProgramPermission]
    ) -> Judged {
        var judged = Judged()
        for candidate in candidates {
            let verdict = verdict(
                on: action, with: candidate.account.id, in: candidate.group, scopes, clientID, by: permissions)
            switch verdict {
            case .allowed(let word): judged.allowed.append((candidate, word))
            case .denied: break
            case .open(let changed):
                judged.changed = changed ?? judged.changed
                judged.open.append(candidate)
            }
        }
        return judged
    }

    /// By whose word the program may have a token without asking; nil where it may not.
    func word(
        forTokenOf candidate: Candidate, _ scopes: ScopeSet, _ clientID: String?, _ keyring: Keyring
    ) -> AuditEntry.Permission? {
        (try? judge(.token, [candidate], scopes, clientID, keyring))?.allowed.first?.word
    }

    /// The accounts that the program may be told of.
    func accounts(of keyring: Keyring, in groups: [AccessGroup]?) throws(KeyringError) -> [Candidate] {
        let permissions = try keyring.programs.permissions(in: groups)
        return judge(.list, try keyring.accounts.list(in: groups), [], nil, by: permissions).allowed.map(\.candidate)
    }

    /// The accounts of which the program may have some token.
    private func tokenAccounts(
        _ permissions: [ProgramPermission], _ candidates: [Candidate]
    ) -> Set<AccountPlace> {
        let own = permissions.filter { $0.program == caller.program && $0.actions.contains(.token) }
        let may = candidates.filter { candidate in
            let about = own.filter {
                $0.group == candidate.group && $0.account.map { $0 == candidate.account.id } ?? true
            }
            if about.contains(where: { !$0.isAllowed && $0.clientID == nil && $0.scopes.isEmpty }) { return false }
            return about.contains { $0.isAllowed && ($0.digest == nil || $0.digest == caller.digest()) }
                || session.allowsSome(.token, caller, candidate)
        }
        return Set(may.map(\.place))
    }

    /// Why no account fits, in words that tell nothing of accounts that the program may not use.
    func error(
        _ selection: Selection, for request: TokenRequest, _ keyring: Keyring, in groups: [AccessGroup]?
    ) throws(KeyringError) -> KeyringError {
        let permissions = try keyring.programs.permissions(in: groups)
        let own = tokenAccounts(permissions, try keyring.accounts.list(in: groups))
        guard !own.isEmpty else {
            // The same words as of an account that is there.
            let isDenied = permissions.contains {
                $0.program == caller.program && !$0.isAllowed && $0.actions.contains(.token)
            }
            return isDenied ? caller.program.denied(.token) : caller.program.notPermitted(.token)
        }
        let known = selection.verdicts.filter { own.contains($0.candidate.place) }
        if known.count == selection.verdicts.count, !selection.tellsOfRemoved,
            let error = keyring.accounts.error(of: selection, for: request, in: groups)
        {
            return error
        }
        // Of a group where it has nothing it learns nothing.
        if let binding = selection.bindingOfRemoved, own.contains(where: { $0.group == binding.origin.group }) {
            // Not who it was.
            return KeyringError(
                .noSuchAccount, "\(binding.subject) is bound to an account that is not there any more",
                advice: .rebind(binding))
        }
        if let meant = selection.meantInVain, own.contains(meant.candidate.place), !meant.candidate.isRemoved {
            let name = meant.candidate.account.name
            if meant.rejection == .signedOut {
                return KeyringError(.signInNeeded, "\(name) must sign in", advice: .signIn(name, request.scopes))
            }
            if let binding = meant.binding {
                return KeyringError(
                    .noSuchAccount, "\(binding.subject) is bound to \(name), which does not fit: \(meant.rejection)",
                    advice: .nameAccountOrUnbind(binding))
            }
        }
        let signedOut = known.filter { $0.verdict == .rejected(.signedOut) }.map(\.candidate.account.name)
        if let name = signedOut.first, signedOut.count == 1 {
            return KeyringError(.signInNeeded, "\(name) must sign in", advice: .signIn(name, request.scopes))
        }
        return KeyringError(.noSuchAccount, "no account fits of those that \(caller.program) may use")
    }
}

extension Selection {
    /// The binding that means an account which is not there any more, where that is why nobody was chosen.
    fileprivate var bindingOfRemoved: Binding? {
        switch outcome {
        case .boundToNobody(let binding): binding
        case .boundInVain(let binding, let candidate, _) where candidate.isRemoved: binding
        default: nil
        }
    }

    /// The account that is meant and will not do, with why, and the binding that means it.
    fileprivate var meantInVain: (candidate: Candidate, rejection: Verdict.Rejection, binding: Binding?)? {
        switch outcome {
        case .meantInVain(let candidate, _, let rejection): (candidate, rejection, nil)
        case .boundInVain(let binding, let candidate, let rejection): (candidate, rejection, binding)
        default: nil
        }
    }

    /// Whether why nobody was chosen tells of an account that is not there any more.
    fileprivate var tellsOfRemoved: Bool {
        switch outcome {
        case .meantInVain(let candidate, _, _), .boundInVain(_, let candidate, _): candidate.isRemoved
        case .boundToNobody: true
        case .chosen, .ambiguous, .nobodyNamed, .contradiction, .nobody: false
        }
    }
}

extension Program {
    /// Nobody has decided that it may do that.
    func notPermitted(_ action: ProgramAction) -> KeyringError {
        KeyringError(
            .notPermitted,
            kind == .socket
                ? "\(self) was not made for that account, or for those scopes"
                : "nobody has let \(self) \(action.wish)",
            advice: kind == .socket
                ? nil : .permitProgram(description, action: action.advised, account: nil, group: nil))
    }

    /// Somebody has decided that it may not do that.
    func denied(_ action: ProgramAction) -> KeyringError {
        KeyringError(.notPermitted, "\(self) may not \(action.wish)", advice: .forgetProgram(description))
    }

    /// It might, had its file not changed.
    func changed(_ action: ProgramAction, since permission: ProgramPermission) -> KeyringError {
        KeyringError(
            .notPermitted, "\(self) has changed since it was allowed",
            advice: .permitProgram(
                description, action: action.advised, account: permission.account?.description, group: permission.group))
    }
}

extension ProgramAction {
    /// What a program is let do.
    fileprivate var wish: String {
        switch self {
        case .token: "have this token"
        case .list: "see the accounts"
        case .signIn: "sign anybody in"
        case .signOut: "sign this account out"
        }
    }

    /// What has to be named to allow it; nil for what is allowed unless something is named.
    fileprivate var advised: String? { Set<ProgramAction>.usual.contains(self) ? nil : rawValue }
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
