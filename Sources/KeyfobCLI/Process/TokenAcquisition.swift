internal import Keyfob

/// Gets the token that a command works with: lets the person choose the account where that is needed, and remembers it.
struct TokenAcquisition {
    let keyring: Keyring
    let options: RequestOptions
    let refresh: RefreshOptions
    let networkOptions: NetworkOptions
    let global: GlobalOptions
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
    mutating func token(minimumValidity: Int64 = 300) throws(KeyringError) -> Keyring.TokenAnswer {
        request = try options.request(minimumValidity: minimumValidity)
        let groups = try global.groups()
        do {
            return try refresh.token(keyring, for: request, in: groups, networkOptions)
        } catch  where error.code == .ambiguous && request.account == nil && global.mayPick {
            let selection = try keyring.select(request, in: groups)
            guard case .ambiguous = selection.outcome else { throw error }
            let chosen = try global.pick(among: PickerItem.candidates(of: selection), for: request)
            picked = chosen
            request.account = chosen.account.id.description
        }
        return try refresh.token(keyring, for: request, in: groups, networkOptions)
    }

    /// A new token of the same account, in the place of one that a service did not take.
    func replacement(for found: Keyring.Found) throws(KeyringError) -> Keyring.TokenAnswer {
        var request = request
        request.account = found.account.id.description
        request.clientID = found.credential.clientID
        var forced = refresh
        forced.forceRefresh = true
        return try forced.token(keyring, for: request, in: [found.group], networkOptions)
    }

    /// Remembers whose token it was, when somebody chose; the token is on its way already.
    func remember(_ found: Keyring.Found) {
        switch found.reason {
        case .explicit where picked != nil:
            keyring.remember(found.account.id, in: found.group, for: request, by: .person)
        case .explicit where options.account != nil && StandardError.isTerminal && CallingTool.isInteractiveShell:
            // Only what a person typed, and not what a script repeats, tells what the person wants.
            guard let context = try? options.context() else { return }
            var request = request
            request.context = context
            keyring.remember(found.account.id, in: found.group, for: request, by: .person)
        case .learned: keyring.remember(found.account.id, in: found.group, for: request, by: .selection)
        default: return
        }
    }
}
