internal import KeyfobSelection

extension KeyringError {
    /// What it means that a selection has not chosen; nil when it has.
    public init?(_ selection: Selection, for request: TokenRequest) {
        switch selection.outcome {
        case .chosen: return nil
        case .ambiguous(let candidates):
            let what = request.account.map { "'\($0)' names" } ?? "the request fits"
            self.init(
                .ambiguous, "\(what) \(candidates.count) accounts", hint: "say which with --account",
                accounts: candidates.map(\.account))
        case .nobodyNamed(let name):
            self.init(
                .noSuchAccount, "there is no account '\(name)'", hint: "'keyfob account list' shows those there are")
        case .boundToNobody(let binding):
            self.init(
                .noSuchAccount, "\(binding.subject) is bound to \(binding.accountText), which is not there",
                hint: "bind it again, run \(binding.undoing), or name an account with --account")
        case .boundInVain(let binding, let candidate, let rejection):
            self.init(
                rejection == .signedOut ? .signInNeeded : .noSuchAccount,
                "\(binding.subject) is bound to \(candidate.account.name), which will not do: \(rejection)",
                hint: "name an account with --account, or run \(binding.undoing)",
                candidates: [candidate.account.id.description])
        case .nobody where selection.verdicts.isEmpty:
            self.init(.noSuchAccount, "the keyring holds no account", hint: "bring some with 'keyfob import'")
        case .nobody:
            let onlySignedOut = selection.verdicts.contains { $0.verdict == .rejected(.signedOut) }
            self.init(
                onlySignedOut ? .signInNeeded : .noSuchAccount, "no account will do",
                hint: "'keyfob which' says why of each",
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

    /// The command that takes the binding back.
    fileprivate var undoing: String {
        if case .file(let path, _) = origin { return "'keyfob allow --revoke \(ShellWord.quoted(path))'" }
        switch subject {
        case .directory(let path): return "'keyfob unbind --directory \(ShellWord.quoted(path))'"
        case .url(let url): return "'keyfob unbind --url \(ShellWord.quoted(url.description))'"
        case .host(let host): return "'keyfob unbind --host \(ShellWord.quoted(host))'"
        case .tool(let tool): return "'keyfob unbind --tool \(ShellWord.quoted(tool))'"
        }
    }
}
