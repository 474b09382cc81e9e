internal import Keyfob
internal import KeyfobFiles
internal import KeyfobTerminal

/// Gets the token that a command works with: lets the person choose the account where that is needed, and remembers it.
struct AttendedAcquisition {
    let keyring: Keyring
    let options: RequestOptions
    private var refresh: RefreshOptions
    let networkOptions: NetworkOptions
    let global: GlobalOptions
    /// Whether whoever uses the token sends proofs of its key with it, where it is bound to one.
    var takesProofs = false
    /// Whether whoever uses the token shows its certificate, where it is bound to one.
    var takesCertificates = false
    /// The program that the token is for, where this one has started it; nil for whoever called.
    var program: String?
    /// What a person who chooses an account can bind to it.
    var subject: Binding.Subject?
    /// The tool that waits for the token; nil for this command itself.
    var tool: String?
    private var request = TokenRequest()
    private var picked: Candidate?

    init(
        keyring: Keyring, options: RequestOptions, refresh: RefreshOptions, networkOptions: NetworkOptions,
        global: GlobalOptions
    ) {
        self.keyring = keyring
        self.options = options
        self.refresh = refresh
        self.networkOptions = networkOptions
        self.global = global
    }

    /// The token; where several accounts fit and a person is there, of the one that they pick.
    mutating func token(
        minimumValidity: Int64? = nil
    ) throws(KeyringError) -> Keyring.TokenAnswer {
        request = try asked(options, minimumValidity)
        let groups = try global.groups()
        do {
            return try acquire(in: groups)
        } catch  where error.code == .ambiguous && !request.isNamed && global.mayPick {
            let selection = try keyring.accounts.select(request, in: groups)
            guard case .ambiguous = selection.outcome else { throw error }
            let (chosen, isForGood) = try global.pick(
                among: selection.choices, for: request, remembering: subject, asking: tool)
            if isForGood, let subject { bind(subject, to: chosen) }
            picked = chosen
            request.account = chosen.account.id.description
        }
        return try acquire(in: groups)
    }

    /// Binds what a person has said to bind, and tells so; where it cannot be written, the token is handed out all the same.
    private func bind(_ subject: Binding.Subject, to chosen: Candidate) {
        do {
            try keyring.bindings.set(subject, to: .account(chosen.account.id), in: chosen.group)
        } catch {
            return global.say("keyfob: warning: \(subject.kind) \(subject.text) is not bound: \(error.message)")
        }
        let name = keyring.accounts.shownName(of: chosen.account)
        global.say("keyfob: \(subject.kind) \(subject.text) uses \(name) of group '\(chosen.group)' from now on")
    }

    /// Remembers at once what a person has chosen for whoever asks next, rather than once the token is on its way.
    mutating func rememberPicked() {
        guard let chosen = picked else { return }
        keyring.accounts.remember(chosen.account.id, in: chosen.group, for: request, by: .person)
        picked = nil
    }

    private func asked(_ options: RequestOptions, _ minimumValidity: Int64?) throws(KeyringError) -> TokenRequest {
        var request = try options.request(minimumValidity: minimumValidity)
        (request.takesProofs, request.takesCertificates) = (takesProofs, takesCertificates)
        return request
    }

    /// The account that is meant, and its group, without a token, and the tenant where a binding names both; the one that
    /// they pick where a person is there and several fit.
    func account() throws(KeyringError) -> (candidate: Candidate, tenant: String?) {
        let request = try options.request()
        let selection = try keyring.accounts.select(request, in: try global.groups())
        switch selection.outcome {
        case .chosen(let candidate): return (candidate, selection.boundTenant)
        case .ambiguous where !request.isNamed && global.mayPick:
            return (try global.pick(among: selection.choices, for: request), nil)
        default:
            throw keyring.accounts.error(of: selection, for: request, in: try global.groups())
                ?? KeyringError(.noSuchAccount, "there is no account")
        }
    }

    /// The token that other options mean, in one group; nobody is asked.
    func token(
        _ options: RequestOptions, in group: AccessGroup, minimumValidity: Int64?
    ) throws(KeyringError) -> Keyring.TokenAnswer {
        var other = self
        other.request = try asked(options, minimumValidity)
        return try other.acquire(in: [group])
    }

    /// The account that other options mean, in one group; nobody is asked.
    func account(_ options: RequestOptions, in group: AccessGroup) throws(KeyringError) -> Candidate {
        let request = try options.request()
        let selection = try keyring.accounts.select(request, in: [group])
        guard case .chosen(let candidate) = selection.outcome else {
            throw keyring.accounts.error(of: selection, for: request, in: [group])
                ?? KeyringError(.noSuchAccount, "there is no account")
        }
        return candidate
    }

    /// A new token of the same account, in the place of one that a service did not take.
    ///
    /// - Parameters:
    ///   - options: What it was asked for with, where that is something else than the first time.
    ///   - claims: Those that the service's challenge wants.
    func replacement(
        for found: Keyring.FoundToken, _ options: RequestOptions? = nil, claims: String? = nil
    ) throws(KeyringError) -> Keyring.TokenAnswer {
        var next = self
        if let options { next.request = try asked(options, request.minimumValidity) }
        return try next.renewed(found, SilentOptions(inPlaceOfOneWithout: claims))
    }

    /// A token of the same account that expires later: a new one, unless somebody else has got one meanwhile.
    func successor(of found: Keyring.FoundToken) throws(KeyringError) -> Keyring.TokenAnswer {
        var next = self
        if let expiry = found.credential.expiresOn {
            let left = expiry.seconds - WallClock.system.now.seconds
            next.request.minimumValidity = max(request.minimumValidity ?? 0, left + 1)
        }
        return try next.renewed(found, SilentOptions())
    }

    private func renewed(
        _ found: Keyring.FoundToken, _ options: SilentOptions
    ) throws(KeyringError) -> Keyring.TokenAnswer {
        var next = self
        next.request.account = found.account.id.description
        next.request.clientID = found.credential.clientID
        next.request.keepTenant(of: found)
        next.refresh.forceRefresh = options.forcesRefresh
        // Those of the caller stand for as long as the service wants no others.
        next.refresh.claims = options.claims ?? next.refresh.claims
        return try next.acquire(in: [found.group])
    }

    /// The token, from what is stored or by refresh.
    private func acquire(in groups: [AccessGroup]?) throws(KeyringError) -> Keyring.TokenAnswer {
        var acquisition = TokenAcquisition(request, in: groups, options: refresh.options)
        if !refresh.offline {
            acquisition.network = { [networkOptions] () throws(KeyringError) in try networkOptions.network() }
        }
        return try RefreshProcess.token(for: acquisition, of: keyring, isVerbose: networkOptions.verbose, global)
    }

    /// Notes to whom a token was handed, for what was asked or for the host of an address.
    func noteUse(_ found: Keyring.FoundToken, at address: String? = nil) {
        var request = request
        if let address { request.context.url = ResourceURL(hostOf: address) }
        keyring.uses.note(found, for: request, by: options.tool ?? program, door: .command)
    }

    /// Remembers whose token it was, when somebody chose; the token is on its way already.
    func remember(_ found: Keyring.FoundToken) {
        switch found.reason {
        case .explicit where picked != nil:
            keyring.accounts.remember(found.account.id, in: found.group, for: request, by: .person)
        case .explicit where options.account != nil && StandardError.isTerminal && CallingTool.isInteractiveShell,
            .addressUser where StandardError.isTerminal && CallingTool.isInteractiveShell:
            // Only what a person typed, and not what a script repeats, tells what the person wants.
            guard let context = try? options.context() else { return }
            var request = request
            request.context = context
            keyring.accounts.remember(found.account.id, in: found.group, for: request, by: .person)
        case .learned: keyring.accounts.remember(found.account.id, in: found.group, for: request, by: .selection)
        default: return
        }
    }
}
