internal import KeyfobFiles
package import KeyfobModel
internal import KeyfobRecords
internal import KeyfobVault

/// Which of the access tokens stored for an account answers a request: the one rule by which what is stored is judged
/// and handed out.
///
/// Tokens that are valid come first. Of several, one that was stored after another for the same goes before that one, one of
/// which the tenant is known before others, one of a sign-in before one that was added by hand or imported without a client,
/// the default client's before others', one that Keyfob stored without scopes where none are asked for, and among equals the
/// one that lives longest, and then the one that was stored last; tokens of several clients, tenants or purposes are for the caller to
/// tell apart, unless the tool that asks tells its purpose: then those that do for it go first, and one of them is taken. Where none is valid, it is the one that lives longest: it may have an extended lifetime, and it says what a
/// refresh is to get.
package struct TokenChoice {
    /// What is asked for.
    package let request: TokenRequest
    /// At which tenant.
    package let tenant: RequestTenant
    /// Whose token it is to be.
    package let account: Account
    let now: Timestamp

    /// The rule for one request at one moment.
    package init(request: TokenRequest, tenant: RequestTenant, account: Account, now: Timestamp) {
        self.request = request
        self.tenant = tenant
        self.account = account
        self.now = now
    }

    /// Several tokens that only the caller can tell apart.
    package enum Ambiguity: Error {
        /// Tokens of these clients.
        case clients([String])
        /// Tokens in these tenants.
        case tenants([String])
        /// Tokens for these scopes, where none were asked for.
        case scopes([ScopeSet])
    }

    /// Why none is taken.
    enum Failure: Error {
        case ambiguous(Ambiguity)
        /// Nobody could say which client is the default.
        case unpreferred(StorageFailure)
    }

    /// The token to take; nil where there is none.
    ///
    /// - Parameters:
    ///   - tokens: Those that serve the request, whatever their state.
    ///   - preferredClient: Which of several clients is the default, asked only where it decides.
    func token(
        among tokens: [StoredItem<Credential>], preferredClient: ([String]) throws(StorageFailure) -> String?
    ) throws(Failure) -> StoredItem<Credential>? {
        let tokens = serving(tokens)
        // A token without a tenant is of no other one. That of several tenants one has a valid token chooses none.
        let tenants = Set(tokens.map { Identifier.folded($0.value.realm) }).filter { !$0.isEmpty }.sorted()
        guard tenants.count <= 1 else { throw .ambiguous(.tenants(tenants)) }
        var remaining = tokens.filter { isValid($0.value) }
        guard !remaining.isEmpty else { return tokens.max(by: isBehind) }
        let placed = remaining.filter { !$0.value.realm.isEmpty }
        if !placed.isEmpty { remaining = placed }
        // Of a token that somebody brought along nobody has proved whose it is.
        let proved = remaining.filter { $0.value.clientID != Credential.noClient }
        if !proved.isEmpty { remaining = proved }
        let ids = Set(remaining.map { $0.value.clientID }).sorted()
        if ids.count > 1 {
            let preferred: String?
            do { preferred = try preferredClient(ids) } catch { throw .unpreferred(error) }
            if let preferred { remaining.removeAll { $0.value.clientID != preferred } }
        }
        let clients = Set(remaining.map { $0.value.clientID }).sorted()
        // Any that does for the purpose will do.
        guard clients.count == 1 || isForPurposeAlone else { throw .ambiguous(.clients(clients)) }
        if remaining.count > 1, let resource = request.resource(at: account.id.environment) {
            // Of several for the resource that the address means, the one for whatever was consented to.
            let whole = remaining.filter { resource.defaultScope.isSubset(of: $0.value.scopes) }
            if !whole.isEmpty { remaining = whole }
        }
        // A program that keeps a cache of its own form stores a token beside one that it makes obsolete.
        let all = remaining
        remaining.removeAll { token in all.contains { $0.makesObsolete(token) } }
        if isForPurposeAlone { return remaining.max(by: isBehind) }
        if request.scopes.isEmpty, Set(remaining.map({ $0.value.scopes })).count > 1 {
            // Who asks for no scope means the token that was stored without one; what was put into the desktop's keyring by hand
            // goes before nothing of Keyfob's.
            let unscoped = remaining.filter { $0.value.scopes.isEmpty && !$0.record.isMadeByHand }
            guard !unscoped.isEmpty else { throw .ambiguous(.scopes(remaining.map { $0.value.scopes })) }
            remaining = unscoped
        }
        return remaining.max(by: isBehind)
    }

    /// Those whose scopes do for what the tool that asks wants; all where none do.
    func serving(_ tokens: [StoredItem<Credential>]) -> [StoredItem<Credential>] {
        guard tokens.count > 1, let purpose else { return tokens }
        let environment = account.id.environment
        let serving = tokens.filter { !purpose.isBeyond($0.value.scopes, at: environment) }
        return serving.isEmpty ? tokens : serving
    }

    /// What the token is for, where the program that asks or the address tells.
    private var purpose: SignInPurpose? {
        if let purpose = request.purpose { return purpose }
        guard let url = request.context.url, BuiltInHosts.isRegistry(url.host) else { return nil }
        return .packages
    }

    /// Whether nothing but its purpose tells tokens of the account apart.
    package var isForPurposeAlone: Bool {
        guard let purpose, request.scopes.isEmpty, request.clientID == nil else { return false }
        let environment = account.id.environment
        return purpose.scopes(at: environment) != nil && request.resource(at: environment) == nil
    }

    private func isBehind(_ token: StoredItem<Credential>, _ other: StoredItem<Credential>) -> Bool {
        let (rank, better) = (rank(token.value), rank(other.value))
        return rank == better ? token.record.header.stamp < other.record.header.stamp : rank < better
    }

    /// Whether a token may be handed out.
    package func isValid(_ token: Credential) -> Bool {
        token.isValid(now: now, minimumValidity: request.minimumValidity)
    }

    private func rank(_ token: Credential) -> (Int, Timestamp) {
        let end = token.expiresOn ?? Timestamp(seconds: .max)
        if isValid(token) { return (3, end) }
        if token.cachedAt.map({ $0 > now }) == true { return (0, end) }
        return (token.extendedExpiresOn.map { $0 > now } == true ? 2 : 1, end)
    }
}

extension StoredItem<Credential> {
    /// Whether it was stored after `other`, for the same.
    fileprivate func makesObsolete(_ other: StoredItem<Credential>) -> Bool {
        other.record.header.stamp < record.header.stamp && value.supersedes(other.value)
    }
}

extension Credential {
    /// Whether this access token may be handed out to somebody who needs it for `minimumValidity` seconds; nil for as
    /// long as usual.
    package func isValid(now: Timestamp, minimumValidity: Int64?) -> Bool {
        switch freshness(now: now, minimumValidity: minimumValidity) {
        case .fresh, .aging: true
        case .expired, .fromTheFuture: false
        }
    }

    /// Whether this access token is what `request` asks for at `tenant`, its validity aside.
    package func serves(_ request: TokenRequest, at tenant: RequestTenant) -> Bool {
        if let client = request.clientID, clientID != client { return false }
        guard tenant.admits(realm) else { return false }
        guard partition.isEmpty else { return false }
        guard effectiveTokenType == Identifier.folded(request.tokenType) || isBound && request.takes(self),
            request.scopes.isSubset(of: scopes)
        else { return false }
        return request.resource(at: account.environment)?.isMeant(by: scopes) ?? true
    }
}
