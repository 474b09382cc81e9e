internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobVault

extension KeyringError {
    /// The error, which says of a group that is not there which ones are.
    ///
    /// - Parameter suggestsNear: Whether it names the one that was meant most likely instead. No removal does.
    init(_ refusal: LookupRefusal, among groups: [AccessGroup], suggestsNear: Bool = true) {
        let plain = KeyringError(refusal)
        guard case .noSuchGroup(let name) = refusal, !groups.isEmpty else {
            self = plain
            return
        }
        let known = groups.map(\.name)
        let near = suggestsNear ? NearestWord.suggestion(name.name, among: known) : ""
        self.init(
            plain.code, plain.message + near, advice: plain.advice, candidates: known, names: near.isEmpty ? known : [])
    }

    init(_ refusal: LookupRefusal) {
        switch refusal {
        case .noSuchGroup(let name):
            self.init(
                .noSuchGroup, "there is no group '\(name)'", advice: .listGroups)
        case .notGranted(let name): self.init(.groupNotGranted, "the key does not open group '\(name)'")
        case .uncertain:
            self.init(
                .damaged, "records are damaged, so that no account can be chosen for certain",
                advice: .nameAccountExactly)
        case .unselected(let selection, let request):
            self = KeyringError(selection, for: request) ?? KeyringError(.fault, "a choice was lost")
        case .ambiguous(let ambiguity, let account): self.init(ambiguity, account)
        case .needsProviders: self.init(.fault, "the providers were asked for where none are known")
        case .needsHistory: self.init(.fault, "the history was asked for where none is read")
        case .fault(let what): self.init(.fault, what)
        }
    }

    init(_ ambiguity: TokenChoice.Ambiguity, _ account: Account) {
        switch ambiguity {
        case .clients(let clients):
            self.init(
                .ambiguous, "\(account.name) has such tokens from \(clients.count) clients",
                advice: .chooseClient, candidates: clients)
        case .tenants(let realms):
            self.init(
                .ambiguous, "\(account.name) has such tokens in \(realms.count) tenants",
                advice: .chooseTenant, candidates: realms)
        case .scopes(let scopes):
            let texts = scopes.map(\.spaceSeparated).sorted()
            self.init(
                .ambiguous, "\(account.name) has \(texts.count) tokens for different scopes", advice: .chooseScopes,
                candidates: texts, names: texts.map { $0.isEmpty ? "no scope" : $0 })
        }
    }
}
