internal import KeyfobSelection

extension KeyringError {
    /// What it means that a selection has not chosen; nil when it has.
    public init?(_ selection: Selection, for request: TokenRequest) {
        switch selection.outcome {
        case .chosen: return nil
        case .ambiguous(let candidates):
            let what = request.account.map { "'\($0)' names" } ?? "the request fits"
            self.init(several: candidates, what, advice: .chooseAccount)
        case .nobodyNamed(let name):
            self.init(
                .noSuchAccount, "there is no account '\(name)'", advice: .listAccounts)
        case .boundToNobody(let binding):
            self.init(
                .noSuchAccount, "\(binding.subject) is bound to \(binding.accountText), which is not there",
                advice: .rebind(binding))
        case .boundInVain(let binding, let candidate, let rejection):
            self.init(
                rejection == .signedOut ? .signInNeeded : .noSuchAccount,
                "\(binding.subject) is bound to \(candidate.account.name), which will not do: \(rejection)",
                advice: .nameAccountOrUnbind(binding),
                candidates: [candidate.account.id.description])
        case .nobody where selection.verdicts.isEmpty:
            self.init(.noSuchAccount, "the keyring holds no account", advice: .importAccounts)
        case .nobody where selection.isOfDestination:
            let host = request.context.url?.host ?? ""
            let concerned = selection.verdicts.filter { $0.verdict.isOfDestination }.map(\.candidate.account)
            let name = concerned.count == 1 ? concerned[0].name : nil
            self.init(
                .hostNotAllowed,
                name.map { "the tokens of \($0) do not go to \(host)" } ?? "no account's tokens go to \(host)",
                advice: .allowHost(host, account: name), accounts: concerned)
        case .nobody:
            let onlySignedOut = selection.verdicts.contains { $0.verdict == .rejected(.signedOut) }
            self.init(
                onlySignedOut ? .signInNeeded : .noSuchAccount, "no account will do",
                advice: .explainSelection,
                accounts: selection.verdicts.map(\.candidate.account))
        }
    }
}

extension Selection {
    /// Whether the host is why no account will do: there is none whose tokens go there.
    fileprivate var isOfDestination: Bool {
        verdicts.contains { $0.verdict.isOfDestination }
            && !verdicts.contains { judged in
                switch judged.verdict {
                case .rejected(.notInTenant), .rejected(.unknownToClient), .rejected(.signedOut),
                    .rejected(.scopesNotGranted):
                    true
                default: false
                }
            }
    }
}

extension Verdict {
    fileprivate var isOfDestination: Bool {
        if case .rejected(let rejection) = self { rejection.isOfDestination } else { false }
    }
}

extension KeyringError {
    /// What it means that several accounts are meant: `what` has the words before their number.
    init(several candidates: [Candidate], _ what: String, advice: Advice) {
        let ids = Set(candidates.map(\.account.id))
        let groups = Set(candidates.map(\.group)).map(\.name).sorted().joined(separator: ", ")
        guard ids.count < candidates.count else {
            self.init(
                .ambiguous, "\(what) \(candidates.count) accounts", advice: advice, accounts: candidates.map(\.account))
            return
        }
        self.init(
            .ambiguous,
            ids.count == 1
                ? "\(what) an account that is in several groups: \(groups)"
                : "\(what) \(ids.count) accounts, some of them in several groups: \(groups)",
            advice: .chooseGroup, candidates: ids.sorted().map(\.description))
    }
}

extension Binding {
    fileprivate var accountText: String {
        switch target {
        case .account(let id): id.description
        case .nobody: "no account"
        }
    }
}
