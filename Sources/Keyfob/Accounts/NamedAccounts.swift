internal import KeyfobInterop
internal import KeyfobRecords
internal import KeyfobSodium

/// What a group holds that an import must look at first which knows people by their user names.
///
/// Where the group has an account that had the id which the name makes, the tokens go to that account. One that has no more than the
/// user name is not taken for the same: its person has to prove that.
struct NamedAccounts {
    private var accounts: [AccountID: Account] = [:]
    private var idsByName: [String: [AccountID]] = [:]
    private let formerIDs: [AccountID: AccountID]
    private var signedIn: Set<AccountID> = []
    private var refreshTokens: [AccountID: [(item: RecordItem, credential: Credential, secrets: ItemSecrets)]] = [:]

    init(_ writer: GroupWriter, of group: AccessGroup) throws {
        var accounts: [AccountID: Account] = [:]
        var signedIn: Set<AccountID> = []
        var refreshTokens = refreshTokens
        let isComplete = try writer.forEachItem(of: group) { result, secrets in
            let item = try result.get()
            switch item.item.content {
            case .account(let account): accounts[account.id] = account
            case .credential(let credential) where credential.kind == .refreshToken:
                refreshTokens[credential.account, default: []].append((item, credential, secrets))
            case .credential(let credential) where credential.kind == .accessToken:
                if credential.clientID != Credential.noClient { signedIn.insert(credential.account) }
            default: break
            }
        }
        guard isComplete else { throw writer.incomplete }
        formerIDs = try writer.formerIDs()
        self.accounts = accounts
        self.refreshTokens = refreshTokens
        self.signedIn = signedIn.union(refreshTokens.filter { $0.value.contains { $0.credential.isActive } }.keys)
        idsByName = Dictionary(grouping: accounts.keys.sorted()) { Self.name(accounts[$0]?.username ?? "", at: $0) }
    }

    private static func name(_ username: String, at id: AccountID) -> String {
        Identifier.foldedName(username) + "\u{0}" + EnvironmentAliases.canonicalName(of: id.environment)
    }

    /// The account that the tokens of an account of the cache go to, and one of the same user name that is somebody else as far as
    /// anybody knows: a file proves nothing.
    func id(for account: Account) -> (AccountID, namesake: AccountID?) {
        let namesakes = idsByName[Self.name(account.username, at: account.id)] ?? []
        let isNamed = { (id: AccountID) in
            Identifier.foldedName(id.homeAccountID) == Identifier.foldedName(account.username)
        }
        if accounts[account.id] != nil, !isNamed(account.id) { return (account.id, nil) }
        if accounts[account.id] == nil, let owner = formerIDs[account.id] { return (owner, nil) }
        let id = isNamed(account.id) ? account.id : namesakes.first(where: isNamed) ?? account.id
        return (id, namesakes.first { $0 != id && !isNamed($0) })
    }

    /// What `account` adds to the account `id`: the tenants it was not seen in.
    func addition(of account: Account, to id: AccountID) -> Account {
        guard let stored = accounts[id] else { return account }
        let realms = Set(stored.tenantProfiles.map { Identifier.folded($0.realm) })
        return Account(
            id: stored.id, username: stored.username, displayName: stored.displayName ?? account.displayName,
            tenantProfiles: account.tenantProfiles.filter { !realms.contains(Identifier.folded($0.realm)) })
    }

    /// Whether a token of no client would stand beside a sign-in, so that somebody would have to say each time which one
    /// is meant.
    func isSignedIn(_ credential: Credential) -> Bool {
        credential.kind == .accessToken && credential.clientID == Credential.noClient
            && signedIn.contains(credential.account)
    }

    /// What becomes of a token that is not to be stored, or nil.
    ///
    /// Such tokens are old: a refresh token takes the place of another only if both tell when they came and this
    /// one came later; and who signed out stays signed out.
    func outcome(of credential: Credential, _ secret: borrowing SecretBytes) throws -> Keyring.StoreOutcome? {
        for stored in refreshTokens[credential.account] ?? []
        where Identifier.folded(stored.credential.clientID) == Identifier.folded(credential.clientID) {
            if let grant = stored.credential.grant, grant.state != .active { return .kept }
            guard credential.supersedes(stored.credential) else { continue }
            if stored.item.hasSecret, try stored.secrets.secret(of: stored.item).isEqual(to: secret) {
                return .unchanged
            }
            if !stored.credential.isOlder(than: credential) { return .kept }
        }
        return nil
    }
}

extension Credential {
    fileprivate var isActive: Bool { (grant ?? Grant()).state == .active }
}
