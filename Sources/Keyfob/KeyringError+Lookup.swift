internal import KeyfobLookup

extension KeyringError {
    init(_ refusal: LookupRefusal) {
        switch refusal {
        case .noSuchGroup(let name):
            self.init(
                .noSuchGroup, "there is no group '\(name)'", hint: "'keyfob group list' shows those there are")
        case .notGranted(let name): self.init(.groupNotGranted, "the key does not open group '\(name)'")
        case .uncertain:
            self.init(
                .damaged, "records are damaged, so that no account can be chosen for certain",
                hint: "name the account exactly, or run 'keyfob doctor'")
        case .unselected(let selection, let request):
            self = KeyringError(selection, for: request) ?? KeyringError(.fault, "a choice was lost")
        case .ambiguous(let ambiguity, let account): self.init(ambiguity, account)
        case .needsProviders: self.init(.fault, "the default client was asked for where no providers are known")
        case .fault(let what): self.init(.fault, what)
        }
    }

    init(_ ambiguity: TokenChoice.Ambiguity, _ account: Account) {
        switch ambiguity {
        case .clients(let clients):
            self.init(
                .ambiguous, "\(account.name) has such tokens from \(clients.count) clients",
                hint: "say which with --client", candidates: clients)
        case .tenants(let realms):
            self.init(
                .ambiguous, "\(account.name) has such tokens in \(realms.count) tenants",
                hint: "say which with --tenant", candidates: realms)
        case .scopes(let scopes):
            self.init(
                .ambiguous, "\(account.name) has \(scopes.count) tokens for different scopes",
                hint: "say which with --scope", candidates: scopes.map(\.spaceSeparated).sorted())
        }
    }
}
