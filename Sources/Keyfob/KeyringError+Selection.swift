internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSelection

extension KeyringError {
    /// What it means that a selection has not chosen; nil when it has.
    public init?(_ selection: Selection, for request: TokenRequest) {
        switch selection.outcome {
        case .chosen: return nil
        case .ambiguous(let candidates):
            let what = request.account.map { "'\($0)' names" } ?? "the request fits"
            self.init(several: candidates, among: selection.verdicts.map(\.candidate), what) {
                .chooseAccount(such: $0, group: $1)
            }
        case .nobodyNamed(let name):
            // A user in an address may be a secret that somebody has put there: it is not repeated.
            self =
                request.account == nil
                ? Self(.noSuchAccount, "no account is called as the user in the address", advice: .listAccounts)
                : .noSuchAccount(name, among: selection.verdicts.lazy.map(\.candidate.account))
        case .contradiction(let account, _):
            self.init(
                .usage, "'\(account)' is not the account that the user in the address means",
                advice: .agreeWithAddress)
        case .meantInVain(let candidate, let reason, let rejection):
            self.init(meant: candidate, reason, but: rejection, selection, request)
        case .boundToNobody(let binding):
            self.init(
                .noSuchAccount, "\(binding.subject) is bound to \(binding.accountText), which is not there",
                advice: .rebind(binding))
        case .boundInVain(let binding, let candidate, .signedOut):
            self.init(meant: candidate, .bound(binding), but: .signedOut, selection, request)
        case .boundInVain(let binding, let candidate, let rejection):
            self.init(
                .noSuchAccount,
                "\(binding.subject) is bound to \(AccountNaming(among: selection.verdicts.map(\.candidate)).brief(candidate.account)), which does not fit: \(rejection)",
                advice: .nameAccountOrUnbind(binding),
                candidates: [candidate.account.id.description], names: [])
        case .nobody where selection.verdicts.isEmpty:
            self.init(.noSuchAccount, "the vault has no accounts", advice: .importAccounts)
        case .nobody where selection.isOfDestination:
            let host = request.context.url?.host ?? ""
            let concerned = selection.verdicts.filter { $0.verdict.isOfDestination }.map(\.candidate.account)
            let names = AccountNaming(among: selection.verdicts.map(\.candidate))
            let name = concerned.count == 1 ? names.brief(concerned[0]) : nil
            // Nothing that anybody could bind or allow would change that.
            if let name, let resource = ResourceURL(environment: concerned[0].id.environment) {
                self.init(
                    .hostNotAllowed, "the tokens of \(name) go to \(resource) alone", accounts: concerned, isNamed: true
                )
                return
            }
            self.init(
                .hostNotAllowed,
                (name ?? request.account.map { "'\($0)'" }).map { "the tokens of \($0) do not go to \(host)" }
                    ?? "no account's tokens go to \(host)",
                advice: selection.wayOut(to: host, account: name == nil ? nil : names.briefTyped(concerned[0])),
                accounts: concerned,
                isNamed: name != nil)
        case .nobody: self.init(nobodyFits: selection, request)
        }
    }
}

extension Keyring.Accounts {
    /// Why a choice took nobody, with what is to be done about it in this keyring; nil where it took somebody.
    package func error(
        of selection: Selection, for request: TokenRequest, in groups: [AccessGroup]?
    ) -> KeyringError? {
        KeyringError(selection, for: request).map { keyring.undo.advising($0).asked(in: groups) }
    }
}

extension KeyringError {
    /// Among how many accounts a mistyped name looks for the one that was meant.
    private static let suggestionLimit = 1_000

    /// That no account has a name, with those of `accounts` that are near it.
    static func noSuchAccount(_ name: String, among accounts: some Sequence<Account>) -> KeyringError {
        // Of one that is typed with its host the whole is compared, of others what stands before it.
        let known = accounts.prefix(suggestionLimit).flatMap { account in
            [account.username, account.label, name.contains("@") ? account.id.description : nil].compactMap(\.self)
        }
        let near = NearestWord.suggestion(name, among: known)
        return KeyringError(.noSuchAccount, "there is no account '\(name)'\(near)", advice: .listAccounts)
    }

    /// The same error, whose advice asks why in the groups in which it was looked.
    package func asked(in groups: [AccessGroup]?) -> KeyringError {
        guard case .explainSelection(let question)? = advice else { return self }
        return saying(advice: .explainSelection(question.asked(in: groups)))
    }

    /// The error of somebody else who was asked this in the place of the keyring: to ask why is one's own question.
    package func asked(_ request: TokenRequest, in groups: [AccessGroup]?) -> KeyringError {
        guard advice?.code == "explainSelection", request.login == nil else { return self }
        return saying(advice: .explainSelection(SelectionQuestion(request).asked(in: groups)))
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

    /// What to do where no account's tokens go to a host: sign in to the provider whose host it is, or let the account's go there.
    fileprivate func wayOut(to host: String, account: String?) -> Advice {
        let owner = HostPattern(host).flatMap { BuiltInHosts.environment(claiming: $0, besides: "") }
        let isThere = verdicts.contains { judged in
            owner.map { EnvironmentAliases.areSame($0, judged.candidate.account.id.environment) } ?? false
        }
        if let owner, !isThere, let provider = BuiltInProviders.all.first(where: { $0.environment == owner }) {
            return .signInTo(provider: provider.name)
        }
        return .allowHost(host, account: account, near: owner == nil ? BuiltInHosts.nearest(to: host) : nil)
    }
}

extension Verdict {
    fileprivate var isOfDestination: Bool {
        if case .rejected(let rejection) = self { rejection.isOfDestination } else { false }
    }
}

extension KeyringError {
    /// What it means that an account is meant, and will not do: nobody else is taken.
    private init(
        meant candidate: Candidate, _ reason: Verdict.Reason, but rejection: Verdict.Rejection, _ selection: Selection,
        _ request: TokenRequest
    ) {
        let naming = AccountNaming(among: selection.verdicts.map(\.candidate))
        let id = candidate.account.id.description
        // That whoever asks has named it they know.
        let because = reason == .explicit ? "" : ", and \(reason.meaning)"
        switch rejection {
        case .removed:
            self.init(
                .noSuchAccount, "\(id) is not in group '\(candidate.group)' any more\(because)",
                advice: .forgetAccount(id, candidate.group), candidates: [id], names: [])
        case .signedOut:
            self.init(
                .signInNeeded, "\(naming.shown(candidate.account, nil)) is signed out\(because)",
                advice: Self.advice(for: candidate, request, request.scopes, naming), candidates: [id], names: [])
        default:
            self.init(
                .noSuchAccount,
                "\(naming.shown(candidate.account, nil)) does not fit: \(Self.words(rejection, of: candidate))\(because)",
                advice: Self.advice(after: rejection, of: candidate, request, naming), candidates: [id], names: [])
        }
    }

    /// What it means that no account fits; where a person has signed out, that one can sign in again.
    private init(nobodyFits selection: Selection, _ request: TokenRequest) {
        // Of the others it would only say that another one is named.
        let judged = selection.verdicts.filter { $0.verdict != .rejected(.notNamed) }
        let signedOut = judged.filter { $0.verdict == .rejected(.signedOut) }.map(\.candidate)
        let naming = AccountNaming(among: selection.verdicts.map(\.candidate))
        guard let first = signedOut.first else {
            let accounts = judged.map(\.candidate.account)
            guard accounts.count == 1, let only = judged.first, case .rejected(let rejection) = only.verdict else {
                self.init(
                    .noSuchAccount, "no account fits", advice: .explainSelection(SelectionQuestion(request)),
                    accounts: accounts)
                return
            }
            self.init(
                .noSuchAccount,
                "\(naming.shown(only.candidate.account, nil)) does not fit: \(Self.words(rejection, of: only.candidate))",
                advice: Self.advice(after: rejection, of: only.candidate, request, naming),
                candidates: accounts.map(\.id.description), names: [])
            return
        }
        let isAlone = Set(signedOut.map(\.account.id)).count == 1
        self.init(
            .signInNeeded,
            isAlone
                ? "\(naming.shown(first.account, nil)) is signed out"
                : "no account fits, and \(signedOut.count) are signed out",
            advice: Self.advice(for: first, request, request.scopes, naming),
            candidates: judged.map(\.candidate.account.id.description),
            names: isAlone
                ? []
                : signedOut.prefix(Self.namedCandidates).map { naming.shown($0.account, $0.group) })
    }

    /// What to do about the only account's not being the one.
    private static func advice(
        after rejection: Verdict.Rejection, of candidate: Candidate, _ request: TokenRequest, _ naming: AccountNaming
    ) -> Advice {
        if case .scopesNotGranted(let scopes) = rejection { return advice(for: candidate, request, scopes, naming) }
        var question = SelectionQuestion(request)
        // The user in an address that means an account is no secret, and only so it is asked for again.
        if request.account == nil, request.login != nil { question.account = naming.typed(candidate.account) }
        return .explainSelection(question)
    }

    /// Why an account will not do; of one that nothing renews, what its tokens lack.
    private static func words(_ rejection: Verdict.Rejection, of candidate: Candidate) -> String {
        guard case .scopesNotGranted(let scopes) = rejection, candidate.state == .tokensOnly else {
            return rejection.description
        }
        return candidate.tokenScopes.count > 1 ? "none of its tokens has \(scopes)" : "its token lacks \(scopes)"
    }

    /// How an account gets tokens again; one that never signed in with a client has them from elsewhere.
    private static func advice(
        for candidate: Candidate, _ request: TokenRequest, _ scopes: ScopeSet, _ naming: AccountNaming
    ) -> Advice {
        let account = candidate.account
        if candidate.clientIDs.contains(where: { !$0.isEmpty && $0 != Credential.noClient }) {
            let hasTenants = EnvironmentAliases.isMicrosoft(account.id.environment)
            return .signIn(
                Continuation(
                    provider: account.id.environment, account: account.id.description, name: naming.typed(account),
                    tenant: hasTenants ? request.realm : nil, clientID: request.clientID, scopes: scopes))
        }
        // Who is known by an id has signed in somewhere, as another machine of a sync.
        return account.isKnownByName
            ? .storeTokenOf(account.id.description, scopes: scopes)
            : .signInOrStoreToken(naming.typed(account), scopes: scopes)
    }

    /// What it means that several accounts are meant.
    ///
    /// - Parameters:
    ///   - known: The accounts among which a name is looked for; `candidates` where these are all.
    ///   - what: The words before their number.
    ///   - advice: What to do, with the name to type and the group where that is needed.
    package init(
        several candidates: [Candidate], among known: [Candidate]? = nil, _ what: String,
        advice: (String, AccessGroup?) -> Advice
    ) {
        let naming = AccountNaming(among: known ?? candidates)
        var (ids, firsts): (Set<AccountID>, [Candidate]) = ([], [])
        for candidate in candidates where ids.insert(candidate.account.id).inserted { firsts.append(candidate) }
        let groups = Set(candidates.map(\.group)).sorted { $0.name < $1.name }
        guard let first = firsts.first, let group = groups.first else {
            self.init(.ambiguous, "\(what) no account")
            return
        }
        let list = groups.map(\.name).joined(separator: ", ")
        let codes = firsts.map(\.account.id.description)
        guard firsts.count > 1 else {
            self.init(
                .ambiguous, "\(what) \(naming.shown(first.account, nil)), which is in several groups: \(list)",
                advice: .chooseGroup(such: group), candidates: codes, names: [])
            return
        }
        let isInSeveral = candidates.count { $0.account.id == first.account.id } > 1
        self.init(
            .ambiguous,
            ids.count == candidates.count
                ? "\(what) \(ids.count) accounts"
                : "\(what) \(ids.count) accounts, some of them in several groups: \(list)",
            advice: advice(naming.typed(first.account), isInSeveral ? first.group : nil), candidates: codes,
            names: firsts.prefix(Self.namedCandidates).map { naming.shown($0.account, $0.group) })
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
