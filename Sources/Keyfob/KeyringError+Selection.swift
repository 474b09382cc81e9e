internal import KeyfobSelection

extension KeyringError {
    /// What it means that a selection has not chosen; nil when it has.
    public init?(_ selection: Selection, for request: TokenRequest) {
        switch selection.outcome {
        case .chosen: return nil
        case .ambiguous(let candidates):
            let what = request.account.map { "'\($0)' names" } ?? "the request fits"
            self.init(
                .ambiguous, "\(what) \(candidates.count) accounts", advice: .chooseAccount,
                accounts: candidates.map(\.account))
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
        case .nobody:
            let onlySignedOut = selection.verdicts.contains { $0.verdict == .rejected(.signedOut) }
            self.init(
                onlySignedOut ? .signInNeeded : .noSuchAccount, "no account will do",
                advice: .explainSelection,
                accounts: selection.verdicts.map(\.candidate.account))
        }
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
